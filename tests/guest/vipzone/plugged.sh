#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Memory that comes to a node is of the node's region, and of the region of whose range it is. Boot with two nodes of 512 MiB
# and a DIMM that is offline.
#
# kernels: newest; soak: all
# options: --numa 512M,cpus=0-1 --numa 512M --dimm 128M
. "$(dirname "$0")/ktap.sh"
zone=$suite/vipzone
node1=$suite/regions/node1

modprobe vipzone || exit 1
[ ! -e /proc/sys/kernel/numa_balancing ] || echo 0 >/proc/sys/kernel/numa_balancing
block=$(dirname "$(grep -lx offline /sys/devices/system/memory/memory*/state)")
start=$((0x$(cat "$block/phys_index") << 27))
end=$((start + (128 << 20)))
note "${block##*/} is offline; node1 ends at $(cat $node1/end)"
check "what is offline is none of the region" [ $(($(cat $node1/end))) -le $start ]
# A policy may be set before its memory is there, as by a configuration at boot.
echo "plugged $start-$end" >$suite/regions/add || exit 1
echo 1 >$zone/enabled || exit 1
rm -f /tmp/go
"$here/touch" 4096 --range $start $end --wait /tmp/go --until /tmp/enough >/tmp/out &
pid=$!
check "a policy for what is offline" sh -c "echo '$pid region:plugged' >$zone/add"
pages=$(cat $node1/total_pages)
check "online" sh -c "echo online_movable >$block/state"
check "the region reaches as far" [ $(($(cat $node1/end))) = $end ]
# A section that ends in a hole counts as a whole now.
more=$(($(cat $node1/total_pages) - pages))
note "$more pages more"
check "and has as many pages more" [ $more -ge 32768 -a $more -le 32832 ]

: >/tmp/go
wait_for 30 grep -q pages /tmp/out
note "$(cat /tmp/out)"
check "a program has pages there" grep -q 'in 40[0-9][0-9] ' /tmp/out
echo "$pid region:node1" >$zone/add
one_policy() { [ "$(grep -lsx $pid $zone/policies/*/who | wc -l)" = 1 ]; }
wait_for 10 one_policy # the one before goes after a grace period
dir=$(dirname "$(grep -lsx $pid $zone/policies/*/who)")
echo 100 >$zone/audit/interval_ms
check "the audit looks at them" wait_for 20 at_least "$dir/looked_pages" 12000
astray=$(cat "$dir/astray_node_pages" "$dir/astray_near_pages" "$dir/astray_huge_pages" | awk '{ sum += $1 } END { print sum }')
note "looked at $(cat "$dir/looked_pages"), astray $astray, repaired $(cat "$dir/repaired_pages")"
check "they are the node's" [ "$(cat "$dir/repaired_pages")" -lt 200 ]
check "none of them is astray" [ $((astray * 20)) -lt "$(cat "$dir/looked_pages")" ]
: >/tmp/enough
wait $pid
check "unload" rmmod vipzone memsuite
done_testing
