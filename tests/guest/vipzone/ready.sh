#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Huge pages are cleared ahead of demand: programs that ask for some find them ready, zero, and do not wait for them to be
# cleared; the pool keeps to its size, and to half of it for these; when nobody asks any more, they are given back.
#
# kernels: newest; soak: all
# options: --mem 1G
# timeout: 600
. "$(dirname "$0")/ktap.sh"
large=$suite/regions/block/pool_large_pages
is_half_full() { [ "$(cat $large)" -ge 8192 ]; }
# Those of 64 KiB have a part of that half as long as they were asked for lately.
has_some() { [ "$(cat $large)" -ge 4096 ]; }
# A program's CPU time for 16 huge pages; it leaves none of them zero.
takes() { # [OPTION...]
	rm -f /tmp/go
	"$here/touch" 8192 --huge --wait /tmp/go "$@" >/tmp/out &
	pid=$!
	echo "$pid region:block" >$suite/vipzone/add
	: >/tmp/go
	wait $pid
	ns=$(sed 's/.* ns //' /tmp/out)
	note "$(cat /tmp/out), ready now $(cat $large)"
}
is_zero() { [ "$(cut -d ' ' -f 6 /tmp/out)" = 0 ]; }
handed() { cat $suite/regions/block/pool_handed_pages; }

# How often the kernel clears 16 huge pages of its own, after it has allocated them: not at all, if it clears all that it
# allocates and knows that.
clears_itself() {
	mount -t tracefs none /sys/kernel/tracing 2>/dev/null
	grep -Ex 'clear_huge_page|folio_zero_user' /sys/kernel/tracing/available_filter_functions \
		>/sys/kernel/tracing/set_ftrace_filter
	echo function >/sys/kernel/tracing/current_tracer
	"$here/touch" 8192 --huge >/dev/null
	grep -c 'clear_huge_page\|folio_zero_user' /sys/kernel/tracing/trace
	echo nop >/sys/kernel/tracing/current_tracer
	echo >/sys/kernel/tracing/set_ftrace_filter
}

echo madvise >/sys/kernel/mm/transparent_hugepage/enabled
own=$(clears_itself)
modprobe vipzone
echo "block 256M-768M" >$suite/regions/add
echo 65536 >$suite/regions/block/pool_kib
echo 1 >$suite/vipzone/enabled
check "the hook is proven" equals $suite/hooks/fault.clear/state direct
sleep 1000 &
keeper=$!
echo "$keeper region:block" >$suite/vipzone/add
wait_for 60 at_least $suite/regions/block/pool_pages 16384
check "none is ready before somebody asks" equals $large 0
takes
first=$ns
check "they are made ready then" wait_for 60 is_half_full
check "half of the pool, and no more" equals $large 8192
# Each CPU has a batch and a block at hand, and the refill thread a block of either kind that it cuts up.
at_hand=$((2 * (128 + 1024) + 2 * 1024))
note "$(cat $suite/regions/block/pool_pages) pages"
check "which is no larger" [ "$(cat $suite/regions/block/pool_pages)" -le $((16384 + at_hand)) ]
for round in 1 2 3; do
	before=$(handed)
	cleared=$(cat $suite/hooks/fault.clear/hits)
	takes
	check_data "what is ready is zero, round $round" is_zero
	check "and was handed out" [ $(($(handed) - before)) -ge 8192 ]
	wait_for 60 is_half_full
done
note "$first ns of CPU time at first, $ns when all was ready"
check "a fault takes less than a fifth of the time" [ $((ns * 5)) -lt "$first" ]
cleared=$(($(cat $suite/hooks/fault.clear/hits) - cleared))
note "the kernel clears $own of 16 after allocation, and was spared $cleared of them"
check "the kernel has left them as they are" [ $cleared -ge "$own" ]

if [ -w /sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled ]; then
	echo never >/sys/kernel/mm/transparent_hugepage/hugepages-2048kB/enabled
	echo always >/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled
	echo 0 >$suite/regions/block/pool_kib
	check "a pool without a size has none ready" equals $large 0
	echo 65536 >$suite/regions/block/pool_kib
	takes
	wait_for 60 at_least $large 1024
	check "folios of 64 KiB are ready" at_least $large 1024
	takes
	check_data "and zero" is_zero
	echo never >/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled
	echo inherit >/sys/kernel/mm/transparent_hugepage/hugepages-2048kB/enabled
fi

# A page of one that is ready.
takes
wait_for 60 has_some
frame=$(dd if=/proc/kpageflags bs=524288 skip=1 count=2 2>/dev/null | od -An -v -tu8 -w8 |
	awk 'int($1 / 8388608) % 2 { n++ } (NR - 1) % 512 == 511 { if (n == 512) { print 65536 + NR - 100; exit } n = 0 }')
printf 0x%x $((frame * 4096)) >/sys/devices/system/memory/soft_offline_page
check "a page of one goes offline" [ $(($(dd if=/proc/kpageflags bs=8 skip="$frame" count=1 2>/dev/null | od -An -tu8) >> 19 & 1)) = 1 ]
wait_for 60 has_some
takes --range $((frame * 4096)) $(((frame + 1) * 4096))
check "and no program gets it" [ "$(cut -d ' ' -f 4 /tmp/out)" = 0 ]

takes
wait_for 60 is_half_full
check "when nobody asks, they are given back" wait_for 90 equals $large 0
check "and the pool is full of small ones" wait_for 60 at_least $suite/regions/block/pool_pages 16384
takes
wait_for 60 is_half_full
# Half of what the pool has, too.
pages=$(($(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo) / 4 + 8192))
"$here/touch" $pages >/tmp/touched
note "$(cat /tmp/touched)"
check "a program that needs the memory gets it" [ "$(cut -d ' ' -f 2 /tmp/touched)" = $pages ]

modprobe memdiag
echo 1 >$suite/memdiag/enabled
echo 1 >$suite/memdiag/ahead/enabled
"$here/touch" 8192 --huge >/tmp/out
wait_for 120 at_least $suite/regions/node0/pool_large_pages 2048
served=$(cat $suite/memdiag/ahead/served_pages)
"$here/touch" 8192 --huge >/tmp/out
check_data "those that memdiag has tested are zero, too" is_zero
check "they go to everybody" at_least $suite/memdiag/ahead/served_pages $((served + 2048))
check "unload with some ready" rmmod memdiag vipzone
kill $keeper
check "nothing is held" equals $suite/pages/held_pages 0
check "unload the core" rmmod memsuite
done_testing
