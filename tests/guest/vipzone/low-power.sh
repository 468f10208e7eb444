#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Low power first: what is used much comes from the cheapest region, what is used
# little leaves a share of it; orders for reads and writes; the kernel's memory.
# low-power.sh [PAGES]: of each program; a slow kernel takes fewer.
#
# boot: shared
# kernels: newest; soak: all
# options: --numa 512M,cpus=0-1 --numa 512M
# arguments: 8000; debug: 1000
. "$(dirname "$0")/ktap.sh"
nr=${1:-8000}
zone=$suite/vipzone
low="0x10000000 0x18000000"	# 128 MiB, 32768 pages
high="0x28000000 0x30000000"

# What lies in CPUs' lists is free and not seen: let that be little.
for fraction in /proc/sys/vm/percpu_pagelist_*fraction; do
	echo 100000 >"$fraction"
done
modprobe vipzone || exit 1
echo "low 256M-384M" >$suite/regions/add || exit 1
echo "small 384M-400M" >$suite/regions/add || exit 1
echo "high 640M-768M" >$suite/regions/add || exit 1
echo 1 >$zone/enabled || exit 1
pages=$(cat $suite/regions/low/total_pages)

free_pages() {
	echo $(($(cat $suite/regions/low/free_pages) + $(cat $suite/regions/low/pool_pages)))
}

# placed PAGES POLICY RANGE: sets in, how many pages of a program are there, and
# free, how many of low are free meanwhile.
placed() {
	rm -f /tmp/go /tmp/enough /tmp/out
	# shellcheck disable=SC2086
	"$here/touch" "$1" --range $3 --wait /tmp/go --until /tmp/enough >/tmp/out &
	pid=$!
	sleep 0.3
	echo "$pid low-power-first:$2" >$zone/add || return 1
	yielded=$(cat $zone/yielded_pages)
	: >/tmp/go
	wait_for 60 grep -q pages /tmp/out || return 1
	yielded=$(($(cat $zone/yielded_pages) - yielded))
	free=$(free_pages)
	in=$(sed 's/.* in \([0-9]*\) .*/\1/' /tmp/out)
	note "$2: $in of $1 in $3"
	: >/tmp/enough
	wait $pid
	sleep 0.3
}
most() { # OF: some pages were there before the policy
	[ "$in" -ge $(($1 - $1 / 50 - 10)) ]
}
few() { [ "$in" -le $((nr / 10)) ]; }

placed $nr low+high,hint=high "$low"
check "used much: low power" most $nr
placed $nr low+high,write=high+low,hint=write+high "$high"
check "written, used much: the order for writes" most $nr
placed $nr low+high,write=high+low,hint=high "$low"
check "read, used much: the order for reads" most $nr
placed $nr low+high "$low"
check "used little, and there is room: low power" most $nr
check "nothing yields" [ "$yielded" -lt 200 ]
placed $nr low+high,low_util=high-power "$high"
check "used little: high power, if asked" most $nr
placed $nr low+high,threshold_pct=100 "$low"
check "all of it reserved" few
placed $nr low+high,threshold_pct=100,low_util=low-power "$low"
check "all of it reserved, and used all the same, if asked" most $nr

# Twice as many pages may be had; the rest stays.
sleep 2
free=$(free_pages)
threshold=$(((free - 2 * nr) * 100 / pages))
reserve=$((pages * threshold / 100))
much=$((free - reserve + nr))
placed $much low+high,threshold_pct=$threshold "$low"
note "$free free, $reserve reserved"
check "the reserve stays, within 1 % of the region" [ $free -ge $((reserve - pages / 100)) ]
check "what yields is counted" [ $((yielded + in)) -ge $((much - pages / 100)) ]
check "and no more than that" [ $free -le $((reserve + pages * 3 / 100)) ]

sleep 1
placed $nr small+low,low_util=most-free "$low"
check "the region with the most free memory" most $nr

# Page tables of children.
tables() { awk '/nr_page_table_pages/ { print $2 }' "/sys/devices/system/node/node$1/vmstat"; }
children() {
	for i in $(seq 60); do
		sleep 1000 &
		all="$all $!"
	done
}
# The kernel adds its counts up every second or two, on a busy machine later.
are_counted() { [ $(($(tables 1) - before1)) -gt 60 ]; }
echo "$$ low-power-first:node1,kernel children" >$zone/add
ours=$(dirname "$(grep -lsx $$ $zone/policies/*/who)")
before0=$(tables 0) before1=$(tables 1)
children
wait_for 10 are_counted
sleep 3
of0=$(($(tables 0) - before0)) of1=$(($(tables 1) - before1))
# shellcheck disable=SC2086
kill $all
note "page tables of 60 children: $of0 on node 0, $of1 on node 1"
check "the kernel's memory, on a node" [ $of1 -gt $((60 + of0 * 4)) ]
check "it is counted" at_least "$ours/kernel_pages" 120
check "it reads as it was written" equals "$ours/policy" low-power-first:node1,kernel
check "where no region is a node, the kernel's memory cannot be had" \
	[ "$("$here/poke" $zone/add "literal:1 low-power-first:low,kernel")" = EINVAL ]
check "a percentage" [ "$("$here/poke" $zone/add "literal:1 low-power-first:low,threshold_pct=101")" = ERANGE ]
check "unload with policies" rmmod vipzone
check "unload" rmmod memsuite
done_testing
