#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# huge.sh ADDRESS: with memdiag enabled, huge pages that a region hands out have been tested; the faulty page at ADDRESS
# reaches no program as a part of one, and is retired, though no sweep has come by yet.
#
# kernels: oldest newest; soak: all
# options: --mem 512M --fault 0x0a345678:3:fast-sa1
# arguments: 0x0a345678
. "$(dirname "$0")/ktap.sh"
page=$(($1 / 4096 * 4096))
# The kernel and boot leave holes in it that differ from boot to boot.
start=$((page / (128 << 20) * (128 << 20)))

corrupted() { awk '$1 == "HardwareCorrupted:" { print $2 }' /proc/meminfo; }
is_retired() { [ "$(corrupted)" -gt "$before" ]; }
# A program whose huge pages take the region up; the range is that of the faulty page.
takes_all() {
	rm -f /tmp/go /tmp/end
	"$here/touch" 32768 --huge --range "$page" $((page + 4096)) --wait /tmp/go --until /tmp/end >/tmp/out &
	pid=$!
	echo "$pid region:block" >$suite/vipzone/add || return 1
	: >/tmp/go
	wait_for 60 [ -s /tmp/out ]
	huge=$(awk '$1 == "AnonHugePages:" { print $2 / 2048 }' /proc/$pid/smaps_rollup)
	: >/tmp/end
	wait $pid
	note "$(cat /tmp/out), $huge huge pages, corrupted $(corrupted) KiB"
}

modprobe -a memdiag vipzone || exit 1
echo "block $start-$((start + (128 << 20)))" >$suite/regions/add || exit 1
# Who fills pools would find the fault first.
echo 0 >$suite/regions/node0/pool_kib
echo 0 >$suite/regions/block/pool_kib
echo 1 >$suite/memdiag/enabled && echo 1 >$suite/vipzone/enabled || exit 1
# Switched off where memory is small.
echo madvise >/sys/kernel/mm/transparent_hugepage/enabled
before=$(corrupted)
tested=$(cat $suite/demand/tested_pages)
takes_all
check "a program gets huge pages" [ "$huge" -ge 16 ]
check "which were tested" at_least $suite/demand/tested_pages $((tested + huge * 512))
check "the faulty page is in none" [ "$(cut -d ' ' -f 4 /tmp/out)" = 0 ]
check "all are clear" [ "$(cut -d ' ' -f 6 /tmp/out)" = 0 ]
check "it is retired" wait_for 10 is_retired
takes_all
check "and nobody gets it later" [ "$(cut -d ' ' -f 4 /tmp/out)" = 0 ]
check "unload" rmmod vipzone memdiag
check "nothing is held" equals $suite/pages/held_pages 0
check "unload the core" rmmod memsuite
done_testing
