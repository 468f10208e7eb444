#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A region of 60 GiB that is full: faults that ask for a page of it, and the thread that
# fills its pool, cost what they do at 1 GiB (full.sh). The memory is there for the guest
# alone: it is taken for huge pages at boot, and never touched.
#
# kernels: none; soak: benched
# options: --icount --mem 66G --append hugepagesz=1G --append hugepages=63
# timeout: 900
. "$(dirname "$0")/ktap.sh"
region=$suite/regions/full

cost() { # ns of the faults of a program, after it has begun
	rm -f /tmp/go /tmp/out
	"$here/touch" 2000 --rounds 100 --wait /tmp/go >/tmp/out &
	pid=$!
	[ $# = 0 ] || echo "$pid region:$1" >$suite/vipzone/add
	: >/tmp/go
	wait $pid
	set -- $(cat /tmp/out)
	echo "$8"
}
filler_us() { awk '{ print int($1 / 1000) }' "/proc/$filler/schedstat"; }

cost >/dev/null
stock=$(cost)
check "the memory is there" at_least /sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages 60
modprobe vipzone || exit 1
echo "full 5G-65G" >$suite/regions/add || exit 1
echo 1 >$suite/vipzone/enabled || exit 1
note "$(cat $region/free_pages) of $(cat $region/total_pages) are free"

# What is free in it, and one time more, to come to its end.
cost full >/dev/null
"$here/touch" $(($(cat $region/free_pages) + 4096)) --wait /tmp/hold --until /tmp/end >/tmp/held &
holder=$!
echo "$holder region:full" >$suite/vipzone/add || exit 1
: >/tmp/hold
wait_for 120 [ -s /tmp/held ]
check "the region is full" at_least $suite/vipzone/fallback_empty 1024
filler=$(ps | awk '/ms_fill\/full/ && !/awk/ { print $1 }')
check "a thread fills its pool" [ -n "$filler" ]
before=$(filler_us)
began=$(cut -d' ' -f1 /proc/uptime)
full=$(cost full)
note "faults: $((full * 1000 / stock)) thousandths of the stock kernel's"
check "a fault in vain costs 1.05 of the stock kernel's at most" [ $((full * 100)) -le $((stock * 105)) ]
"$here/touch" 2000 --rounds 100000 >/dev/null &
pid=$!
echo "$pid region:full" >$suite/vipzone/add || exit 1
sleep 30
kill $pid
wait $pid 2>/dev/null
ms=$(awk -v began="$began" '{ print int(($1 - began) * 1000) }' /proc/uptime)
us=$(($(filler_us) - before))
note "the thread worked $us us of $ms ms"
check "the thread is busy for 0.1% of the time at most" [ $us -le $ms ]
: >/tmp/end
wait $holder
check "disable" sh -c "echo 0 >$suite/vipzone/enabled"
check "unload" rmmod vipzone memsuite
done_testing
