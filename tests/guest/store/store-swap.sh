#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# store-swap.sh SECONDS: memory is short, and what it has is swapped to a store: no request of the store may wait for memory.
# Needs an NVDIMM, a disk, and the host's files, for dmsetup.
#
# kernels: none; soak: all
# options: --mem 384M --nvdimm 128M --disk 768M --root host
# arguments: 30; soak stock: 120
# timeout: 1800
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/storepram.sh"
seconds=$1
disk=/dev/vda
sectors=$((512 * 2048))
swap_blocks=$((448 * 256))
blocks=$((sectors / 8))

available() { awk '$1 == "MemAvailable:" { print int($2 / 4) }' /proc/meminfo; }
swapped() { awk '$1 == "SwapTotal:" { total = $2 } $1 == "SwapFree:" { print total - $2 }' /proc/meminfo; }
swapped_at_least() { [ "$(swapped)" -ge "$1" ]; }
swapped_out() { awk '$1 == "pswpout" { print $2 }' /proc/vmstat; }
# As much as there is, and half as much again, by programs that look at it all the time.
pages=$(($(available) * 3 / 4))
hogs_begin() {
	hogs=
	for hog in 1 2; do
		"$here/keep" $pages --rest 50 >/tmp/hog-$hog &
		hogs="$hogs $!"
	done
}
hogs_are_right() {
	wrong=0
	for hog in /tmp/hog-?; do
		wait_for 120 grep -q ready "$hog" || { note "$hog had no time to write"; return 1; }
	done
	for hog in $hogs; do
		kill -TERM "$hog" 2>/dev/null
		wait "$hog" || wrong=1
	done
	sed 's/^/# /' /tmp/hog-?
	return $wrong
}
# With what reads and writes beside it, on what is not swapped to; each of the settings needs memory elsewhere.
press() { # NAME SETTING...
	name=$1
	shift
	for setting in "$@"; do
		# shellcheck disable=SC2086	# two words
		dmsetup message vs 0 $setting
	done
	before=$(swapped_out)
	hogs_begin
	"$here/storecheck" /dev/mapper/rest 0 $((blocks - swap_blocks)) /tmp/state 100000000 "$(date +%s)" >/tmp/rest &
	rest=$!
	check "$name: it is swapped to" wait_for 120 swapped_at_least $((pages * 4 / 3))
	until=$(($(date +%s) + seconds))
	flushes=0
	while [ "$(date +%s)" -lt $until ]; do
		flush && flushes=$((flushes + 1))
		sleep 1
	done
	check "$name: flushes come to an end" [ $flushes -ge 1 ]
	kill $rest
	check_data "$name: what else is on the store is right" wait $rest
	check_data "$name: no program's memory has changed" hogs_are_right
	note "$name: $(($(swapped_out) - before)) pages were swapped out, $flushes flushes; $(dmsetup status vs)"
}

for module in virtio_blk dm-mod; do
	modprobe $module 2>/dev/null
done
check "load dm-vstore" modprobe dm-vstore
check "the NVDIMM has DAX" pmem_with_dax
dmsetup create pram --table "0 65536 linear /dev/pmem0 0"
dd if=/dev/zero of=/dev/mapper/pram bs=1M count=32 oflag=direct 2>/dev/null
region=$([ -d $suite/regions/node0 ] && echo node0 || basename "$(find $suite/regions -mindepth 1 -maxdepth 1 -type d | head -n 1)")
check "create, with a cache" dmsetup create vs --table \
	"0 $sectors vstore $disk /dev/mapper/pram 5 format cache $region cache_kib 16384"
dmsetup create swap --table "0 $((swap_blocks * 8)) linear $vs 0"
dmsetup create rest --table "0 $((sectors - swap_blocks * 8)) linear $vs $((swap_blocks * 8))"
dd if=/dev/zero of=/dev/mapper/rest bs=1M oflag=direct 2>/dev/null
mkswap /dev/mapper/swap >/dev/null
check "flush" flush
check "the disk is whole: sealing it comes while memory is short" field_is sealed 0
check "swapon" swapon /dev/mapper/swap
press "merging" "policy merging"
press "selective, promoting, with little that may be dirty" "policy selective" "reads promote" "low_watermark 5" "high_watermark 10"
press "random, a small threshold" "policy random" "threshold 8192" "reads keep" "high_watermark 95"
check "memory never ran out" sh -c "! dmesg | grep -q 'Out of memory'"
check "swapoff" swapoff /dev/mapper/swap
dmsetup remove swap
dmsetup remove rest
check "flush" flush
check "remove" dmsetup remove vs
check "unload" modprobe -r dm-vstore
done_testing
