#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A program that is made smaller keeps what it uses now and then, though all of it has been touched once, and nothing of
# it has been looked at for evicting before; with base pages, and with huge ones. In a guest that swaps.
#
# boot: shared
# kernels: default; soak: stock
. "$(dirname "$0")/ktap.sh"
mrc=$suite/mrc
division=$mrc/division

modprobe zram && echo 256M >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null && swapon /dev/zram0 || exit 1

resident() { awk '/^VmRSS/ { print int($2 / 4) }' "/proc/$loop/status"; }
huge_kib() { awk '/^AnonHugePages/ { sum += $2 } END { print sum }' "/proc/$loop/smaps"; }
major() { awk '{ print $12 }' "/proc/$loop/stat"; }
left() { echo $(($(cat $division/evicted_pages) + $(cat $division/replaced_pages))); }
shrunk() { [ "$(resident)" -le 3600 ]; }

# Of 10240 pages that it has touched, it touches 1024 every other second.
shrinks() { # LABEL [OPTION]
	modprobe mrc || exit 1
	echo 500 >$mrc/ladder_ms
	echo 100 >$mrc/max_cpu_permille
	echo 100 >$division/pressure_pct
	echo 1 >$mrc/enabled
	# What the program before has left is in pieces.
	echo 3 >/proc/sys/vm/drop_caches
	echo 1 >/proc/sys/vm/compact_memory
	: >/tmp/loop
	# shellcheck disable=SC2086	# none, or one
	"$here/loop" $2 --pattern cold --rest 1500 10240 300 >/tmp/loop &
	loop=$!
	wait_for 60 grep -q ready /tmp/loop
	[ -z "$2" ] || note "$(huge_kib) KiB of huge pages"
	[ -z "$2" ] || check "$1: it has them" [ "$(huge_kib)" -ge 30000 ]
	echo $loop >$mrc/add
	check "$1: it is in the plan" wait_for 30 grep -q "^$loop " $debug/mrc/plan
	echo 1 >$division/enforce
	# Some rounds.
	sleep 9
	check "$1: nothing is evicted before it has to be" [ "$(left)" = 0 ]
	before=$(major)
	echo 12800 >$division/total_kib # 3200 pages
	check "$1: it is driven to its share" wait_for 60 shrunk
	sleep 3
	missed=$(($(major) - before))
	note "$missed major faults, $(resident) pages resident, $(grep . $division/*_pages | sed 's,.*/,,' | tr '\n' ' ')"
	check "$1: of what it does not use" [ $missed -le 100 ]
	check "$1: unload while it is enforced" rmmod mrc
	kill $loop
	wait
}

shrinks "base pages"
shrinks "huge pages" --thp
swapoff /dev/zram0
done_testing
