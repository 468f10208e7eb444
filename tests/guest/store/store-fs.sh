#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# store-fs.sh MIB: dm-vstore as others see it: fio verifies MIB of data, ext4 and xfs live on it, and outlast a cut.
# Needs an NVDIMM and the host's files, for dmsetup, fio and file systems' tools.
#
# kernels: newest; soak: all
# options: --nvdimm 128M --root host
# arguments: 12; soak stock: 96
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/storepram.sh"
mib=$1
mnt=/tmp/mnt
sectors=$((320 * 2048))		# the least that mkfs.xfs takes

create() { # NAME DISK PRAM [FEATURES]
	dmsetup create "$1" --table "0 $sectors vstore $2 /dev/mapper/$3${4:+ $4}"
}
reopen() { dmsetup remove --retry vs && create vs "$loop" pram; }
# Small writes at random, several at once, and some large ones; or with a file that grows.
random_job() {
	says_if_it_fails fio --name=random --filename=$vs --thread --direct=1 --ioengine=libaio --iodepth=8 --rw=randwrite \
		--bssplit=4k/60:8k/20:32k/10:64k/5:256k/5 --randseed=7 --size="${mib}M" --verify=crc32c "$@"
}
growing_job() {
	says_if_it_fails fio --name=growing --filename=$vs --thread --direct=1 --ioengine=psync --rw=write --bs=8k \
		--offset=128M --size="${mib}M" --verify=crc32c "$@"
}
make() { # TYPE
	case $1 in
	ext4) says_if_it_fails mkfs.ext4 -q -F $vs ;;
	xfs) says_if_it_fails mkfs.xfs -q -f -K $vs ;;
	esac
}
fsck() { # TYPE DEVICE
	case $1 in
	ext4) says_if_it_fails e2fsck -fn "$2" ;;
	xfs) says_if_it_fails xfs_repair -n "$2" ;;
	esac
}
# Files that programs write: large ones that others append to, small ones that come and go.
load() {
	fio --name=files --directory=$mnt --thread --numjobs=2 --nrfiles=8 --ioengine=psync --rw=randwrite \
		--bsrange=512-16k --size="$((mib / 2))M" --fsync=16 --verify=crc32c >/tmp/load 2>&1 || return
	for i in 1 2 3; do
		cp -r /tmp/tree $mnt/tree-$i
		[ $i = 2 ] || rm -r $mnt/tree-$i
		sync
	done
}
sums() { (cd $mnt && find . -type f -exec md5sum {} + | sort); }
# What a power cut at this instant would leave, but for what caches lose.
cut() {
	dmsetup suspend --nolockfs --noflush vs || return
	cp --sparse=always /tmp/store-disk /tmp/cut-disk &&
		dd if=/dev/mapper/pram of=/dev/mapper/cut-pram bs=1M oflag=direct 2>/dev/null
	copied=$?
	dmsetup resume vs
	return $copied
}
# The file system of the cut plays its journal back, and is whole.
recovers() { # TYPE OPTIONS
	cut_loop=$(losetup -f --show /tmp/cut-disk)
	create cut "$cut_loop" cut-pram && mount -t "$1" -o "$2" /dev/mapper/cut /tmp/cut && umount /tmp/cut &&
		fsck "$1" /dev/mapper/cut
	recovered=$?
	dmsetup remove --retry cut
	losetup -d "$cut_loop"
	return $recovered
}

modprobe loop 2>/dev/null
modprobe dm-mod 2>/dev/null
check "load dm-vstore" modprobe dm-vstore
truncate -s $((sectors * 512)) /tmp/store-disk
loop=$(losetup -f --show /tmp/store-disk)
check "the NVDIMM has DAX" pmem_with_dax
dmsetup create pram --table "0 16384 linear /dev/pmem0 0"
dmsetup create cut-pram --table "0 16384 linear /dev/pmem0 16384"
dd if=/dev/zero of=/dev/mapper/pram bs=1M count=2 conv=fsync 2>/dev/null
check "a store with a PRAM of 8 MiB" create vs "$loop" pram "1 format"

for policy in random selective merging; do
	dmsetup message vs 0 policy $policy
	check_data "fio writes at random and verifies, $policy" random_job
	check_data "fio writes a file that grows and verifies, $policy" growing_job
	reopen
	check_data "and again after a new activation" random_job --verify_only
	note "$(dmsetup status vs)"
done
mkdir -p $mnt /tmp/cut /tmp/tree
cp -r /etc/default /etc/init.d /tmp/tree 2>/dev/null
for type in ext4 xfs; do
	modprobe $type 2>/dev/null
	if ! grep -qw $type /proc/filesystems; then
		note "this kernel has no $type"
		continue
	fi
	check "mkfs.$type" make $type
	check "mount" mount -t $type $vs $mnt
	load &
	loader=$!
	sleep 1
	check "a cut under load" cut
	check_data "programs write to it" wait $loader
	sums >/tmp/sums
	check "it is more than PRAM holds" [ "$(field moved)" -gt 100 ]
	umount $mnt
	check_data "its fsck finds nothing" fsck $type $vs
	reopen
	check_data "nor after a new activation" fsck $type $vs
	mount -t $type $vs $mnt
	sums >/tmp/sums-again
	check_data "all files are what they were" cmp -s /tmp/sums /tmp/sums-again
	note "$(wc -l </tmp/sums) files; $(dmsetup status vs)"
	umount $mnt
	options=rw
	[ $type = xfs ] && options=nouuid
	check_data "what the cut left recovers, and its fsck finds nothing" recovers $type $options
done
check "remove" dmsetup remove --retry vs
check "unload" modprobe -r dm-vstore
done_testing
