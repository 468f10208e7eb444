#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What else the kernel does to the pages of steered programs: KSM merges them, khugepaged
# gathers them, memory goes offline, cpusets change, mlock() and fork() hold and share
# them. No byte changes, no cpuset is overridden, and all of it is counted.
#
#   residents.sh PAGES NODE: the second of two nodes begins at NODE, in MiB, and the
#   memory block of 128 MiB behind its first is movable
#
# kernels: newest; soak: all
# options: --append "nokaslr movablecore=440M" --numa 256M,cpus=0-1 --numa 384M
# arguments: 2048 256
. "$(dirname "$0")/ktap.sh"
pages=${1:-2048}
node=$((${2:-256} << 20))
part=$((node + (128 << 20)))
part_end=$((node + (256 << 20)))
. "$(dirname "$0")/tenant.sh"

modprobe vipzone || exit 1
echo "part $part-$part_end" >$suite/regions/add || exit 1
slim_end=$((part + pages * 4096 * 3 / 2))
echo "slim $part-$slim_end" >$suite/regions/add || exit 1
echo 1 >$zone/enabled || exit 1
new_group home && new_group flat || exit 1

# What khugepaged's processor has freed lately is had a second later only.
is_filled_anew() { ask drop && ask fill && is_placed; }
is_astray() { [ "$(placed)" = 0 ]; }

ksm=/sys/kernel/mm/ksm
merged() { at_least $ksm/pages_sharing $((pages * 9 / 10)); }
merges() {
	echo 10000 >$ksm/pages_to_scan
	echo 10 >$ksm/sleep_millisecs
	moves_in home "$pages"
	ask alike && ask merge
	echo 1 >$ksm/run
	check "$kind: KSM merges pages" wait_for 30 merged
	note "sharing $(cat $ksm/pages_sharing), charged $(stat_of home memory.stat anon)"
	check "$kind: what is merged is charged once" [ "$(stat_of home memory.stat anon)" -lt $((pages * 1024)) ]
	check_data "$kind: contents are the same" answers check same
	ask fill
	check "$kind: written, they part to where they ought to be" is_placed
	note "$said"
	check_data "$kind: contents are what was written" answers check same
	ask alike
	wait_for 30 merged
	check "$kind: unmerged" answers unmerge "done"
	check_data "$kind: contents are the same" answers check same
	ask merge
	wait_for 30 merged
	moves_out
	echo 2 >$ksm/run
	check "$kind: nothing stays merged" wait_for 10 equals $ksm/pages_shared 0
	echo 0 >$ksm/run
}

khugepaged_runs() {
	echo always >$thp/enabled
	echo 4096 >$thp/khugepaged/pages_to_scan
	echo 10 >$thp/khugepaged/scan_sleep_millisecs
	echo 10 >$thp/khugepaged/alloc_sleep_millisecs
}
has_huge() { grep -q "AnonHuge.*[1-9]" /proc/$pid/smaps_rollup; }
is_small() { ! has_huge; }

# From a process with a policy of its own khugepaged is kept away.
leaves_alone() {
	khugepaged_runs
	moves_in home "$pages"
	ask small && ask drop && ask fill && ask huge
	sleep 3
	check "$kind: khugepaged does not gather pages under a process's policy" is_placed
	check "$kind: which are small" is_small
	echo $pid >$zone/remove
	ask small && ask huge
	check "$kind: it does when there is none" wait_for 30 has_huge
	check_data "$kind: contents are the same" answers check same
	khugepaged_rests
	moves_out
}

# Under a cgroup's policy it is not. Most huge pages are elsewhere, if the region is small.
gathers() {
	khugepaged_runs
	[ $kind = node ] || policy=region:slim to=$slim_end
	wait_for 20 equals $suite/pages/held_pages 0
	echo "cgroup:/flat $policy" >$zone/add || exit 1
	dir=$(policy_dir cgroup:/flat)
	moves_in flat "$pages" ""
	check "$kind: under a cgroup's policy, pages are where they ought to be" wait_for 5 is_filled_anew
	ask huge
	check "$kind: khugepaged gathers pages, which is counted apart" wait_for 30 at_least "$dir/collapsed_pages" 512
	khugepaged_rests
	ask small
	sleep 1
	note "collapsed $(cat "$dir/collapsed_pages"), $(placed) of 1000 are where they ought to be, $(grep AnonHuge /proc/$pid/smaps_rollup)"
	check "$kind: they are charged once" wait_for 5 is_charged_once flat
	echo 65536 >$zone/audit/quota_kib_s
	echo 100 >$zone/audit/interval_ms
	check "$kind: the audit brings them back" wait_for 20 is_placed
	note "astray, huge: $(cat "$dir/astray_huge_pages"), repaired $(cat "$dir/repaired_pages")"
	echo 0 >$zone/audit/interval_ms
	check_data "$kind: contents are the same" answers check same
	ask huge
	check "$kind: pages are where they ought to be, huge or not" wait_for 5 is_filled_anew
	check "$kind: they are charged once" wait_for 5 is_charged_once flat
	note "$(grep AnonHuge /proc/$pid/smaps_rollup), refused $(cat "$dir/fallback_huge")"
	[ $kind = pool ] || check "node: huge pages are had" has_huge
	moves_out
	echo cgroup:/flat >$zone/remove
	steer $kind
}

