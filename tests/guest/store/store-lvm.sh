#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# store-lvm.sh: dm-vstore between LVM and LVM: disk and PRAM are logical volumes, and so is what lives on the store.
# Needs an NVDIMM and the host's files, lvm2 among them.
#
# kernels: newest; soak: all
# options: --nvdimm 128M --root host
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/storepram.sh"
export LVM_SYSTEM_DIR=/tmp/lvm LVM_SUPPRESS_FD_WARNINGS=1
mnt=/tmp/mnt
sectors=$((256 * 2048))

# Nobody runs udev here.
alone='activation { udev_sync=0 udev_rules=0 verify_udev_operations=1 } devices { obtain_device_list_from_udev=0 }
	global { locking_dir="/tmp/lvm/lock" } backup { backup=0 archive=0 }'
lvm_() {
	command=$1
	shift
	says_if_it_fails lvm "$command" --config "$alone" "$@"
}
create() { dmsetup create vs --table "0 $sectors vstore /dev/disks/disk /dev/prams/pram${1:+ $1}"; }
volume() { # GROUP DEVICE NAME EXTENTS
	lvm_ pvcreate "$2" && lvm_ vgcreate "$1" "$2" && lvm_ lvcreate -y -W n -Z n -n "$3" -l "$4" "$1"
}
sums() { (cd "$1" && find . -type f -exec md5sum {} + | sort); }

for module in loop dm-mod dm-snapshot ext4; do
	modprobe $module 2>/dev/null
done
check "load dm-vstore" modprobe dm-vstore
check "the NVDIMM has DAX" pmem_with_dax
mkdir -p /tmp/lvm/lock $mnt /tmp/old
truncate -s 320M /tmp/store-disk
loop=$(losetup -f --show /tmp/store-disk)
check "a disk of LVM" volume disks "$loop" disk 64
check "a PRAM of LVM" volume prams /dev/pmem0 pram 4
dd if=/dev/zero of=/dev/prams/pram bs=1M count=2 conv=fsync 2>/dev/null
check "a store of both" create "1 format"

check "a volume on the store" volume stored $vs files 40
check "mkfs" says_if_it_fails mkfs.ext4 -q -F /dev/stored/files
check "mount" mount /dev/stored/files $mnt
cp -r /etc/init.d /etc/default $mnt
sync
sums $mnt >/tmp/sums
check "a snapshot of it, while it is mounted" lvm_ lvcreate -y -s -n before -l 16 stored/files
cp -r /etc/init.d $mnt/more
rm -r $mnt/default
check "it was in PRAM" [ "$(dmsetup status vs | sed 's/.* write_pram \([0-9]*\).*/\1/')" -gt 50 ]
mount -o ro,noload /dev/stored/before /tmp/old
sums /tmp/old >/tmp/sums-old
check_data "the snapshot has what was there before" cmp -s /tmp/sums /tmp/sums-old
umount /tmp/old
sums $mnt >/tmp/sums
umount $mnt

check "volumes on it go" lvm_ vgchange -an stored
check "so does the store" dmsetup remove --retry vs
check "and comes back" create
check "with its volumes" lvm_ vgchange -ay stored
check_data "which e2fsck finds nothing in" says_if_it_fails e2fsck -fn /dev/stored/files
mount -o ro /dev/stored/files $mnt
sums $mnt >/tmp/sums-again
check_data "all files are what they were" cmp -s /tmp/sums /tmp/sums-again
umount $mnt
lvm_ lvremove -y stored/before
check "the volume grows" lvm_ lvextend -l +4 stored/files
says_if_it_fails e2fsck -fp /dev/stored/files
check "and its file system" says_if_it_fails resize2fs /dev/stored/files
check_data "which is whole" says_if_it_fails e2fsck -fn /dev/stored/files
lvm_ vgchange -an stored
check "remove" dmsetup remove --retry vs
check "unload" modprobe -r dm-vstore
lvm_ vgchange -an disks prams
done_testing
