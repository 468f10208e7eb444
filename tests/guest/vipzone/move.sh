#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Moving: the anonymous pages that a running program already has come into its
# region, and no byte of them changes meanwhile. Boot with two nodes of 512 MiB;
# all processors belong to the first, where programs get their memory.
#
#   move.sh [PAGES]
#
# boot: shared
# kernels: oldest newest; soak: all
# options: --numa 512M,cpus=0-1 --numa 512M
# arguments: 8192; debug: 2048
. "$(dirname "$0")/ktap.sh"
pages=${1:-16384}
far="0x28000000 0x38000000"

modprobe vipzone || exit 1
# It would bring the pages back to the processors.
[ ! -e /proc/sys/kernel/numa_balancing ] || echo 0 >/proc/sys/kernel/numa_balancing
echo "near 128M-448M" >$suite/regions/add || exit 1
echo "far 640M-896M" >$suite/regions/add || exit 1
# Small pools: their pages are not what is moved to.
echo 1024 >$suite/regions/near/pool_kib
echo 1024 >$suite/regions/far/pool_kib

keep() { # keep OPTIONS...: starts the program, sets pid
	rm -f /tmp/out # what the last one said
	"$here/keep" "$pages" "$@" >/tmp/out &
	pid=$!
	wait_for 100 grep -q ready /tmp/out
}
ask() { # sets what it says of its pages
	lines=$(wc -l </tmp/out)
	kill -USR1 $pid
	wait_for 60 sh -c "[ \$(wc -l </tmp/out) -gt $lines ]"
	said=$(tail -n 1 /tmp/out)
	note "$said"
}
value() { # value NAME: behind that word
	echo "$said" | sed "s/.*$1 \([0-9]*\).*/\1/"
}
inside() { # inside PERCENT: so many of its pages lie in the range
	ask
	[ $(($(value in) * 100)) -ge $(($(value pages) * $1)) ]
}
outside() {
	ask
	[ "$(value in)" -lt $((pages / 2)) ]
}
# It goes on, checks all it has twice, and found no page changed.
unchanged() {
	ask
	ktap_round=$(($(value rounds) + 2))
	until [ "$(value rounds)" -ge $ktap_round ]; do
		sleep 0.5
		ask
	done >/dev/null
	note "$said"
	[ "$(value errors)" = 0 ]
}
ends_well() {
	kill -TERM $pid
	wait $pid
}
column() { # column NAME: a file of its policy
	cat "$(grep -lx $pid $suite/vipzone/policies/*/who | sed 's,/who,,')/$1"
}
huge_kib() { awk '/^AnonHugePages/ { sum += $2 } END { print sum }' /proc/$pid/smaps; }
move() { echo $pid >$suite/vipzone/move; }
large_blocks() { awk '/^Node 1/ { n += $NF } END { print n }' /proc/buddyinfo; }
steer() { echo "$pid region:$1" >$suite/vipzone/add; }

# shellcheck disable=SC2086
keep --range $far
check "not steered: refused" sh -c "! echo $pid 2>/dev/null >$suite/vipzone/move"
check "before: elsewhere" outside
steer far
check "steering moves nothing" outside
large_blocks=$(large_blocks)
check "move" move
note "$((large_blocks - $(large_blocks))) of $large_blocks large blocks were broken up"
# They are of 4 MiB.
check "no more than it needs" [ $((large_blocks - $(large_blocks))) -le $((pages / 1024 + 16)) ]
check "at least 99% in the region" inside 99
note "moved $(column moved_pages), busy $(column unmoved_busy_pages), shared $(column unmoved_shared_pages), full $(column unmoved_full_pages)"
check "they are counted" [ "$(column moved_pages)" -ge $((pages * 99 / 100)) ]
check_data "contents unchanged while it writes" unchanged
check "move again: nothing left to do" move
check "still there" inside 99
check_data "it ends well" ends_well

# shellcheck disable=SC2086
keep --range $far --huge
huge_before=$(huge_kib)
steer far
check "huge pages: move" move
check "huge pages: at least 99% in the region" inside 99
note "huge before $huge_before KiB, after $(huge_kib) KiB"
check "huge pages: stay huge" [ "$huge_before" -gt 0 -a "$(huge_kib)" = "$huge_before" ]
check_data "huge pages: contents unchanged" unchanged
check_data "huge pages: it ends well" ends_well

