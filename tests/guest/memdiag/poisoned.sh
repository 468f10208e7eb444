#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The machine finds a page bad in the midst of a block that is under test: it goes out of use when the block is given back,
# and the others do not.
#
# kernels: oldest newest; soak: all
# options: --mem 512M
. "$(dirname "$0")/ktap.sh"
memdiag=$suite/memdiag
hard=/sys/devices/system/memory/hard_offline_page
free=10 poisoned=19 held=23
# The frame in the middle of the first 17 in a row that the suite holds.
held_frame() {
	frame=$(od -An -v -tu8 -w8 /proc/kpageflags 2>/dev/null |
		awk '{ run = int($1 / 8388608) % 2 ? run + 1 : 0 } run == 17 { print NR - 9; exit }')
	[ -n "$frame" ]
}
# A busy machine may get there when that test is over: the next one, then.
poison_under_test() {
	wait_for 60 held_frame || return
	printf 0x%x $((frame * 4096)) >$hard 2>/dev/null
	[ "$(flag "$frame" $held)" = 1 ]
}
neighbours() { # BIT: how many of 8 on either side have it
	n=0
	for near in $(seq $((frame - 8)) $((frame + 8))); do n=$((n + $(flag $near $1))); done
	echo $n
}

modprobe memdiag
echo fixed >$memdiag/control/policy
echo 1 >$memdiag/control/fixed_threads
echo 1 >$memdiag/control/fixed_fidelity
# These tests are shorter, or go on for each of many small parts.
echo 0 >$memdiag/address_bits/period_s
echo 0 >$memdiag/ahead/enabled
check "a march that takes seconds" sh -c "echo '{c(w0);del1000;del1000;c(r0)}' >$memdiag/algorithm"
for round in 1 2 3; do
	echo 1 >$memdiag/enabled
	check "round $round: a page of a block under test is marked" wait_for 60 poison_under_test
	check "it is bad" [ "$(flag "$frame" $poisoned)" = 1 ]
	echo 0 >$memdiag/enabled
	check "the block is given back" wait_for 30 equals $suite/pages/held_pages 0
	check "the bad page is not among what is free" [ "$(flag "$frame" $free)" = 0 ]
	check "it is bad still" [ "$(flag "$frame" $poisoned)" = 1 ]
	note "$(neighbours $free) free, $(neighbours $poisoned) bad"
	check "those around it are not" [ "$(neighbours $poisoned)" = 1 -a "$(neighbours $held)" = 0 ]
done
check "unload" rmmod memdiag memsuite
done_testing