excludes() {
	mems=$cgroups/home/cpuset.mems
	echo 0-1 >$mems
	moves_in home "$pages"
	ask fill
	check "$kind: a cpuset that has the region" is_placed
	dir=$(policy_dir $pid)
	echo 0 >$mems
	case $(uname -r) in
	5.10.*) note "5.10 moves no pages for a cpuset of version 2" ;;
	*) check "$kind: one that has not gets the pages" wait_for 10 is_astray ;;
	esac
	check_data "$kind: and the contents" answers check same
	ask drop && ask fill
	check "$kind: it gets new ones, too" is_astray
	note "$said, fallback_cpuset $(cat "$dir/fallback_cpuset")"
	check "$kind: which are counted" at_least "$dir/fallback_cpuset" "$pages"
	echo 65536 >$zone/audit/quota_kib_s
	echo 100 >$zone/audit/interval_ms
	check "$kind: the audit leaves them, and counts them" wait_for 10 at_least "$dir/unmoved_cpuset_pages" "$pages"
	check "$kind: they are where the cpuset says" is_astray
	echo 0-1 >$mems
	check "$kind: when it has the region again, they come back" wait_for 20 is_placed
	echo 0 >$zone/audit/interval_ms
	check_data "$kind: contents are the same" answers check same
	moves_out
}

holds() {
	moves_in home "$pages" "$policy children"
	check "$kind: locked memory" answers lock "done"
	ask fill
	check "$kind: is where it ought to be" is_placed
	check "$kind: pages copied on write after fork" answers fork same
	check "$kind: are where they ought to be" is_placed
	note "$said"
	ask unlock
	check "$kind: not locked any more, too" answers fork same
	moves_out
}

# The block that the region is, under a program that writes to it all the time.
block=/sys/devices/system/memory/memory$((part >> 27))
goes_offline() {
	steer pool
	moves_in home "$pages"
	ask fill
	"$here/keep" "$pages" >/tmp/out &
	keeper=$!
	echo "$keeper region:part" >$zone/add
	check "memory goes offline under programs" sh -c "echo offline >$block/state"
	check "the region has none" equals $suite/regions/part/total_pages 0
	check_data "programs have their contents" answers check same
	check "which lie elsewhere" is_astray
	ask drop && ask fill
	check "new ones, too" is_astray
	check "memory comes back" sh -c "echo online_movable >$block/state"
	echo 65536 >$zone/audit/quota_kib_s
	echo 100 >$zone/audit/interval_ms
	check "so do pages, by the audit" wait_for 20 is_placed
	echo 0 >$zone/audit/interval_ms
	check_data "contents are the same" answers check same
	kill -TERM $keeper
	check_data "also those that were written all the time" wait $keeper
	moves_out
}

# A region on both nodes, of which a cpuset has one.
spans() {
	kind=both policy=region:wide from=$node to=$((1 << 40))
	wide=$((node - (64 << 20))) wide_end=$((part + (64 << 20)))
	echo "wide $wide-$wide_end" >$suite/regions/add || exit 1
	echo 0 >$mems
	moves_in home "$pages"
	ask fill
	check "both: a cpuset of the first node gets no page of the second" is_astray
	check "both: which are counted" at_least "$(policy_dir $pid)/fallback_cpuset" "$pages"
	echo 0-1 >$mems
	moves_out
	from=$wide to=$wide_end
	moves_in home "$pages"
	ask fill
	check "both: one of both gets pages of the region" is_placed
	moves_out
}

for kind in pool node; do
	steer $kind
	merges
	[ $kind = node ] || leaves_alone
	gathers
	excludes
	holds
done
spans
goes_offline
check "pools are empty when all have gone" wait_for 20 equals $suite/pages/held_pages 0
check "unload" rmmod vipzone memsuite
done_testing
