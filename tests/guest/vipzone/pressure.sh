#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Steered programs and too little memory: what they have is charged to their
# cgroup, once; its limits hold for them; swap keeps their contents; and when the
# machine has none left, pools give back what they hold before anybody is killed.
#
#   pressure.sh PAGES NODE: the second of two nodes begins at NODE, in MiB
#
# kernels: newest; soak: all
# options: --allow-oom --numa 192M,cpus=0-1 --numa 96M
# arguments: 2048 192
. "$(dirname "$0")/ktap.sh"
pages=${1:-2048}
node=$((${2:-256} << 20))
part=$((node + (32 << 20)))
part_end=$((node + (80 << 20)))
. "$(dirname "$0")/tenant.sh"
bytes=$((pages * 4096))

modprobe vipzone || exit 1
modprobe zram || exit 1
echo 128M >/sys/block/zram0/disksize
mkswap /dev/zram0 >/dev/null || exit 1
echo "part $part-$part_end" >$suite/regions/add || exit 1
echo 1 >$zone/enabled || exit 1
new_group home && new_group small && new_group flat || exit 1

is_charged_nothing() { is_charged home 0 && [ "$(group home memory.current)" -lt 1048576 ]; }

charges() { # pool or node
	steer "$1"
	moves_in home "$pages"
	ask fill
	check "$1: pages are where they ought to be" is_placed
	note "$said"
	check "$1: they are charged once" wait_for 5 is_charged_once home
	note "charged $(stat_of home memory.stat anon), has $(anon_of $pid), of which $bytes its contents"
	check "$1: the cgroup has little else" [ "$(group home memory.current)" -lt $((bytes + (4 << 20))) ]
	ask drop
	check "$1: what is given back is not charged" wait_for 5 is_charged_once home
	moves_out
	check "$1: nothing is charged when it has gone" wait_for 20 is_charged_nothing
}

# Twice what the cgroup may have.
limits() {
	echo $((bytes / 2)) >$cgroups/small/memory.max
	before=$(stat_of small memory.events oom_kill)
	echo fill | enter small "$policy" "$here/tenant" "$pages" 0 0
	status=$?
	check "$kind: who wants more than memory.max is killed" [ $status = 137 ]
	check "$kind: by its own cgroup" [ "$(stat_of small memory.events oom_kill)" -gt "$before" ]
	[ ! -e $cgroups/small/memory.peak ] ||
		check "$kind: and has never had more" [ "$(group small memory.peak)" -le $((bytes / 2)) ]
	check "$kind: which is charged for no more" wait_for 20 is_charged small 0
	echo max >$cgroups/small/memory.max
}

throttles() {
	swapon /dev/zram0 || return 1
	echo $((bytes / 2)) >$cgroups/home/memory.high
	moves_in home "$pages"
	ask fill
	note "memory.high $((bytes / 2)): $(group home memory.current), high $(stat_of home memory.events high)"
	check "$kind: memory.high is kept to" [ "$(group home memory.current)" -lt $((bytes * 5 / 8)) ]
	check "$kind: by swapping" [ "$(swapped)" -gt 400 ]
	check_data "$kind: contents come back" answers check same
	echo max >$cgroups/home/memory.high
	moves_out
}

# All of it goes out and comes in, by page faults and at last by swapoff.
swaps() {
	moves_in home "$pages"
	lost=
	for round in 1 2 3; do
		ask fill && ask pageout
		[ "$(swapped)" -ge 950 ] || lost="$lost out:$said"
		answers check same || lost="$lost $round:$said"
	done
	note "in again: $(placed) of 1000 are where they ought to be"
	check_data "$kind: contents are swapped out and in" [ -z "$lost" ]
	dir=$(policy_dir $pid)
	note "placed $(cat "$dir/mmap_pages"), of which $(cat "$dir/swapped_in_pages") from swap"
	check "$kind: which is counted apart" at_least "$dir/swapped_in_pages" $((pages * 5 / 2))
	check "$kind: from first touches" [ $(($(cat "$dir/mmap_pages") - $(cat "$dir/swapped_in_pages"))) -lt $((pages * 5 / 4)) ]
	ask pageout
	check "$kind: swapoff" swapoff /dev/zram0
	check_data "$kind: brings them back" answers check same
	check "$kind: they are charged once" wait_for 5 is_charged_once home
	moves_out
	check "$kind: nothing is charged when it has gone" wait_for 20 is_charged_nothing
}

