#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What an epoch of mrc's mode paper costs for a program of 16 MiB and for one of 1 GiB
# that loop over all of it: a page of the large one takes no more than a few times as long,
# as caches have it, and not as many times as there are groups above it. KTAP.
#
# Time is that of instructions.
#
# case: mrc-paper-size
# kernels: none; soak: newest
# options: --icount --smp 1 --mem 2G
# timeout: 900
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/tracked.sh"

out=/tmp/paper-size

# epochs_of PAGES: what an epoch takes in us, when all pages have been touched and scanned: $epoch_us.
epochs_of() {
	: >$out
	"$here/loop" --rest 5 "$1" 600 >$out &
	pid=$!
	wait_for 300 grep -q ready $out || return 1
	echo $pid >$control/add
	wait_for 120 stat_least ladders 3 || return 1
	wait_for 120 stat_least scan_pages "$1" || return 1
	cpu=$(stat_of cpu_ns) epochs=$(stat_of epochs) ladders=$(stat_of ladders)
	wait_for 120 stat_least ladders $((ladders + 3)) || return 1
	epoch_us=$((($(stat_of cpu_ns) - cpu) / 1000 / ($(stat_of epochs) - epochs)))
	note "$1 pages: an epoch takes $epoch_us us, one in $(stat_of floor_us) us, $(stat_of scan_pages) pages scanned"
	kill "$pid"
	wait "$pid" 2>/dev/null
	wait_for 10 test ! -e "$debug/mrc/$pid"
}

set_to mode paper
echo 1 >$control/enabled
check "16 MiB are tracked" epochs_of 4096
small=$epoch_us
check "1 GiB is tracked" epochs_of 262144
check "64 times the pages take at most 256 times the time" [ "$epoch_us" -le $((small * 256)) ]
check "and an epoch of 1 GiB at most a second" [ "$epoch_us" -le 1000000 ]
check "unload" rmmod mrc
done_testing
