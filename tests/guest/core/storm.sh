#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# storm.sh TIMES: hooks come and go while four processors fault, steered and not, small pages and huge ones, and read files:
# tasks are preempted in what a hooked function calls, which is unloaded then.
#
# kernels: oldest newest; soak: all
# options: --smp 4 --mem 2G --append "preempt=full slub_debug=FZPU"
# arguments: 3; soak: 1000
# timeout: 600; soak: 20000
. "$(dirname "$0")/ktap.sh"
times=$1
armed="alloc.entry cache.alloc fault.alloc fault.clear shmem.alloc"
not_direct=0

# faulter OPTION...: goes on until /tmp/storm is gone. A page that is not clear is noted.
faulter() {
	while [ -e /tmp/storm ]; do
		"$here/touch" 2000 --rounds 10 "$@" | grep -q 'nonzero 0 ' || : >/tmp/dirty
	done
}
reader() {
	while [ -e /tmp/storm ]; do
		echo 1 >/proc/sys/vm/drop_caches
		cmp -s /tmp/file /tmp/copy || : >/tmp/dirty
	done
}
load_all() {
	modprobe vipzone && echo "low 512M-1G" >$suite/regions/add || return 1
	for pid in $steered; do
		echo "$pid segment:stack=node0,cache=low,*=low children" >$suite/vipzone/add || return 1
	done
	echo 1 >$suite/vipzone/enabled
}
loads_and_unloads() {
	nr=0
	while [ $nr -lt "$times" ]; do
		load_all || return 1
		sleep 0.5
		for hook in $armed; do
			equals "$suite/hooks/$hook/state" direct || not_direct=$((not_direct + 1))
		done
		rmmod vipzone && rmmod memsuite || return 1
		nr=$((nr + 1))
	done
}

: >/tmp/storm
dd if=/dev/urandom of=/tmp/file bs=64k count=32 2>/dev/null
cp /tmp/file /tmp/copy
for options in "" "" --huge; do
	# shellcheck disable=SC2086
	faulter $options &
	steered="$steered $!"
	# shellcheck disable=SC2086
	faulter $options &
	others="$others $!"
done
reader &
reader=$!
check "hooks come and go $times times" loads_and_unloads
check "what they arm is called directly each time" [ $not_direct = 0 ]
rm /tmp/storm
# shellcheck disable=SC2086
wait $steered $others $reader
check_data "all memory was clear, and files as they are" [ ! -e /tmp/dirty ]
done_testing
