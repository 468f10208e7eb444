#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A region that is full of page cache, as all memory is on a machine that has run for a day: a program that is to have its
# pages there has them, the page cache makes room, and no other memory does.
#
# kernels: newest; soak: all
# options: --icount --numa 384M,cpus=0 --numa 512M --disk 1G
. "$(dirname "$0")/ktap.sh"
zone=$suite/vipzone
node1=$suite/regions/node1

modprobe vipzone || exit 1
[ ! -e /proc/sys/kernel/numa_balancing ] || echo 0 >/proc/sys/kernel/numa_balancing
echo 1 >$zone/enabled || exit 1
echo 128 >/sys/block/vda/queue/read_ahead_kb
# Pages of a node: what /proc/zoneinfo calls them, summed.
of_node() { awk -v node="$1," -v what="$2" '/^Node/ { here = $2 == node } here && $0 ~ what { sum += $NF } END { print sum + 0 }' /proc/zoneinfo; }
stolen() { awk -v what="$1" '$1 == "pgsteal_" what { print $2 + 0 }' /proc/vmstat; }
fills() { exec 3</dev/vda; dd if=/dev/vda of=/dev/null bs=1M 2>/dev/null; }
# touches PAGES: those of a new program that lie on node 1, in percent.
touches() {
	rm -f /tmp/go /tmp/enough
	: >/tmp/out
	"$here/touch" "$1" --range "$(cat $node1/start)" "$(cat $node1/end)" --wait /tmp/go --until /tmp/enough >/tmp/out &
	pid=$!
	echo "$pid region:node1" >$zone/add
	: >/tmp/go
	wait_for 60 grep -q pages /tmp/out
	awk '{ for (i = 1; i < NF; i++) { if ($i == "pages") all = $(i + 1); if ($i == "in") there = $(i + 1) } print int(100 * there / all) }' /tmp/out
}
ends() {
	: >/tmp/enough
	wait $pid
}

fills
file=$(of_node 1 "nr_inactive_file|nr_active_file")
note "node 1: $(of_node 1 "pages free") pages free, of which the kernel keeps $(of_node 1 "^ *low ") to $(of_node 1 "^ *high "), $file of page cache"
check "node 1 is full of page cache" [ "$file" -ge 60000 ]
there=$(touches 40000)
note "$(cat /tmp/out): $there%"
check "a program's pages are where its policy says" [ "$there" -ge 95 ]
check "the page cache has made room" [ "$(of_node 1 "nr_inactive_file|nr_active_file")" -lt $((file - 25000)) ]
ends

# What a program has elsewhere is moved there as well.
fills
rm -f /tmp/enough
: >/tmp/out
"$here/touch" 20000 --range "$(cat $node1/start)" "$(cat $node1/end)" --until /tmp/enough >/tmp/out &
pid=$!
wait_for 60 grep -q pages /tmp/out
note "before a move: $(cat /tmp/out)"
echo "$pid region:node1" >$zone/add
moved=$(cat $zone/moved_pages)
echo $pid >$zone/move
moved=$(($(cat $zone/moved_pages) - moved))
note "$moved pages moved, $(cat $zone/unmoved_full_pages) left for want of memory"
elsewhere=$(awk '{ print $2 - $4 }' /tmp/out)
check "a move makes room, too" [ $moved -ge $((elsewhere * 95 / 100)) ]
ends

# Where there is no page cache, nothing is evicted: the rest of a program goes elsewhere.
exec 3<&-
echo 3 >/proc/sys/vm/drop_caches
mkswap /dev/vda >/dev/null && swapon /dev/vda || exit 1
anon=$(stolen anon)
there=$(touches 150000)
note "$(cat /tmp/out): $there%; $(($(stolen anon) - anon)) pages of programs were evicted"
check "a program that does not fit has what there is" [ "$there" -ge 60 ]
check "and evicts no program" [ $(($(stolen anon) - anon)) -le 100 ]
ends
swapoff /dev/vda
check "unload" rmmod vipzone memsuite
done_testing