keep --range 0x20000000 0x40000000 --huge
huge_before=$(huge_kib)
steer node1
check "a node: move" move
check "a node: at least 99% in the region" inside 99
note "huge before $huge_before KiB, after $(huge_kib) KiB"
check "a node: huge pages stay huge" [ "$(huge_kib)" = "$huge_before" ]
check_data "a node: contents unchanged" unchanged
check_data "a node: it ends well" ends_well

# With memdiag on, contents go to tested pages only, however far its sweep is.
modprobe memdiag || exit 1
mount -t debugfs none /sys/kernel/debug 2>/dev/null
memdiag=$suite/memdiag
echo 1 >$memdiag/control/bandwidth_mib_s
echo mats++ >$memdiag/algorithm
tested_moves() { # REGION START END [OPTION]
	kind="$1 $4"
	# shellcheck disable=SC2086
	keep --range "$2" "$3" --ages $debug/memdiag/ages $4
	echo 1 >$memdiag/enabled
	ask
	check "tested $kind: before, nothing is" [ "$(value untested)" -ge $((pages * 9 / 10)) ]
	# They look bad, one in each 16 MiB: wherever pages are taken, there is one.
	for address in $([ -n "$4" ] || seq $(($2 + 16)) $((16 << 20)) $(($3 - 1))); do
		echo "$(printf 0x%x "$address"):3:sa1" >$memdiag/inject/add
	done
	steer "$1"
	check "tested $kind: move" move
	check "tested $kind: in the region" inside 99
	check "tested $kind: all are tested" [ "$(value untested)" -le $((pages / 100)) ]
	[ -n "$4" ] || check "tested: a bad one is retired" wait_for 20 at_least $suite/pages/retired_pages 1
	check_data "tested $kind: contents unchanged" unchanged
	check_data "tested $kind: it ends well" ends_well
	echo 1 >$memdiag/inject/clear
	echo 0 >$memdiag/enabled
}
# shellcheck disable=SC2086
tested_moves far $far
# shellcheck disable=SC2086
tested_moves far $far --huge
tested_moves node1 0x20000000 0x40000000 --huge
rmmod memdiag

# Forks, execs, unmaps and exits while being moved back and forth.
# shellcheck disable=SC2086
keep --range $far --churn
to=near
moves=0
while [ $moves -lt 10 ]; do
	echo $pid >$suite/vipzone/remove
	steer $to || break
	move || break
	case $to in near) to=far ;; far) to=near ;; esac
	moves=$((moves + 1))
done 2>/dev/null
check "moved back and forth while it churns" [ $moves = 10 ]
note "moved $(cat $suite/vipzone/moved_pages), shared $(cat $suite/vipzone/unmoved_shared_pages)"
check_data "churning: contents unchanged" unchanged
# It is killed in the middle of a move, and the module goes.
(while move; do :; done) 2>/dev/null &
mover=$!
sleep 0.2
kill -KILL $pid
wait $pid 2>/dev/null
wait $mover
check "nothing is held" wait_for 10 equals $suite/pages/held_pages 0

# Nor does a move keep the memory of who is killed: it would take a minute.
# shellcheck disable=SC2086
keep --range $far
echo $pid >$suite/vipzone/remove 2>/dev/null
steer near
modprobe slowtest name=memsuite_walk_batch ms=500 || exit 1
"$here/poke" $suite/vipzone/move literal:$pid >/tmp/moved &
mover=$!
sleep 3
anonymous() { awk '/^AnonPages/ { print int($2 / 4) }' /proc/meminfo; }
is_freed() { [ "$(anonymous)" -le $((before - pages / 2)) ]; }
before=$(anonymous)
kill -KILL $pid
wait $pid 2>/dev/null
check "who is killed amid a move has its memory freed" wait_within 10 is_freed
check "and the move ends" wait_within 10 test -s /tmp/moved
check "as it says" grep -qx ESRCH /tmp/moved
rmmod slowtest
wait $mover

# shellcheck disable=SC2086
keep --range $far
steer far
move &
mover=$!
check "unload while moving" rmmod vipzone memsuite
wait $mover
check_data "contents survive the unload" unchanged
check_data "it ends well" ends_well
done_testing
