# SPDX-License-Identifier: GPL-2.0-only
# A program that holds memory under a policy and is told what to do with it, see
# tenant.c. Source it after ktap.sh. The last node lies from $node to the end, and
# the region "part" in it, from $part to $part_end.
# shellcheck shell=sh disable=SC2034,SC2154

zone=$suite/vipzone
cgroups=/sys/fs/cgroup

mkfifo /tmp/asked /tmp/said && exec 3<>/tmp/asked 4<>/tmp/said || exit 1
grep -q " $cgroups " /proc/mounts || mount -t cgroup2 none $cgroups || exit 1
echo "+memory +cpuset" >$cgroups/cgroup.subtree_control || exit 1
[ ! -e /proc/sys/kernel/numa_balancing ] || echo 0 >/proc/sys/kernel/numa_balancing

# steer pool|node: sets the policy of those that are started from now on.
steer() {
	kind=$1
	case $kind in
	pool) policy=region:part from=$part to=$part_end ;;
	node) policy=region:node1 from=$node to=$((1 << 40)) ;;
	esac
}

# enter GROUP POLICY COMMAND...: in the place of this shell, and under the policy from
# its first page on. No policy of its own: "".
enter() {
	group=$1
	own=$2
	shift 2
	exec sh -c 'echo $$ >"$0/cgroup.procs" || exit 125
		    [ -z "$2" ] || echo "$$ $2" >"$1" || exit 125
		    shift 2 && exec "$@"' "$cgroups/$group" $zone/add "$own" "$@"
}
# moves_in GROUP PAGES [POLICY]: sets pid.
moves_in() {
	enter "$1" "${3-$policy}" "$here/tenant" "$2" "$from" "$to" <&3 >&4 3<&- 4<&- &
	pid=$!
}
ask() { # COMMAND: the tenant's answer is in said
	said=
	# shellcheck disable=SC3045	# busybox has it
	kill -0 $pid && echo "$1" >&3 &&
		read -t 60 -r said <&4
}
answers() { # COMMAND ANSWER
	ask "$1" && [ "$said" = "$2" ]
}
moves_out() {
	kill $pid
	wait $pid 2>/dev/null
	:
}
# Parts in a thousand of its pages that are where they ought to be, and in swap.
placed() { ask where; echo "$said" | awk '{ print int($4 * 1000 / $2) }'; }
swapped() { ask where; echo "$said" | awk '{ print int($6 * 1000 / $2) }'; }
is_placed() { [ "$(placed)" -ge 999 ]; }

new_group() { mkdir "$cgroups/$1"; }
group() { cat "$cgroups/$1/$2"; } # GROUP FILE
stat_of() { awk -v key="$3" '$1 == key { print $2 }' "$cgroups/$1/$2"; } # GROUP FILE KEY
anon_of() { awk '$1 == "Anonymous:" { print $2 * 1024 }' "/proc/$1/smaps_rollup"; } # PID
# On 5.10, each of the two CPUs may owe 32 pages to the statistics of a cgroup.
case $(uname -r) in
5.10.*) owed=$((64 * 4096)) ;;
*) owed=0 ;;
esac
is_charged() { # GROUP BYTES
	charged=$(($(stat_of "$1" memory.stat anon) - $2))
	[ $charged -le $owed ] && [ $charged -ge -$owed ]
}
is_charged_once() { is_charged "$1" "$(anon_of $pid)"; } # GROUP
policy_dir() { grep -lx "$1" $zone/policies/*/who | sed 's,/who,,'; } # WHO
