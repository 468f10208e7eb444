#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# bench-mrc-energy.sh PROGRAM...: runs programs of a disk (pmem0) while QEMU's plugin traces what they do to memory. The
# host's tests/bench-mrc-energy reads the traces. Prints a line of JSON for each.

disk=/tmp/disk
modprobe crc32c_generic 2>/dev/null
modprobe ext4 2>/dev/null
mkdir -p $disk
for program in "$@"; do
	mount -o noatime /dev/pmem0 $disk && mount -o bind /dev $disk/dev || exit 1
	mark start chroot $disk "/programs/$program"
	status=$?
	mark stop
	size=$(cat $disk/out/* | wc -c)
	rm -f $disk/out/*
	umount $disk/dev $disk || exit 1
	echo 3 >/proc/sys/vm/drop_caches
	echo "{\"program\": \"$program\", \"status\": $status, \"written\": $size, \"release\": \"$(uname -r)\"}"
done
