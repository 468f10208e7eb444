#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# mrc in mode paper, of a program that moves its memory all the time: no page stays
# protected once the mode is left, although entries are moved from where they were
# not yet looked for to where they were. It takes two CPUs at once. KTAP.
#
# kernels: none; soak: all
# options: --parallel
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/tracked.sh"

out=/tmp/shield
pages=2000
protected() { [ "$(stat_of protected_pages)" -ge $((pages / 4)) ]; }
bare() { [ "$(stat_of protected_pages)" = 0 ]; }
answers() { [ "$(grep -c parent $out)" -gt "$before" ]; }
quiet() { # a touch of all pages takes no NUMA hint fault, and finds what was written
	before=$(grep -c parent $out)
	kill -USR2 "$pid"
	wait_for 30 answers || return 1
	answer=$(tail -n 1 $out)
	note "$answer"
	[ "$answer" = "parent bad 0 faults 0" ]
}

echo 1 >$control/enabled
"$here/shield" $pages 600 wander >$out &
pid=$!
wait_for 30 grep -q ready $out
echo $pid >$control/add
for i in 1 2 3 4 5 6 7 8; do
	echo paper >$control/mode
	check "protected, $i" wait_for 120 protected
	echo ladder >$control/mode
	wait_for 60 bare
	check "and no more, $i" quiet
done
echo paper >$control/mode
check "protected" wait_for 120 protected
check "unload while protected" rmmod mrc
check "none faults when unloaded" quiet
kill $pid
done_testing
