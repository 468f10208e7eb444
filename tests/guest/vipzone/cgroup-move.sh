#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Who enters a cgroup whose policy has "move": the pages that it has come into the region, in the
# background and within the quota, once for all of its threads; what others map stays. The policy
# may go meanwhile, the process, or the module. Boot with two nodes of 512 MiB; all processors
# belong to the first, where programs get their memory.
#
#   cgroup-move.sh [PAGES]
#
# kernels: newest; soak: all
# options: --numa 512M,cpus=0-1 --numa 512M
# arguments: 8192; debug: 2048
. "$(dirname "$0")/ktap.sh"
pages=${1:-8192}
far="0x28000000 0x38000000"
zone=$suite/vipzone
tree=/tmp/tree

modprobe vipzone || exit 1
# It would bring the pages back to the processors.
[ ! -e /proc/sys/kernel/numa_balancing ] || echo 0 >/proc/sys/kernel/numa_balancing
echo "far 640M-896M" >$suite/regions/add || exit 1
echo 1024 >$suite/regions/far/pool_kib
mkdir $tree && mount -t cgroup2 none $tree || exit 1
mkdir -p $tree/in/a $tree/in/b $tree/out/t

start() { # PROGRAM ARGUMENT...: sets pid
	rm -f /tmp/out
	"$@" >/tmp/out &
	pid=$!
	wait_for 100 grep -q ready /tmp/out
}
# shellcheck disable=SC2086
keep() { start "$here/keep" "$pages" --range $far "$@"; }
# shellcheck disable=SC2086
crowd() { start "$here/crowd" "$pages" "$1" $far; }
ask() { # sets what it says of its pages
	lines=$(wc -l </tmp/out)
	kill -USR1 $pid
	wait_for 60 sh -c "[ \$(wc -l </tmp/out) -gt $lines ]"
	said=$(tail -n 1 /tmp/out)
}
value() { echo "$said" | sed "s/.*$1 \([0-9]*\).*/\1/"; } # NAME: behind that word
inside() { # of what keep has
	ask
	[ $(($(value in) * 100)) -ge $((pages * 99)) ]
}
outside() {
	ask
	[ "$(value in)" -le $((pages / 10)) ]
}
unchanged() { # it has checked all it has twice
	ask
	until=$(($(value rounds) + 2))
	until [ "$(value rounds)" -ge $until ]; do
		sleep 0.5
		ask
	done
	note "$said"
	[ "$(value errors)" = 0 ]
}
ends_well() {
	kill -TERM $pid
	wait $pid
}
enters() { echo "${2:-$pid}" >$tree/"$1"/cgroup.procs; } # CGROUP [PID]
policy() { echo "cgroup:/in region:far $*" >$zone/add; } # OPTION...
count() { cat $zone/"$1"; }
column() { # FILE: of the policy of the cgroup
	cat "$(grep -lx cgroup:/in $zone/policies/*/who | sed 's,/who,,')/$1"
}
nobody_waits() { equals $zone/waiting_entrants 0; }
is_over() { wait_for 100 nobody_waits; }
has_moved() { is_over && equals $zone/moved_entrants "$1"; } # PROCESSES
kworkers_ticks() { # CPU time; the suite's is among it
	cat /proc/[0-9]*/stat 2>/dev/null | awk '$2 ~ /kworker/ { ticks += $14 + $15 } END { print ticks + 0 }'
}
answers() { # LINE ANSWER
	[ "$("$here/poke" $zone/add "literal:$1")" = "$2" ]
}

check "a process cannot have it" answers "$$ region:far move" EINVAL
check "nor the machine" answers "machine region:far move" EINVAL
check "nor a cgroup twice" answers "cgroup:/in region:far move move" EINVAL

policy
check "the policy has not" [ "$(column move)" = 0 ]
keep
enters in
sleep 2
check "without it, nothing moves" outside
check "and nobody waits" nobody_waits
policy move
check "the policy has it" [ "$(column move)" = 1 ]
check "who is there when it is set is moved" has_moved 1
check "at least 99% in the region" inside
check "they are counted" [ "$(column entered_moved_pages)" -ge $((pages * 99 / 100)) ]
note "moved $(column moved_pages), busy $(column unmoved_busy_pages), shared $(column unmoved_shared_pages), full $(column unmoved_full_pages)"
check_data "contents unchanged while it writes" unchanged
check_data "it ends well" ends_well

keep --huge
check "before: elsewhere" outside
enters in/a
check "who enters a cgroup below is moved" has_moved 2
check "huge pages, too" inside
enters in/b
enters in
sleep 1
check "within the cgroup of one policy it is not looked at again" has_moved 2
enters ""
enters in
check "but when it comes back" has_moved 3
check_data "contents unchanged" unchanged
check_data "it ends well" ends_well

# In the cgroup, under another policy.
keep
echo "$pid region:node0" >$zone/add
enters in
sleep 1
check "a policy of its own goes before" outside
check "it does not count as moved" has_moved 3
ends_well

