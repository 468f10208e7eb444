#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Others at a function that a hook is at: who counts allocations, or listens to them, hears of what the suite hands out as of
# what the kernel allocates; who comes to the function later sees its arguments; a live patch is refused,
# and so is a BPF program that wants to be called as the hook is; if it was there before, the hook does without.
#
# boot: shared
# kernels: all
. "$(dirname "$0")/ktap.sh"
tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || mount -t tracefs none $tracing
pages=8192

modprobe vipzone || exit 1
echo "low 256M-512M technology=test" >$suite/regions/add || exit 1
echo 1 >$suite/vipzone/enabled || exit 1

# touched POLICY: its pages, by a program that is steered unless POLICY is empty.
touched() {
	rm -f /tmp/go
	"$here/touch" $pages --range 0x10000000 0x20000000 --wait /tmp/go >/tmp/out &
	pid=$!
	[ -z "$1" ] || echo "$pid $1" >$suite/vipzone/add
	echo $pid >$tracing/set_event_pid
	: >/tmp/go
	wait $pid
	note "$(cat /tmp/out)"
}
vmstat() { awk -v name="^$1" '$1 ~ name { sum += $2 } END { print sum }' /proc/vmstat; }
nodes() { cat /sys/devices/system/node/node*/numastat | awk -v name="$1" '$1 == name { sum += $2 } END { print sum }'; }
counted() { # POLICY: sets allocated, hit and local
	allocated=$(vmstat pgalloc_) hit=$(nodes numa_hit) local=$(nodes local_node)
	touched "$1"
	sleep 2
	allocated=$(($(vmstat pgalloc_) - allocated)) hit=$(($(nodes numa_hit) - hit)) local=$(($(nodes local_node) - local))
	note "allocated $allocated numa_hit $hit local_node $local"
}

counted ""
check "the kernel counts what it allocates" [ "$allocated" -ge $pages ]
# Beside them, the kernel allocates what it does then, too.
most=$((allocated + pages / 4))
counted region:low
check "and what is handed out" between "$allocated" $pages $most
check "as a hit of its node" between "$hit" $pages $most
check "and local to it" between "$local" $pages $most

# Of this program alone.
echo 16384 >$tracing/buffer_size_kb
echo 1 >$tracing/events/kmem/mm_page_alloc/enable
echo >$tracing/trace
touched region:low
echo 0 >$tracing/events/kmem/mm_page_alloc/enable
# From 256M to 512M; the frame is in hexadecimal, and in decimal on some kernels.
told=$(sed -n 's/.*mm_page_alloc:.* pfn=\([0-9a-fx]*\) .*/\1/p' $tracing/trace | while read -r pfn; do
	[ $((pfn)) -ge 65536 ] && [ $((pfn)) -lt 131072 ] && echo; done | wc -l)
note "mm_page_alloc told of $told pages in the region"
check "mm_page_alloc tells of each page" [ "$told" -ge $((pages * 99 / 100)) ]
echo >$tracing/trace

# The first argument is the flags, on all kernels.
function=$(cat $suite/hooks/fault.alloc/symbol)
echo "p:suite_seen $function flags=%di:u64" >$tracing/kprobe_events
flags() { # POLICY: the flags that the probe sees
	echo 1 >$tracing/events/kprobes/suite_seen/enable
	touched "$1"
	echo 0 >$tracing/events/kprobes/suite_seen/enable
	sed -n 's/.*suite_seen:.*flags=//p' $tracing/trace | sort -un
	echo >$tracing/trace
}
pages=256
flags "" | grep -v '^#' >/tmp/kernel
flags region:low | grep -v '^#' >/tmp/steered
check "a probe sees calls" [ -s /tmp/kernel ]
note "flags $(tr '\n' ' ' </tmp/kernel), steered $(tr '\n' ' ' </tmp/steered)"
check "a probe that comes later sees the true arguments" sh -c "[ -s /tmp/steered ] && ! grep -vxFf /tmp/kernel /tmp/steered"
check "the pages lie where they should" sh -c 'set -- $(cat /tmp/out); [ "$4" -ge 250 ]'
echo "-:suite_seen" >>$tracing/kprobe_events
echo >$tracing/set_event_pid

modprobe patchtest "name=$function" 2>/tmp/refused
check "a live patch of it is refused" grep -qi busy /tmp/refused
check "ftrace is not switched off" sh -c "! echo 0 2>/dev/null >/proc/sys/kernel/ftrace_enabled"
check "the hook stays" equals $suite/hooks/fault.alloc/state direct
touched region:low
check "and answers" sh -c 'set -- $(cat /tmp/out); [ "$4" -ge 250 ]'

# A function has one direct call, and a BPF program at its entry wants that. The debug kernel has no BPF.
bpf_beside() {
	# 7.2 says EINVAL, the others EBUSY.
	"$here/fentry" "$function" </dev/null >/tmp/refused
	note "$(cat /tmp/refused)"
	check "a BPF program that comes later is refused" grep -qiE 'busy|invalid' /tmp/refused
	echo 0 >$suite/vipzone/enabled
	rm -f /tmp/attached /tmp/hold
	mkfifo /tmp/hold
	"$here/fentry" "$function" </tmp/hold >/tmp/attached &
	bpf=$!
	exec 3>/tmp/hold
	check "one that comes first is not" wait_for 30 grep -q attached /tmp/attached
	if echo 1 >$suite/vipzone/enabled 2>/dev/null; then
		check "the hook does with a callback" equals $suite/hooks/fault.alloc/state callback
		touched region:low
		check "and answers" sh -c 'set -- $(cat /tmp/out); [ "$4" -ge 250 ]'
	else
		check "5.10 allows nobody beside it" sh -c "uname -r | grep -q '^5\.10'"
		check "which is told" equals $suite/hooks/fault.alloc/state failed
	fi
	exec 3>&-
	wait $bpf
	echo 0 >$suite/vipzone/enabled
	check "when it is gone, the hook comes" sh -c "echo 1 >$suite/vipzone/enabled"
	check "by a direct call" equals $suite/hooks/fault.alloc/state direct
}
uname -r | grep -q debug || bpf_beside
done_testing
