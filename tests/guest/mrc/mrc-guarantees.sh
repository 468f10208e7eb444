#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What the administrator guarantees and limits holds while memory is divided, in a guest that swaps: pages that are
# locked, that memory.low protects or that memory.swap.max or vm.swappiness keep from swap are not evicted; and nobody is
# made smaller for what memory.high keeps another from having, or others of one cgroup together.
#
# boot: shared
# kernels: oldest newest; soak: all
. "$(dirname "$0")/ktap.sh"
mrc=$suite/mrc
division=$mrc/division
cgroup=/sys/fs/cgroup

modprobe zram && echo 256M >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null && swapon /dev/zram0 || exit 1
echo +memory >$cgroup/cgroup.subtree_control
mkdir $cgroup/low $cgroup/high $cgroup/unswapped || exit 1
echo 0 >$cgroup/unswapped/memory.swap.max
echo 31M >$cgroup/low/memory.low # 7936 pages
echo 8M >$cgroup/high/memory.high # 2048 pages
modprobe mrc || exit 1
echo 500 >$mrc/ladder_ms
echo 100 >$mrc/max_cpu_permille
echo 100 >$division/pressure_pct
echo 200 >$division/interval_ms

resident() { awk '/^VmRSS/ { print int($2 / 4) }' "/proc/$1/status"; }
charged() { echo $(($(cat $cgroup/"$1"/memory.current) / 4096)); }
# column PID NAME: of the plan
column() { awk -v pid="$1" -v name="$2" 'NR == 1 { for (i = 2; i <= NF; i++) if ($i == name) k = i - 1 }
	$1 == pid { print $k }' $debug/mrc/plan; }
start() { # CGROUP|. LOOP'S ARGUMENTS: sets $pid
	at=$1
	: >/tmp/loop."$at"
	shift
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' $cgroup/"$at" "$here/loop" "$@" >/tmp/loop."$at" &
	pid=$!
	wait_for 60 grep -q ready /tmp/loop."$at"
	echo $pid >$mrc/add
}
# lowest COMMAND...: of what it prints in fifteen seconds: within ten, what nothing keeps has left
lowest() {
	least=$("$@")
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		sleep 1.5
		now=$("$@")
		[ "$now" -ge "$least" ] || least=$now
	done
	echo "$least"
}
planned() { share=$(column "$1" share_pages) && [ -n "$share" ] && [ "$share" -le "$2" ]; }

echo 1 >$mrc/enabled
start . --lock 8000 300
locked=$pid
start low 8000 300
low=$pid
echo 16384 >$division/total_kib # 4096 pages
echo 1 >$division/enforce
check "a locked one has a smaller share than it has" wait_for 60 planned $locked 5500
check "so has a protected one" wait_for 60 planned $low 5500
least=$(lowest resident $locked)
note "locked: not below $least"
check "what is locked stays" [ "$least" -ge 8000 ]
least=$(lowest charged low)
note "protected: not below $least"
check "what memory.low protects stays" [ "$least" -ge 7800 ]
kill $locked $low
wait $locked $low 2>/dev/null

start low 8000 300
echo $pid >$cgroup/cgroup.procs
check "one has left what protects its pages, and has a smaller share" wait_for 60 planned $pid 5500
least=$(lowest charged low)
note "left behind: not below $least"
check "what memory.low protects stays, wherever its process is" [ "$least" -ge 7800 ]
kill $pid
wait $pid 2>/dev/null

swappiness=$(cat /proc/sys/vm/swappiness)
echo 0 >/proc/sys/vm/swappiness
start . 8000 300
check "one that nobody may swap has a smaller share" wait_for 60 planned $pid 5500
least=$(lowest resident $pid)
note "with swappiness 0: not below $least"
check "it stays" [ "$least" -ge 8000 ]
echo "$swappiness" >/proc/sys/vm/swappiness
shrunk() { [ "$(resident $pid)" -le 6200 ]; }
check "until it may be swapped" wait_for 60 shrunk
kill $pid
wait $pid 2>/dev/null

start unswapped 8000 300
unswapped=$pid
check "one that may not swap has a smaller share" wait_for 60 planned $unswapped 5500
refused() { cat $division/refused_busy_pages; }
before=$(refused)
least=$(lowest resident $unswapped)
note "not swapped: not below $least, $(($(refused) - before)) pages refused"
check "what may not be swapped stays" [ "$least" -ge 8000 ]
check "it is not even tried" [ $(($(refused) - before)) -ge 1000 ]
kill $unswapped
wait $unswapped 2>/dev/null

# By its curve it would gain most, by three times as much as it may have.
start high --pattern uniform 6000 300
high=$pid
start . --pattern uniform 7000 300
uniform=$pid
echo 32768 >$division/total_kib # 8192 pages
check "one with memory.high gets no more than that" wait_for 60 planned $high 2100
at_least_planned() { share=$(column "$1" share_pages) && [ "${share:-0}" -ge "$2" ]; }
check "another gets what that cannot have" wait_for 60 at_least_planned $uniform 5900
sed 's/^/# /' $debug/mrc/plan
least=$(lowest resident $uniform)
note "beside: not below $least"
check "and keeps it" [ "$least" -ge 5800 ]
# What memory.high allows, all processes of the cgroup have together.
start high --pattern uniform 6000 300
second=$pid
both_planned() {
	one=$(column $high share_pages) two=$(column $second share_pages)
	[ "${one:-0}" -gt 0 ] && [ "${two:-0}" -gt 0 ] && [ $((one + two)) -le 2100 ]
}
check "two with memory.high get no more than that together" wait_for 60 both_planned
check "and the other keeps what they cannot have" wait_for 60 at_least_planned $uniform 5900
sed 's/^/# /' $debug/mrc/plan
kill $high $second $uniform
wait

# Two loops that do not fit would get what the other leaves; they are in a cgroup that has a minimum.
answers() { # TEXT ERRNO
	answer=$("$here/poke" $division/set "literal:$1")
	[ "$answer" = "$2" ] || { note "$1: $answer"; false; }
}
check "a cgroup that is no target" answers "cgroup:/unswapped 1 20480" ENOENT
check "a cgroup without a minimum" answers "cgroup:/unswapped 1" EINVAL
check "a weight of a cgroup beyond 1000" answers "cgroup:/unswapped 1001 0" ERANGE
start unswapped 8000 300
one=$pid
start unswapped 8000 300
two=$pid
start . --pattern uniform 8000 300
uniform=$pid
# Pages planned for both; nothing while one is not in the plan.
together() { awk -v a=$one -v b=$two 'NR == 1 { for (i = 2; i <= NF; i++) if ($i == "share_pages") k = i - 1 }
	$1 == a || $1 == b { n++; sum += $k } END { if (n == 2) print sum }' $debug/mrc/plan; }
get_less() { sum=$(together) && [ -n "$sum" ] && [ "$sum" -lt "$1" ]; }
get_least() { sum=$(together) && [ "${sum:-0}" -ge "$1" ]; }
check "they get little" wait_for 60 get_less 4000
echo cgroup:/unswapped >$mrc/add
echo "cgroup:/unswapped 1 20480" >$division/set # 5120 pages
check "with a minimum of the cgroup they get that" wait_for 60 get_least 5100
sed 's/^/# /' $debug/mrc/plan
echo "cgroup:/unswapped 1 0" >$division/set
check "and no more without" wait_for 60 get_less 4000
echo cgroup:/unswapped >$mrc/remove
kill $one $two $uniform
wait
rmdir $cgroup/low $cgroup/high $cgroup/unswapped
check "unload" rmmod mrc
swapoff /dev/zram0
done_testing
