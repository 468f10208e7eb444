#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A region that is full, of 1 GiB: who looks for a page in it, again and again, pays
# little, and keeps no thread busy; and what is freed there is found at once. The
# guest's clock counts instructions.
#
# kernels: oldest newest; soak: all
# options: --icount --mem 2G
# timeout: 900
. "$(dirname "$0")/ktap.sh"
region=$suite/regions/full

cost() { # ns of the faults of a program
	set -- $(cat /tmp/out)
	echo "$8"
}

"$here/touch" 2000 --rounds 50 >/tmp/out
stock=$(cost)
modprobe vipzone || exit 1
echo "full 512M-1536M" >$suite/regions/add || exit 1
echo 1 >$suite/vipzone/enabled || exit 1

filler_us() { awk '{ print int($1 / 1000) }' "/proc/$filler/schedstat"; }
# begin PAGES OPTION...: a steered process
begin() {
	rm -f /tmp/go /tmp/out
	"$here/touch" "$@" --wait /tmp/go --range 0x20000000 0x60000000 >/tmp/out &
	pid=$!
	echo "$pid region:full" >$suite/vipzone/add || return 1
	: >/tmp/go
}
placed() { # 99% of them
	wait_for 60 [ -s /tmp/out ]
	note "$(cat /tmp/out)"
	set -- $(cat /tmp/out)
	[ $(($4 * 100)) -ge $(($2 * 99)) ]
}

free=$(cat $region/free_pages)
total=$(cat $region/total_pages)
note "$free of $total are free"
rm -f /tmp/end
begin $((total + 2048)) --until /tmp/end
holder=$pid
wait_for 120 [ -s /tmp/out ]
note "$(cat /tmp/out), $(cat $region/free_pages) are free"
check "the region is full" at_least $suite/vipzone/fallback_empty 1024
filler=$(ps | awk '/ms_fill\/full/ && !/awk/ { print $1 }')
check "a thread fills its pool" [ -n "$filler" ]

# What the kernel's own part is depends on what is free, and where: as much as with the region full, for somebody else.
"$here/touch" 2000 --rounds 50 >/tmp/out
other=$(cost)
begin 2000 --rounds 50
wait $pid
note "faults: $(($(cost) * 1000 / stock)) thousandths of the stock kernel's, $(($(cost) * 1000 / other)) of another process's"
check "a fault in vain costs 1.05 of the stock kernel's at most" [ $(($(cost) * 100)) -le $((stock * 105)) ]
check "and of another process's" [ $(($(cost) * 100)) -le $((other * 105)) ]

begin 2000 --rounds 100000
# It has come to look every other second by then.
sleep 4
misses=$(cat $suite/vipzone/fallback_empty)
filled=$(cat $region/pool_filled_pages)
before=$(filler_us)
sleep 10
us=$(($(filler_us) - before))
filled=$(($(cat $region/pool_filled_pages) - filled))
misses=$(($(cat $suite/vipzone/fallback_empty) - misses))
kill $pid
wait $pid 2>/dev/null
note "$misses requests in vain, for which the thread worked $us us of 10 s, and found $filled pages"
check "many ask in vain" [ $misses -gt 1000 ]
# Other programs have memory there, too, and what they free is looked for, cleared and handed out: none to 17,000 pages were
# seen, of 1 to 4 us each, as many or few are found at a look. The rest is in vain: 0.04 to 0.17%.
check "which keeps the thread busy for 0.25% of the time at most" [ $((us - 4 * filled)) -le 25000 ]
check "and for 0.5% with what it finds" [ $us -le 50000 ]

: >/tmp/end
wait $holder
# Who takes huge pages only looks for large blocks.
echo madvise >$thp/enabled
rm -f /tmp/go
"$here/placement" hold 131072 /tmp/go --huge >/tmp/at &
pid=$!
echo "$pid region:full" >$suite/vipzone/add
sleep 1
: >/tmp/go
wait_for 60 [ -s /tmp/at ]
huge=$("$here/placement" where $pid "$(cat /tmp/at)" 131072 0x20000000 0x60000000)
note "$huge"
check "huge pages are found in it again" [ "${huge##* }" -ge $((131072 * 9 / 10)) ]
kill $pid
wait $pid 2>/dev/null
sleep 1
begin $((free / 2))
check "what was freed is found" placed
wait $pid
begin $((free / 2))
check "and again" placed
wait $pid
check "disable" sh -c "echo 0 >$suite/vipzone/enabled"
check "the region can be removed" wait_for 10 sh -c "echo full 2>/dev/null >$suite/regions/remove"
check "unload" rmmod vipzone memsuite
done_testing
