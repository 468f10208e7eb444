#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# store-fstests.sh FSTESTS TYPE: runs fstests on file systems of TYPE, on plain disks the tests that /mnt/share/plain
# names, on stores those that /mnt/share/store names. Needs an NVDIMM and the host's files, FSTESTS among them, built.
# What is left of tests that failed goes to /mnt/share.
. "$(dirname "$0")/storepram.sh"
fstests=$1
export FSTYP="$2"
disk_sectors=$((2 * 1024 * 2048))
pram_sectors=$((32 * 2048))

fail() {
	echo "store-fstests: $*" >&2
	exit 1
}
# A link, as udev makes it: tests look for dm-N in sysfs by it.
create() { # NAME TABLE
	dmsetup create "$1" --table "$2" || fail "no $1"
	ln -sf "../dm-$(dmsetup info -c --noheadings -o minor "$1")" "/dev/mapper/$1"
}
# Two disks for tests, each its own, and one on which they keep a log.
make_plain() {
	create plain-test "0 $disk_sectors linear /dev/nullb0 0"
	create plain-scratch "0 $disk_sectors linear /dev/nullb1 0"
}
make_store() {
	pmem_with_dax || fail "no DAX"
	create pram0 "0 $pram_sectors linear /dev/pmem0 0"
	create pram1 "0 $pram_sectors linear /dev/pmem0 $pram_sectors"
	create store-test "0 $disk_sectors vstore /dev/nullb2 /dev/mapper/pram0 1 format"
	create store-scratch "0 $disk_sectors vstore /dev/nullb3 /dev/mapper/pram1 1 format"
}
run() { # KIND
	[ -s "/mnt/share/$1" ] || return
	export TEST_DEV="/dev/mapper/$1-test" SCRATCH_DEV="/dev/mapper/$1-scratch" RESULT_BASE="/tmp/results-$1"
	force=-f
	[ "$FSTYP" = ext4 ] && force=-F
	"mkfs.$FSTYP" -q $force "$TEST_DEV" || fail "no file system"
	echo "== $1"
	# What is on the list is words.
	# shellcheck disable=SC2046
	(cd "$fstests" && ./check $(cat "/mnt/share/$1"))
	echo "== end"
	cd "$RESULT_BASE/generic" || return
	for bad in *.out.bad *.dmesg; do
		[ -e "$bad" ] || continue
		for kept in "${bad%%.*}".*; do
			cp "$kept" "/mnt/share/$1-$kept"
		done
	done
}

for module in dm-mod dm-vstore dm-flakey dm-log-writes dm-thin-pool loop "$FSTYP"; do
	modprobe "$module" 2>/dev/null
done
modprobe null_blk nr_devices=5 gb=2 bs=4096 memory_backed=1 discard=1 queue_mode=2 || fail "no null_blk"
make_plain
make_store
for user in fsgqa fsgqa2 123456-fsgqa; do
	echo "$user:x:$((10000 + ${#user})):$((10000 + ${#user}))::/tmp:/bin/sh" >>/etc/passwd
	echo "$user:x:$((10000 + ${#user})):" >>/etc/group
done
export TEST_DIR=/mnt/test SCRATCH_MNT=/mnt/scratch LOGWRITES_DEV=/dev/nullb4
mkdir -p $TEST_DIR $SCRATCH_MNT
run plain
run store
for name in test scratch; do
	echo "# $name: $(dmsetup status store-$name)"
done
