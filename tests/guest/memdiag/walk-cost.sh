#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The mover looks where tests expire: a walk in which nothing does costs next to nothing, and
# memory that a program gets untested is found all the same. Coverage is counted once for all files.
#
# The debug kernel does not tell how long threads have run.
#
# kernels: none; soak: stock
# options: --mem 512M --icount --append "movablecore=256M nokaslr"
. "$(dirname "$0")/ktap.sh"
memdiag=$suite/memdiag

mover_ns() { threads_ns memdiag_move; }
next_walk() { # until one more has ended
	walks=$(cat $memdiag/moves/walks)
	wait_for 60 at_least $memdiag/moves/walks $((walks + 1))
}
walk_ns() { # sets what the next walks took, one of them
	before=$(mover_ns)
	walks=$(cat $memdiag/moves/walks)
	wait_for 60 at_least $memdiag/moves/walks $((walks + $1))
	cost=$((($(mover_ns) - before) / $1))
}

modprobe memdiag || exit 1
echo 3600 >$memdiag/test_lifetime_s
echo mats++ >$memdiag/algorithm
echo 1 >$memdiag/control/max_fidelity
check "enable" sh -c "echo 1 >$memdiag/enabled"
check "a sweep" wait_for 120 at_least $memdiag/passes 1
echo 1000 >$memdiag/move_interval_ms
walk_ns 1
first=$cost
note "the first walk took $first ns"
# What was busy is tried again after one walk, two, four, until it waits for long.
for i in 1 2 3 4 5 6; do
	next_walk
done
walk_ns 4
note "one with nothing due $cost ns"
check "a walk with nothing due takes a hundredth" [ $((cost * 100)) -le "$first" ]
# Of memory that goes and comes, no test is remembered: all of it is looked at.
for block in /sys/devices/system/memory/memory[0-9]*; do
	grep -q '^Movable' "$block/valid_zones" && echo offline 2>/dev/null >"$block/state" && break
done
check "memory goes offline" equals "$block/state" offline
next_walk
before=$(mover_ns)
check "and comes online" sh -c "echo online_movable >$block/state"
next_walk
next_walk
cost=$(($(mover_ns) - before))
note "two walks after that $cost ns"
check "it is looked at" [ $((cost * 20)) -ge "$first" ]
moved=$(cat $memdiag/moves/moved_pages)
# A shorter lifetime: what is older now is due at once.
echo 8 >$memdiag/test_lifetime_s
check "a new lifetime is minded at once" wait_for 30 at_least $memdiag/moves/moved_pages $((moved + 100))
check "coverage is as young as it is small" [ "$(cat $memdiag/coverage/counted_age_s)" -le 2 ]
echo 0 >$memdiag/enabled
check "what was counted before is forgotten" equals $memdiag/coverage/free_tested_pages 0
check "unload" rmmod memdiag memsuite
done_testing
