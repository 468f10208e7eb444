#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# bench-store.sh RUN...: replays /mnt/share/trace on a disk of 5 ms a request, one at a time, with a PRAM before it.
# A RUN is CACHE-MIB: disk, random, selective, merging, writecache or bcache, and the PRAM's size. Needs an NVDIMM and
# the host's files. Prints an object of JSON for each.
. "$(dirname "$0")/storepram.sh"
here=$(dirname "$0")
disk=/dev/nullb0
size_mib=$DISK_MIB

fail() {
	echo "bench-store: $*" >&2
	exit 1
}
# The PRAM of so many MiB, blank where any of the caches looks for what it knows.
pram_of() {
	dmsetup create pram --table "0 $(($1 * 2048)) linear /dev/pmem0 0" &&
		dd if=/dev/zero of=/dev/mapper/pram bs=1M count=4 conv=fsync 2>/dev/null
}
status_of() { # DEVICE NAME
	dmsetup status "$1" | awk -v name="$2" '{ for (i = 4; i < NF; i++) if ($i == name) print $(i + 1) }'
}

make_vstore() { # POLICY
	dmsetup create vs --table "0 $((size_mib * 2048)) vstore $disk /dev/mapper/pram 3 format policy $1"
	device=/dev/mapper/vs
}
make_writecache() {
	dmsetup create vs --table "0 $((size_mib * 2048)) writecache p $disk /dev/mapper/pram 4096 0"
	device=/dev/mapper/vs
}
# Its buckets are at least 128; those of 512 KiB, which it makes by itself, would be too few for the smallest PRAM.
make_bcache() {
	make-bcache --wipe-bcache -w 4k -b 64k --writeback -B $disk -C /dev/mapper/pram >/dev/null || return
	for part in $disk /dev/mapper/pram; do
		realpath "$part" >/sys/fs/bcache/register
	done
	device=/dev/bcache0
	until [ -b $device ] && [ "$(cat /sys/block/bcache0/bcache/state)" = clean ]; do
		sleep 0.1
	done
	set=$(echo /sys/fs/bcache/*-*-*)
}
# How much of the PRAM is in use, in KiB.
used() {
	case $cache in
	disk) echo 0 ;;
	writecache) dmsetup status vs | awk '{ print ($5 - $6) * 4 }' ;;
	bcache) awk -v mib="$mib" '/^Unused/ { print int((100 - $2) * mib * 1024 / 100) }' "$set"/cache0/priority_stats ;;
	*) echo $((($(status_of vs pages) - $(status_of vs free)) * 4)) ;;
	esac
}
sample() {
	while sleep 10; do
		used
	done
}
counts() {
	case $cache in
	disk) ;;
	bcache)
		for count in bdev0/dirty_data stats_total/cache_hits stats_total/cache_misses stats_total/bypassed; do
			echo "${count#*/} $(cat "$set/$count")"
		done | tr '\n' ' '
		;;
	*) dmsetup status vs | cut -d' ' -f4- ;;
	esac
}
remove() {
	case $cache in
	disk) ;;
	bcache)
		echo 1 >"$set/stop"
		until [ ! -b /dev/bcache0 ] && [ ! -e "$set" ]; do
			sleep 0.1
		done
		;;
	# What is dirty does not matter any more.
	writecache)
		dmsetup suspend --noflush vs
		dmsetup remove -f vs
		;;
	*) dmsetup remove vs ;;
	esac
}

for module in dm-mod dm-vstore dm-writecache bcache; do
	modprobe $module 2>/dev/null
done
# One request at a time, as a disk with one arm.
modprobe null_blk nr_devices=1 gb=$((size_mib / 1024)) bs=4096 memory_backed=1 queue_mode=2 irqmode=2 \
	completion_nsec=5000000 submit_queues=1 hw_queue_depth=1 max_sectors=8192 || fail "no null_blk"
pmem_with_dax || fail "no DAX"
cp /mnt/share/trace /tmp/trace
for run in "$@"; do
	cache=${run%-*}
	mib=${run#*-}
	device=$disk
	if [ "$cache" != disk ]; then
		pram_of "$mib" || fail "no PRAM"
		case $cache in
		writecache | bcache) make_"$cache" ;;
		*) make_vstore "$cache" ;;
		esac || fail "no $cache"
	fi
	sample >/tmp/used &
	sampler=$!
	told=$("$here/blockreplay" $device /tmp/trace) || fail "$run"
	kill $sampler
	wait $sampler 2>/dev/null
	used >>/tmp/used
	echo "{\"run\": \"$run\", $told, \"used_kib\": $(awk '{ sum += $1 } END { print int(sum / NR) }' /tmp/used), \"counts\": \"$(counts)\"}"
	remove
	[ "$cache" = disk ] || dmsetup remove --retry pram || fail "$run remains"
done