# Of two neighbours, one wants more than there is: it has to go, the other not.
# The pool is the other's.
echo 1 >/proc/sys/vm/overcommit_memory
all=$(($(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo) / 4))
kills() { dmesg | grep -c "Out of memory: Killed process"; }
# Pages that have come to pools, less those that were handed out.
come() {
	for region in $suite/regions/*/; do
		[ ! -e "$region/pool_filled_pages" ] ||
			echo $(($(cat "$region/pool_filled_pages") + $(cat "$region/pool_bare_pages") - $(cat "$region/pool_handed_pages")))
	done | awk '{ n += $1 } END { print n + 0 }'
}
is_held() { # half of what the pool is for, or more; kswapd may still take it back
	had=$(cat $suite/pages/held_pages) come=$(come)
	[ "$had" -ge $((held / 2)) ]
}
starves() { # POLICY of the one
	moves_in home "$pages"
	ask fill
	wait_for 20 is_held || return 1
	before=$(kills)
	echo fill | enter flat "$1" "$here/tenant" "$all" 0 0
	status=$?
	left=$(cat $suite/pages/held_pages)
	# Given back, though the pool may have been filled anew since.
	back=$((had - left + $(come) - come))
	note "killed with status $status; pages held before $had, after $left, given back $back; $(($(kills) - before)) killed"
	most=$((had / 8 + 300))
	[ $status = 137 ] && [ $(($(kills) - before)) = 1 ] &&
		{ [ "$left" -lt $most ] || [ $((had - back)) -lt $most ]; } && answers check same
	well=$?
	moves_out
	wait_for 20 equals $suite/pages/held_pages 0 || well=1
	return $well
}
out_of_memory() {
	held=4096
	echo $((held * 4)) >$suite/regions/part/pool_kib
	check "$kind: none but the one is killed" starves "$policy"
	free_before=$(free_kib)
	check "$kind: again" starves "$policy"
	check "$kind: also if it is not steered" starves ""
	check "$kind: and again" starves "$policy"
	free_after=$(free_kib)
	note "free before $free_before KiB, after $free_after KiB"
	check "$kind: no page is lost" [ $((free_before - free_after)) -lt $((free_before / 400 + 1024)) ]
}

for kind in pool node; do
	charges $kind
	limits
	throttles
	swaps
	out_of_memory
done
# Without a pool each CPU takes a large block for the first page; with swap nobody is killed.
echo 0 >$suite/regions/part/pool_kib
swapon /dev/zram0 || exit 1
for cpu in 0 1; do
	(enter home region:part taskset $((1 << cpu)) "$here/touch" 1) >/dev/null
done
had=$(cat $suite/pages/held_pages)
echo 0 >/proc/sys/vm/overcommit_memory
before=$(kills)
("$here/touch" $((all + 4096)) --until /tmp/end) >/tmp/out &
pid=$!
check "what CPUs keep at hand is given back before anybody is killed" wait_within 20 sh -c \
	"[ \$(cat $suite/pages/held_pages) -lt $((had / 4)) ]"
note "held $had, and then $(cat $suite/pages/held_pages); available $(awk '/^MemAvailable/ { print $2 }' /proc/meminfo) KiB; swapped $(awk '/^pswpout/ { print $2 }' /proc/vmstat)"
check "nobody is" [ "$(kills)" = "$before" ]
: >/tmp/end
wait $pid
check "unload" rmmod vipzone memsuite
done_testing
