#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A node loses all of its memory in the midst of a sweep: the sweep ends, others follow, and testing can be switched off.
#
# kernels: none; soak: all
# options: --numa 512M,cpus=0-1 --numa 512M
. "$(dirname "$0")/ktap.sh"
memdiag=$suite/memdiag

modprobe memdiag || exit 1
echo fixed >$memdiag/control/policy
echo 4 >$memdiag/test_lifetime_s
for threads in 2 1; do
	echo $threads >$memdiag/control/fixed_threads
	echo 1 >$memdiag/enabled
	tested=$(cat $memdiag/tested_pages)
	check "$threads threads: a sweep goes on" wait_for 60 at_least $memdiag/tested_pages $((tested + 2000))
	check "a node has no memory any more" modprobe nodetest nid=1
	passes=$(cat $memdiag/passes)
	check "the sweep ends, and others do" wait_for 120 at_least $memdiag/passes $((passes + 3))
	(echo 0 >$memdiag/enabled; : >/tmp/off) &
	check "testing is switched off" wait_for 30 [ -e /tmp/off ]
	wait
	rm -f /tmp/off
	check "it has memory again" rmmod nodetest
done
check "unload" rmmod memdiag memsuite
done_testing
