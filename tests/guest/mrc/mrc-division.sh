#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The division of memory, planned and enforced, in a guest that swaps: a program gets its share and no more, and
# never less than its minimum.
#
# boot: shared
# kernels: oldest newest; soak: all
. "$(dirname "$0")/ktap.sh"
mrc=$suite/mrc
division=$mrc/division

modprobe zram || { echo "Bail out! no zram"; exit 1; }
echo 256M >/sys/block/zram0/disksize
mkswap /dev/zram0 >/dev/null && swapon /dev/zram0 || exit 1
modprobe mrc || exit 1
echo 500 >$mrc/ladder_ms
echo 100 >$mrc/max_cpu_permille
echo 100 >$division/pressure_pct
echo 200 >$division/interval_ms

"$here/loop" 8000 300 >/tmp/loop &
loop=$!
"$here/loop" --pattern uniform 3000 300 >/tmp/uniform &
uniform=$!
wait_for 60 grep -q ready /tmp/loop
wait_for 60 grep -q ready /tmp/uniform
echo 1 >$mrc/enabled
echo $loop >$mrc/add
echo $uniform >$mrc/add

resident() { awk '/^VmRSS/ { print int($2 / 4) }' "/proc/$1/status"; }
# column PID NAME: of the plan
column() { awk -v pid="$1" -v name="$2" 'NR == 1 { for (i = 2; i <= NF; i++) if ($i == name) k = i - 1 }
	$1 == pid { print $k }' $debug/mrc/plan; }
curves() { [ "$(grep -c . $debug/mrc/plan)" = 3 ]; }
check "both are in the plan" wait_for 30 curves
# The loop does not fit beside the other: what the other gains by comes first.
echo 32768 >$division/total_kib
fits() { [ "$(column $uniform share_pages)" -ge 2500 ]; }
check "who gains by it gets it" wait_for 30 fits
sed 's/^/# /' $debug/mrc/plan
check "nothing is evicted for a plan" [ "$(cat $division/evicted_pages)$(cat $division/replaced_pages)" = 00 ]

check "it is enforced" sh -c "echo 1 >$division/enforce"
shrunk() { [ "$(resident $loop)" -le 5900 ]; }
check "the loop is driven to its share" wait_for 60 shrunk
sleep 2
note "resident $(resident $loop) and $(resident $uniform), $(grep . $division/*_pages | sed 's,.*/,,' | tr '\n' ' ')"
# Its share is 4400 to 5000 pages. It comes back at first faster than its pages are replaced.
kept() {
	for _ in 1 2 3 4 5 6; do
		left=$(resident $loop)
		[ "$left" -ge 4000 ] && [ "$left" -le 6200 ] || return 1
		sleep 0.5
	done
}
check "and kept there" wait_for 20 kept
check "by pages of its own" at_least $division/replaced_pages 1000
check "the other keeps its pages" [ "$(resident $uniform)" -ge 2500 ]

echo "$loop 1 28000" >$division/set # 7000 pages
grown() { [ "$(resident $loop)" -ge 6900 ]; }
check "with a minimum it gets that" wait_for 60 grown
low=$(resident $loop)
for _ in 1 2 3 4 5 6 7 8 9 10; do
	sleep 0.5
	now=$(resident $loop)
	[ "$now" -ge "$low" ] || low=$now
done
note "not below $low"
check "and is not driven below it" [ "$low" -ge 6900 ]

# What a control group protects stays: here nearly all that the loop has.
cgroup=/sys/fs/cgroup/protected
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir $cgroup
echo 27M >$cgroup/memory.min # 6912 pages
sh -c "echo \$\$ >$cgroup/cgroup.procs; exec $here/loop 8000 300" >/tmp/protected &
protected=$!
wait_for 60 grep -q ready /tmp/protected
echo $protected >$mrc/add
echo "$loop 1 0" >$division/set
at_most() { share=$(column "$1" share_pages) && [ "${share:-$(($2 + 1))}" -le "$2" ]; }
check "a protected one has a smaller share than it has" wait_for 60 at_most $protected 5500
charged() { [ "$(cat $cgroup/memory.current)" -le $((7200 * 4096)) ]; }
check "it is made smaller" wait_for 60 charged
low=$(cat $cgroup/memory.current)
for _ in 1 2 3 4 5 6 7 8 9 10; do
	sleep 0.5
	now=$(cat $cgroup/memory.current)
	[ "$now" -ge "$low" ] || low=$now
done
note "not below $((low / 4096)) pages"
check "and keeps what is protected" [ "$low" -ge $((6800 * 4096)) ]
kill $protected
wait $protected 2>/dev/null
rmdir $cgroup

# Who is over its share and in a fault that never ends is not waited for. It has more than can be evicted of it before.
"$here/stall" 30000 300 >/tmp/stall &
stall=$!
wait_for 60 grep -q ready /tmp/stall
echo $stall >$mrc/add
planned() { share=$(column $stall share_pages) && [ "${share:-0}" -gt 0 ]; }
check "a third one is in the plan" wait_for 30 planned
over_its_share() {
	share=$(column $stall share_pages)
	[ "${share:-0}" -gt 0 ] && [ "$share" -lt $(($(resident $stall) - 8000)) ]
}
echo 4096 >$division/total_kib
check "it is over its share" wait_within 20 over_its_share
kill -USR1 $stall
wait_for 100 grep -q stalled /tmp/stall
uptime_s() { cut -d. -f1 /proc/uptime; }
began=$(uptime_s)
check "enforced no more, with a fault that goes on" sh -c "echo 0 >$division/enforce"
check "enforced again" sh -c "echo 1 >$division/enforce"
check "unload while it is enforced" rmmod mrc
note "within $(($(uptime_s) - began)) s"
check "without waiting for the fault" [ $(($(uptime_s) - began)) -lt 60 ]
unloaded() { rmmod memsuite 2>/dev/null; }
stays() { ! unloaded; }
check "the core stays, which it will return to" stays
check "all live on" kill -0 $loop $uniform $stall
kill $loop $uniform
kill -9 $stall
wait
check "the core is unloaded once the fault is over" wait_for 30 unloaded
swapoff /dev/zram0
done_testing
