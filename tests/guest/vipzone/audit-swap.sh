#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Dirty bits are cleared while pages are swapped out and in, fork, and move back
# and forth between two nodes: no byte changes. Boot with two nodes.
#
#   audit-swap.sh [PAGES [SECONDS]]
#
# boot: shared
# kernels: newest; soak: all
# options: --numa 512M,cpus=0-1 --numa 512M
# arguments: 2048; debug: 512
. "$(dirname "$0")/ktap.sh"
pages=${1:-2048}
zone=$suite/vipzone
cgroup=/sys/fs/cgroup/small

modprobe vipzone || exit 1
modprobe zram || { echo "Bail out! no zram"; exit 1; }
echo 128M >/sys/block/zram0/disksize
mkswap /dev/zram0 >/dev/null && swapon /dev/zram0 || exit 1
[ ! -e /proc/sys/kernel/numa_balancing ] || echo 0 >/proc/sys/kernel/numa_balancing
grep -q /sys/fs/cgroup /proc/mounts || mount -t cgroup2 none /sys/fs/cgroup || exit 1
echo +memory >/sys/fs/cgroup/cgroup.subtree_control && mkdir $cgroup || exit 1
echo $((pages * 3))K >$cgroup/memory.max # three quarters
echo 100 >$suite/regions/node0/write_latency_ns
echo 900 >$suite/regions/node1/write_latency_ns
echo 1 >$zone/enabled || exit 1
echo 1 >$zone/audit/hot_looks
echo 1 >$zone/audit/idle_looks
echo 1048576 >$zone/audit/quota_kib_s

swapped() { awk '$1 == "pswpout" { print $2 }' /proc/vmstat; }
before=$(swapped)
: >/tmp/out
sh -c 'echo $$ >"$0/cgroup.procs" && echo "$$ region:node1+node0 children heat" >"$1" && shift && exec "$@"' \
	$cgroup $zone/add "$here/keep" "$pages" --range 0 0x20000000 --churn >/tmp/out &
pid=$!
wait_for 100 grep -q ready /tmp/out
dir=$(grep -lx $pid $zone/policies/*/who | sed 's,/who,,')
echo 10 >$zone/audit/interval_ms
swapped_all() { [ $(($(swapped) - before)) -gt "$pages" ]; }
wait=${2:-60}
check "pages are swapped out" wait_for "$wait" swapped_all
check "they are sampled" wait_for "$wait" at_least "$dir/sampled_writes" "$pages"
check "they are moved to one node" wait_for "$wait" at_least "$dir/hot_moved_pages" 100
check "and to the other" wait_for "$wait" at_least "$dir/idle_moved_pages" 100
note "swapped $(($(swapped) - before)), writes $(cat "$dir/sampled_writes"), hot $(cat "$dir/hot_moved_pages"), idle $(cat "$dir/idle_moved_pages"), rounds $(cat $zone/audit/rounds)"
kill -TERM $pid
wait $pid
status=$?
note "$(tail -n 1 /tmp/out)"
check_data "no byte has changed" [ $status = 0 ]
check "unload" rmmod vipzone memsuite
swapoff /dev/zram0
done_testing
