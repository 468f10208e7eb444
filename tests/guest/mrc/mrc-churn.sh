#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# mrc in a guest: targets that fork, exec, map, unmap, move, split and collapse
# huge pages, are swapped out, merged by KSM and sampled by NUMA balancing, and
# end while they are added, removed, switched on and off, and the module
# unloaded. KTAP; what it looks for is a splat, a hang, data that is lost, or
# memory that does not come back.
#
#   mrc-churn.sh [ROUNDS [SECONDS [paper]]]	3 of 15 seconds by default
#
# paper: in that mode and in and out of it, too.
#
# boot: shared
# case: mrc-churn
# kernels: newest; soak: all
# options: --numa 512M,cpus=0-1 --numa 512M
# arguments: 1 10; soak: 3 10
# case: mrc-churn in mode paper
# kernels: none; soak: all
# arguments: 1 10 paper; soak: 3 10 paper

rounds=${1:-3}
seconds=${2:-15}
paper=$3
control=/sys/kernel/memsuite/mrc
here=$(dirname "$0")
failed=0

churn() {	# processes that live for a moment
	while :; do
		"$here/loop" --pattern exec 400 0.2
		"$here/loop" --thp 2000 0.2
		"$here/churn" 1 || echo lost >>/tmp/lost
	done >/dev/null
}

[ -d /sys/kernel/debug/memsuite ] || mount -t debugfs none /sys/kernel/debug 2>/dev/null
# Swap, KSM, huge pages and NUMA balancing, as far as the guest has them.
modprobe zram 2>/dev/null && echo 128M >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null &&
	swapon /dev/zram0
echo 1 >/sys/kernel/mm/ksm/run
echo 0 >/sys/kernel/mm/ksm/sleep_millisecs
echo 1 >/proc/sys/kernel/numa_balancing
for file in /proc/sys/kernel/numa_balancing_scan_delay_ms /sys/kernel/debug/sched/numa_balancing/scan_delay_ms; do
	[ -e $file ] && echo 100 >$file
done
echo 0 >/sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs

slab() {
	awk '/^SUnreclaim/ { print $2 }' /proc/meminfo
}

echo "KTAP version 1"
echo "1..$((rounds + 2))"
[ -d $control ] || modprobe mrc
before=$(slab)
i=1
while [ $i -le "$rounds" ]; do
	[ -d $control ] || modprobe mrc
	echo 1 >$control/enabled
	echo 100 >$control/ladder_ms
	echo 100 >$control/max_cpu_permille
	[ "$paper" ] && ! echo paper >$control/mode && failed=1
	churn &
	one=$!
	churn &
	two=$!
	j=0
	added=0
	end=$(($(cut -d. -f1 /proc/uptime) + seconds))
	while [ "$(cut -d. -f1 /proc/uptime)" -lt $end ]; do
		for pid in $(pidof loop churn) $one $two; do
			echo "$pid" >$control/add && added=$((added + 1))
		done 2>/dev/null
		[ $((j % 5)) = 1 ] && echo "$one children" >$control/add
		[ $((j % 9)) = 2 ] && echo machine >$control/add
		[ $((j % 9)) = 6 ] && echo machine >$control/remove
		cat /sys/kernel/debug/memsuite/mrc/*/curve /sys/kernel/debug/memsuite/mrc/*/stats
		[ $((j % 7)) = 3 ] && echo $one >$control/remove
		[ "$paper" ] && [ $((j % 6)) = 3 ] && echo ladder >$control/mode
		[ "$paper" ] && [ $((j % 6)) = 5 ] && echo paper >$control/mode
		[ $((j % 8)) = 4 ] && echo 0 >$control/enabled
		[ $((j % 8)) = 6 ] && echo 1 >$control/enabled
		usleep 100000 2>/dev/null || sleep 0.1
		j=$((j + 1))
	done >/dev/null 2>&1
	rmmod mrc
	status=$?
	kill $one $two
	killall loop churn
	wait
	[ $status = 0 ] && [ $added -gt 2 ]
	status=$?
	[ $status = 0 ] || failed=1
	[ $status = 0 ] && echo "ok $i round $i: $added targets, unloaded" ||
		echo "not ok $i round $i: $added targets"
	i=$((i + 1))
done 2>/dev/null
if [ ! -e /tmp/lost ]; then
	echo "ok $i no data is lost"
else
	echo "not ok $i no data is lost # wrong data"
	failed=1
fi
i=$((i + 1))
vmstat() { awk -v name="$1" '$1 == name { print $2 }' /proc/vmstat; }
echo "# pages swapped out $(vmstat pswpout), merged $(cat /sys/kernel/mm/ksm/full_scans) times," \
	"hinted $(vmstat numa_hint_faults) times; huge pages: $(vmstat thp_fault_alloc) by fault," \
	"$(vmstat thp_collapse_alloc) collapsed, $(vmstat thp_split_pmd) split"
sleep 2
after=$(slab)
echo "# unreclaimable slab: $before, then $after KiB"
if [ $((after - before)) -lt 8192 ]; then
	echo "ok $i no kernel memory is lost"
else
	echo "not ok $i no kernel memory is lost"
	failed=1
fi
exit $failed