crowd 0
enters in
wait_for 60 at_least $zone/retried_entrants 1
quota=$(cat $zone/audit/quota_kib_s)
echo 0 >$zone/audit/quota_kib_s
ticks=$(kworkers_ticks)
sleep 3
ticks=$(($(kworkers_ticks) - ticks))
note "$ticks ticks of kworkers in 3 s"
check "without quota, what is to be tried again costs nothing" [ $ticks -lt 75 ]
echo "$quota" >$zone/audit/quota_kib_s
kill -USR2 $pid
check "memory of several kinds" has_moved 4
ask
note "$said; retried $(count retried_entrants)"
check "its own is moved" [ "$(value own)" -ge $((pages * 99 / 100)) ]
check "shared memory stays" [ "$(value shared)" = 0 ]
check "what it had before it forked stays" [ "$(value forked)" = 0 ]
check "what was busy for a while is moved" [ "$(value held)" = 16 ]
kill $pid
wait $pid 2>/dev/null

# Each thread by itself: a cgroup of threads has no processes.
echo "cgroup:/out/t region:far move" >$zone/add
crowd 200
enters out
check "a cgroup of threads" sh -c "echo threaded >$tree/out/t/cgroup.type"
before=$(count moved_entrants)
for thread in /proc/$pid/task/*; do
	echo "${thread##*/}" >$tree/out/t/cgroup.threads || break
done
check "of 201 threads" [ "$(wc -l <$tree/out/t/cgroup.threads)" = 201 ]
wait_for 60 at_least $zone/moved_entrants $((before + 1))
check "one process is moved" has_moved $((before + 1))
ask
check "with what it has" [ "$(value own)" -ge $((pages * 99 / 100)) ]
kill $pid
wait $pid 2>/dev/null

# The quota.
keep
moved=$(count moved_pages)
echo 0 >$zone/audit/quota_kib_s
enters in
sleep 2
check "without quota it waits" equals $zone/waiting_entrants 1
check "nothing is moved" equals $zone/moved_pages "$moved"
began=$(uptime_ms)
echo $((pages)) >$zone/audit/quota_kib_s # of its KiB, a quarter a second
check "with some it is moved" is_over
took=$(($(uptime_ms) - began))
note "$pages pages took $took ms"
check "within the quota" [ $took -ge 1500 ]
check "all of it" inside
check_data "it ends well" ends_well

# What goes meanwhile.
waits() { # a process that is to be moved, and some of it is
	echo 0 >$zone/audit/quota_kib_s
	keep
	moved=$(count moved_pages)
	enters in
	echo 1024 >$zone/audit/quota_kib_s
	wait_for 60 at_least $zone/moved_pages $((moved + 1))
}
echo 0 >$zone/audit/quota_kib_s
keep
enters in
echo cgroup:/in >$zone/remove
echo 1048576 >$zone/audit/quota_kib_s
check "the policy is removed while it waits" is_over
check "nothing is moved" outside
policy move
check "with a policy again it is" is_over
check "all of it" inside
check_data "it ends well" ends_well

waits
echo cgroup:/in >$zone/remove
check "the policy is removed while it is moved" is_over
ask
check "the rest stays" [ "$(value in)" -lt $((pages * 9 / 10)) ]
check "the policy is gone" wait_for 10 sh -c "! grep -qx cgroup:/in $zone/policies/*/who"
check_data "contents unchanged" unchanged
check_data "it ends well" ends_well
policy move

waits
kill -KILL $pid
wait $pid 2>/dev/null
check "it is killed while it is moved" is_over
waits
enters ""
echo 1048576 >$zone/audit/quota_kib_s
check "it leaves while it is moved" is_over
check_data "it ends well" ends_well

# In and out, while it forks, execs and unmaps.
keep --churn
round=0
while [ $round -lt 20 ]; do
	round=$((round + 1))
	enters in/a && enters "" && enters in/b || break
done
check "in and out while it churns" [ $round = 20 ]
check "until it stays" is_over
check_data "churning: contents unchanged" unchanged
check_data "churning: it ends well" ends_well
# Processes that are gone before they are looked at.
i=0
while [ $((i += 1)) -le 300 ]; do
	sh -c 'echo $$ >"$0"/in/cgroup.procs' $tree
done
check "300 processes that end at once" is_over
check "none is lost" equals $zone/lost_entrants 0

# Shares by weight.
echo "cgroup:/in region:node0=1+far=1 move" >$zone/add
keep
enters in
check "regions share what is moved" is_over
ask
note "$said"
check "half of it" [ "$(value in)" -ge $((pages * 48 / 100)) -a "$(value in)" -le $((pages * 52 / 100)) ]
check_data "it ends well" ends_well
echo cgroup:/in >$zone/remove && echo cgroup:/out/t >$zone/remove
check "nothing is held" wait_for 10 equals $suite/pages/held_pages 0

policy move
waits
check "unload while moving" rmmod vipzone memsuite
check_data "contents survive the unload" unchanged
check_data "it ends well" ends_well
done_testing
