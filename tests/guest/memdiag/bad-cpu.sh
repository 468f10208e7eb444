#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A CPU that finds faults where the other one finds none is told of, tests no more, and retires nothing; what both find
# is retired.
#
# kernels: newest; soak: all
# options: --mem 512M
. "$(dirname "$0")/ktap.sh"
diag=$suite/memdiag
start=0x10000000	# nobody uses that
nr=24

# In blocks of 4 MiB, of which a CPU tests one at a time.
emulate() { # CPU
	i=0
	while [ $i -lt $nr ]; do
		printf '0x%x:3:sa1 cpu=%d\n' $((start + i * 4194304)) "$1" >$diag/inject/add || return 1
		i=$((i + 1))
	done
}
spared() { # CPU: the two threads that test run on others only
	set -- "$1" $(grep -l '^memdiag/[01]$' /proc/[0-9]*/comm)
	[ $# = 3 ] || return 1
	for thread in "$2" "$3"; do
		cpus=$(awk '$1 == "Cpus_allowed:" { print $2 }' "${thread%/comm}/status")
		[ $((0x$cpus >> $1 & 1)) = 0 ] || return 1
	done
}

modprobe memdiag || exit 1
check "no such CPU" sh -c "! echo $start:3:sa1 cpu=4095 2>/dev/null >$diag/inject/add"
check "a bad CPU" emulate 1
echo fixed >$diag/control/policy
echo 2 >$diag/control/fixed_threads
check "enable" sh -c "echo 1 >$diag/enabled"
# Which CPU tests which block is chance.
sweeps=1
while check "sweep $sweeps" wait_for 120 at_least $diag/passes $sweeps && [ -z "$(cat $diag/distrusted_cpus)" ] &&
	[ $sweeps -lt 8 ]; do
	sweeps=$((sweeps + 1))
	echo 0 >$diag/enabled
	echo 1 >$diag/enabled
done
note "$(cat $diag/doubted_blocks) blocks in doubt"
check "it is known" equals $diag/distrusted_cpus 1
check "and told of" sh -c "dmesg | grep -q 'memdiag: CPU 1 finds faults again and again'"
check "once" [ "$(dmesg | grep -c 'CPU 1 finds faults again')" = 1 ]
dmesg | grep "memdiag: CPU" | head -n 4 | sed 's/^/# /'
grep -v '^# pfn' $debug/memdiag/bad_pages | sed 's/^/# /'
check "nothing is retired" equals $diag/bad_page_count 0
check "nothing is suspected" equals $diag/retire_policy/suspect_count 0
echo 8 >$diag/test_lifetime_s
check "it tests no more" wait_for 60 spared 1
page=$(free_page $start)
check "a fault that is the memory's" sh -c "echo $page:5:sa1 >$diag/inject/add"
echo "$page-$(printf '0x%x' $((page + 4096)))" >$diag/range/run_test
check "is found" wait_for 120 equals $diag/bad_page_count 1
note "$(cat $diag/range/status)"
grep -v '^# pfn' $debug/memdiag/bad_pages | sed 's/^/# /'
echo 1 >$diag/inject/clear
check "and given back" equals $diag/bad_page_count 0
echo 0 >$diag/enabled
echo 1 >$diag/enabled
check "enabled anew, all are trusted" equals $diag/distrusted_cpus ""

# What only that CPU has tested is not tested.
tester_on_cpu_1() { taskset -p 2 "$(basename "$(dirname "$(grep -l '^memdiag-range$' /proc/[0-9]*/comm)")")" >/dev/null; }
ended() { ! grep -q running $diag/range/status; }
echo 0 >$diag/enabled
check "a bad CPU again" emulate 1
check "a range is tested by it" sh -c "echo $start-$((start + nr * 4194304)) >$diag/range/run_test"
check "from the beginning" tester_on_cpu_1
check "to the end" wait_for 300 ended
note "$(cat $diag/range/status): $(cat $diag/range/tested_pages) pages tested, $(cat $diag/range/untested_pages) not"
check "it does not pass" equals $diag/range/status partial
check "what was in doubt counts as not tested" at_least $diag/range/untested_pages $((nr / 2 * 1024))
check "no page is bad" equals $diag/range/bad_pages 0
check "unload" rmmod memdiag memsuite
done_testing
