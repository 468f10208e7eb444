#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# store-stack.sh OPERATIONS: dm-vstore on disks with blocks of 4 KiB, and on and below dm-crypt. Needs an NVDIMM and the
# host's files, for dmsetup.
#
# kernels: none; soak: all
# options: --nvdimm 128M --root host
# arguments: 600; debug: 100
# timeout: 1800
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/storepram.sh"
operations=$1
blocks=8192		# 32 MiB
sectors=$((blocks * 8))
key=$(head -c 64 /dev/zero | tr '\0' 5)

create() { dmsetup create vs --table "0 $sectors vstore $disk /dev/mapper/pram ${1:-1 format}" 2>/dev/null; }
said() { dmesg | tail -n 5 | grep -q "$1"; }
logical() { cat "/sys/class/block/$(basename "$(realpath "$1")")/queue/logical_block_size"; }
# The name of a device of device-mapper, as the kernel has it.
dm() { echo "/dev/dm-$(dmsetup info -c --noheadings -o minor "$1")"; }
# works NAME: model-checked requests of each policy, with what is read in PRAM, and after another activation.
works() {
	rm -f /tmp/state
	check "$1: create" create
	check "$1: it has blocks of 4 KiB" [ "$(logical "$(dm vs)")" = 4096 ]
	dd if=/dev/zero of=$vs bs=1M oflag=direct 2>/dev/null
	for policy in random selective merging; do
		dmsetup message vs 0 policy $policy
		check_data "$1: model-checked requests, $policy" "$here/storecheck" $vs 0 $blocks /tmp/state "$operations" 1
	done
	dmsetup message vs 0 reads promote
	check_data "$1: and promoted" "$here/storecheck" $vs 0 $blocks /tmp/state "$operations" 2
	check "$1: PRAM has some" field_at_least write_pram 50
	dmsetup remove vs
	check "$1: open again" create "2 policy merging"
	check_data "$1: everything is there" "$here/storecheck" $vs 0 $blocks /tmp/state 0 3
	note "$1: $(dmsetup status vs)"
}
ends() { # NAME: the disk alone has it all
	check "$1: flush" flush
	dmsetup remove vs
	check_data "$1: the disk has it all" "$here/storecheck" "$disk" 0 $blocks /tmp/state 0 4
}
blank() { dd if=/dev/zero of=/dev/mapper/pram bs=1M count=4 oflag=direct 2>/dev/null; }

for module in loop dm-mod ext4; do
	modprobe $module 2>/dev/null
done
check "load dm-vstore" modprobe dm-vstore
check "the NVDIMM has DAX" pmem_with_dax
dmsetup create pram --table "0 4096 linear /dev/pmem0 0"
blank
truncate -s $((blocks * 4096 + 16777216)) /tmp/store-disk

# Blocks of 4 KiB: a loop device has them, and a disk of SCSI.
loop=$(losetup -f --show -b 4096 /tmp/store-disk)
if [ "$(logical "$loop")" = 4096 ]; then
	disk=$loop
	works "a loop device of 4 KiB"
	ends "a loop device of 4 KiB"
fi
losetup -d "$loop"
pseudo=/sys/bus/pseudo/drivers/scsi_debug
is_found() { quiet ls $pseudo/adapter0/host*/target*/*/block/; }
if modprobe sd_mod 2>/dev/null && modprobe scsi_debug dev_size_mb=$((blocks / 256)) delay=0 sector_size=4096 lbpu=1 lbpws=1 \
	2>/dev/null; then
	check "a disk of SCSI" wait_for 10 is_found
	disk=/dev/$(ls $pseudo/adapter0/host*/target*/*/block)
	check "has blocks of 4 KiB" [ "$(logical "$disk")" = 4096 ]
	blank
	works "a SCSI disk of 4 KiB"
	if mkfs.ext4 -q -F $vs 2>/dev/null; then
		mkdir -p /tmp/mnt
		check "a file system on it" mount -t ext4 $vs /tmp/mnt
		cp -r /etc/default /etc/init.d /tmp/mnt
		(cd /tmp/mnt && find . -type f -exec md5sum {} +) >/tmp/sums
		umount /tmp/mnt
		check "flush" flush
		dmsetup remove vs
		check "the disk alone is mounted" mount -t ext4 "$disk" /tmp/mnt
		check_data "and has all files" sh -c "cd /tmp/mnt && md5sum -c /tmp/sums >/dev/null 2>&1"
		umount /tmp/mnt
	fi
	dmsetup remove vs 2>/dev/null
	check "unload that disk" rmmod scsi_debug
fi
# Larger ones, since Linux 6.15.
if loop=$(losetup -f --show -b 16384 /tmp/store-disk 2>/dev/null) && [ "$(logical "$loop")" = 16384 ]; then
	disk=$loop
	blank
	check "a disk with blocks of 16 KiB is refused" fails create
	check "with the reason" said "blocks are larger than 4 KiB"
	losetup -d "$loop"
fi

# Encryption, of sectors of 512 bytes and of 4 KiB, below a store and above.
loop=$(losetup -f --show /tmp/store-disk)
crypt() { # NAME DEVICE [FEATURES]
	dmsetup create "$1" --table "0 $sectors crypt aes-xts-plain64 $key$key 0 $2 0${3:+ $3}" 2>/tmp/said
}
if modprobe dm-crypt 2>/dev/null && crypt probe "$loop"; then
	dmsetup remove probe
	for features in "" "1 sector_size:4096" "2 allow_discards no_write_workqueue"; do
		crypt secret "$loop" "$features"
		disk=/dev/mapper/secret
		blank
		works "on dm-crypt ${features:-as it is}"
		ends "on dm-crypt ${features:-as it is}"
		check "$features: what is on the disk is not what was written" fails \
			"$here/storecheck" "$loop" 0 $blocks /tmp/state 0 5
		dmsetup remove secret
	done
	disk=$loop
	blank
	for features in "" "1 sector_size:4096"; do
		check "below dm-crypt: create" create "3 format policy selective"
		crypt secret "$(dm vs)" "$features"
		rm -f /tmp/state
		dd if=/dev/zero of=/dev/mapper/secret bs=1M oflag=direct 2>/dev/null
		check_data "below dm-crypt ${features:-as it is}" \
			"$here/storecheck" /dev/mapper/secret 0 $blocks /tmp/state "$operations" 6
		check "it was in PRAM" field_at_least write_pram 50
		check "none was removed below it" fails dmsetup remove vs
		dmsetup remove secret
		dmsetup remove vs
		check "open again" create "2 policy selective"
		crypt secret "$(dm vs)" "$features"
		check_data "everything is there" "$here/storecheck" /dev/mapper/secret 0 $blocks /tmp/state 0 7
		dmsetup remove secret
		flush
		dmsetup remove vs
		crypt secret "$loop" "$features"
		check_data "on the disk as well" "$here/storecheck" /dev/mapper/secret 0 $blocks /tmp/state 0 8
		dmsetup remove secret
	done
	check "an encrypted PRAM has no DAX" sh -c "
		dmsetup create secret --table '0 4096 crypt aes-xts-plain64 $key$key 0 /dev/pmem0 0' &&
		! dmsetup create vs --table '0 $sectors vstore $loop /dev/mapper/secret 1 format' 2>/dev/null"
	check "as is said" said "The PRAM has no DAX"
	dmsetup remove secret
else
	note "this kernel has no dm-crypt"
fi
check "unload" modprobe -r dm-vstore
done_testing
