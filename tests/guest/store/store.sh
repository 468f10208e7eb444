#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# store.sh OPERATIONS: dm-vstore on a PRAM that is smaller than what is written.
# Needs an NVDIMM and the host's files, for dmsetup and file systems' tools.
#
# kernels: newest; soak: all
# options: --nvdimm 128M --root host
# arguments: 300; debug: 100
# timeout: 1800
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/storepram.sh"
operations=$1
blocks=8192		# 32 MiB
sectors=$((blocks * 8))

table() { echo "0 $sectors vstore /dev/mapper/disk /dev/mapper/pram${1:+ $1}"; }
create() { dmsetup create vs --table "$(table "$1")" 2>/dev/null; }
storecheck() { "$here/storecheck" $vs "$@"; }
refused() { ! create "$@"; }
zero() { dd if=/dev/zero of=$vs bs=1M oflag=direct 2>/dev/null; }
# How many requests it takes until no page is free depends on how fast pages are moved meanwhile.
fill_up() {
	for seed in 10 11 12 13 14 15 16 17 18 19; do
		field_at_least evicted 1 && return
		storecheck 0 $blocks /tmp/state-all "$operations" $seed || return
	done
	field_at_least evicted 1
}
# entries PAGE: of a node of the tree, where something is: the line, of 64 bytes, and the page that it leads to.
entries() {
	dd if=/dev/mapper/pram bs=4k skip="$1" count=1 iflag=direct 2>/dev/null | od -An -v -tu4 -w8 |
		awk '$1 { print int((NR - 1) / 8), $1 }'
}
# zeroes_refused SIZE NUMBER: as cleared poison reads. It is left as it is, and undone from /tmp/before.
zeroes_refused() {
	dd if=/dev/zero of=/dev/mapper/pram bs="$1" seek="$2" count=1 conv=notrunc,fsync 2>/dev/null
	dd if=/dev/mapper/pram of=/tmp/damaged bs=1M count=1 2>/dev/null
	! cmp -s /tmp/before /tmp/damaged && refused "1 format" &&
		dmesg | grep refused: | tail -n 1 | grep -q "a damaged entry" &&
		dd if=/dev/mapper/pram of=/tmp/after bs=1M count=1 2>/dev/null && cmp -s /tmp/damaged /tmp/after
	left=$?
	dd if=/tmp/before of=/dev/mapper/pram bs=1M count=1 conv=notrunc,fsync 2>/dev/null
	return $left
}

modprobe loop 2>/dev/null
modprobe dm-mod 2>/dev/null
check "load dm-vstore" modprobe dm-vstore
truncate -s $((blocks * 4096)) /tmp/store-disk
loop=$(losetup -f --show /tmp/store-disk)
# A disk that can be made to fail, and a PRAM of 1 MiB.
disk_good="0 $sectors linear $loop 0"
dmsetup create disk --table "$disk_good"
check "the NVDIMM has DAX" pmem_with_dax
dmsetup create pram --table "0 2048 linear /dev/pmem0 0"
dd if=/dev/zero of=/dev/pmem0 bs=1M count=1 conv=fsync 2>/dev/null
# Where btrfs begins, a byte alone; and no more than the PRAM is looked at.
byte_at() { printf %b "$2" | dd of=/dev/mapper/pram bs=1 seek="$1" conv=notrunc,fsync 2>/dev/null; }
printf x | dd of=/dev/pmem0 bs=1 seek=1048576 conv=notrunc,fsync 2>/dev/null
for at in 4096 65600 1048575; do
	byte_at $at x
	dd if=/dev/mapper/pram of=/tmp/foreign bs=1M count=1 2>/dev/null
	check "what has something at $at is not formatted" refused "1 format"
	check "and is left as it is" sh -c "dd if=/dev/mapper/pram bs=1M count=1 2>/dev/null | cmp -s - /tmp/foreign"
	byte_at $at '\000'
done

check "a PRAM that is blank is refused without format" refused
check "and is formatted with it" create "1 format"
check "the whole disk is there" [ "$(blockdev --getsz $vs)" = $sectors ]
for policy in random selective merging; do
	dmsetup message vs 0 policy $policy
	check_data "model-checked requests, $policy" storecheck 0 $blocks /tmp/state-all "$operations" 1
	note "$(dmsetup status vs)"
done
check "small requests went to PRAM" field_at_least write_pram $((operations > 200 ? operations / 2 : 100))
check "large requests went to disk" field_at_least write_disk 20
check "requests that continue others were seen" field_at_least continued 20
check "blocks were moved to disk" field_at_least moved 100
dmsetup message vs 0 policy selective
dmsetup message vs 0 reads promote
check_data "model-checked requests, reads promoted" storecheck 0 $blocks /tmp/state-all "$operations" 9
check "blocks that were read entered PRAM" field_at_least promoted 20
dmsetup message vs 0 flush
promoted=$(field promoted)
check_data "a reader writes to what it reads into" "$here/scribble" $vs $blocks
check "its blocks entered PRAM" field_at_least promoted $((promoted + 1000))
dmsetup message vs 0 reads keep
check_data "as the disk has them" storecheck 0 $blocks /tmp/state-all 0 9
dmsetup message vs 0 reads promote
check "clean ones give way" fill_up

check "remove" dmsetup remove vs

# Copies of what the disk has, in a node and in a range of memory.
again() { # BLOCKS: how many of the last ones are answered from there, the second time
	dd if=$vs of=/dev/null bs=4k skip=$((blocks - $1)) count="$1" iflag=direct 2>/dev/null
	before=$(field read_volatile)
	dd if=$vs of=/dev/null bs=4k skip=$((blocks - $1)) count="$1" iflag=direct 2>/dev/null
	echo $(($(field read_volatile) - before))
}
check "a cache in no region is refused" refused "2 cache nowhere"
check "so is a limit of no cache" refused "2 cache_kib 4096"
# With room for the cache wherever the kernel lies, and what it and files have: some kernels fill low addresses first.
echo "volatile 256M-768M" >$suite/regions/add
# One of them takes the debug kernel minutes.
for region in $([ "$operations" -gt 200 ] && echo node0) volatile; do
	check "create with a cache in $region" create "4 cache $region cache_kib 4096"
	check_data "model-checked requests, reads cached" storecheck 0 $blocks /tmp/state-all "$operations" 8
	dmsetup message vs 0 flush
	check_data "a reader writes to what it reads into" "$here/scribble" $vs $blocks
	note "$(dmsetup status vs)"
	check "its blocks were kept" field_at_least volatile 1000
	check "no more than the limit" [ "$(field volatile)" -le 1024 ]
	check_data "as the disk has them" storecheck 0 $blocks /tmp/state-all 0 8
	check "and what was kept answers" [ "$(again 512)" -ge 256 ]
	dmsetup message vs 0 cache_kib 400
	check "the limit is lowered" [ "$(field volatile)" -le 100 ]
	check "to no less" field_at_least volatile 1
	echo 2 >/proc/sys/vm/drop_caches
	check "memory gets all of it when it asks" wait_for 10 sh -c "dmsetup status vs | grep -q ' volatile 0 '"
	again 64 >/dev/null
	check "copies again" field_at_least volatile 1
	dmsetup suspend vs && dmsetup resume vs
	check "none outlasts a suspend" [ "$(field volatile)" = 0 ]
	dmsetup table vs >/tmp/table
	check "the table names the cache" grep -q "cache $region .*cache_kib 400" /tmp/table
	check "and can be loaded" sh -c "dmsetup load vs </tmp/table && dmsetup suspend vs && dmsetup resume vs"
	check "remove with a cache" dmsetup remove vs
done
check "its region is free again" sh -c "echo volatile >$suite/regions/remove"

check "create again" create
check_data "everything is there" storecheck 0 $blocks /tmp/state-all 0 2
uuid=$(dmsetup table vs | sed -n 's/.* uuid \([0-9a-f-]*\).*/\1/p')
dmsetup remove vs
check "another store than the table names is refused" refused "2 uuid 01234567-89ab-cdef-0123-456789abcdef"
check "also to be formatted" refused "3 format uuid 01234567-89ab-cdef-0123-456789abcdef"
check "so is a uuid that is none" refused "2 uuid 1"
check "the one that it names is not" create "2 uuid $uuid"
check "no second store takes the same PRAM" sh -c \
	"! dmsetup create other --table '0 $sectors vstore $loop /dev/mapper/pram' 2>/dev/null"
dmsetup create alias --table "0 2048 linear /dev/pmem0 0"
check "nor by another name" sh -c \
	"! dmsetup create other --table '0 $sectors vstore $loop /dev/mapper/alias' 2>/dev/null"
dmsetup remove other 2>/dev/null
dmsetup remove alias

# Two halves at once, while the device is suspended, and its table replaced.
rm -f /tmp/state-?
dmsetup message vs 0 flush
zero
"$here/storecheck" $vs 0 $((blocks / 2)) /tmp/state-1 1000000 3 &
one=$!
"$here/storecheck" $vs $((blocks / 2)) $((blocks / 2)) /tmp/state-2 1000000 4 &
two=$!
sleep 1
for policy in random merging; do
	dmsetup suspend vs && dmsetup resume vs
	dmsetup load vs --table "$(table "6 policy $policy threshold 32768 reads promote")" &&
		dmsetup suspend vs && dmsetup resume vs
done
kill $one $two
check_data "first half, with suspend and reload under load" wait $one
check_data "second half" wait $two
check "no low watermark above the high one" sh -c \
	"! dmsetup load vs --table '$(table "2 low_watermark 80")' 2>/dev/null"
check "the table has the settings" sh -c "dmsetup table vs | grep -q 'policy merging threshold 32768'"
settings=/sys/dev/block/$(dmsetup info -c --noheadings -o major,minor vs)/vstore
check "sysfs has the settings" [ "$(cat $settings/policy $settings/threshold $settings/reads | tr '\n' ' ')" = "merging 32768 promote " ]
echo 16384 >$settings/threshold
check "and sets them" sh -c "dmsetup table vs | grep -q 'policy merging threshold 16384'"
echo 90 >$settings/high_watermark
echo 80 >$settings/low_watermark
dmsetup table vs >/tmp/table
check "a table as it is told can be loaded" sh -c "dmsetup load vs </tmp/table && dmsetup suspend vs && dmsetup resume vs"
check "and is the same" sh -c "dmsetup table vs | cmp -s - /tmp/table"
check "what is none is refused" sh -c "! echo 1000 >$settings/high_watermark 2>/dev/null"
check "a bad message is refused" sh -c "! dmsetup message vs 0 policy none 2>/dev/null"

# A disk without what is dirty in PRAM is not yet the whole; after flush it is.
check "flush" dmsetup message vs 0 flush
check "nothing is dirty" [ "$(field dirty)" = 0 ]
dmsetup remove vs
check_data "the disk has it all, first half" "$here/storecheck" "$loop" 0 $((blocks / 2)) /tmp/state-1 0 5
check_data "second half" "$here/storecheck" "$loop" $((blocks / 2)) $((blocks / 2)) /tmp/state-2 0 6

# A PRAM that is elsewhere when the store is resumed.
move_pram() { dmsetup load pram --table "0 $2 linear /dev/pmem0 $1" && dmsetup suspend pram && dmsetup resume pram; }
resume_refused() { ! dmsetup resume vs 2>/dev/null && dmesg | tail -n 5 | grep -q "not where it was"; }
create
dd if=/tmp/state-1 of=$vs bs=4k count=4 conv=sync oflag=direct 2>/dev/null
dd if=$vs of=/tmp/written bs=4k count=4 iflag=direct 2>/dev/null
dmsetup suspend vs
move_pram 8192 2048
check "a PRAM that was moved is not resumed with" resume_refused
move_pram 0 1024
check "nor one that lost its end" resume_refused
move_pram 0 2048
check "back where it was, it is" dmsetup resume vs
check_data "with everything there" sh -c "dd if=$vs bs=4k count=4 iflag=direct 2>/dev/null | cmp -s - /tmp/written"
dmsetup remove vs

# A disk that fails: what is in PRAM works on, the rest is an error.
create "2 policy selective"
dd if=/dev/zero of=$vs bs=4k seek=64 count=16 oflag=direct 2>/dev/null
replace_table disk "0 $sectors error"
check "PRAM is read while the disk fails" dd if=$vs of=/dev/null bs=64k skip=4 count=1 iflag=direct 2>/dev/null
check "the disk's error is passed up" sh -c "! dd if=$vs of=/dev/null bs=4k skip=4000 count=256 iflag=direct 2>/dev/null"
check "flush tells of the error" sh -c "! dmsetup message vs 0 flush 2>/dev/null"
flushes=
for _ in 1 2 3 4; do
	dmsetup message vs 0 flush 2>/dev/null &
	flushes="$flushes $!"
done
told=0
for flush in $flushes; do
	wait "$flush" || told=$((told + 1))
done
check "so do all of four at a time" [ $told = 4 ]
check "and it is counted" field_at_least errors 1
check "what could not be moved is still dirty" field_at_least dirty 16
replace_table disk "$disk_good"
check "flush works when the disk does" dmsetup message vs 0 flush

# File system.
if [ -x /sbin/mkfs.ext4 ]; then
	modprobe ext4 2>/dev/null
	mkdir -p /tmp/mnt
	check "mkfs.ext4" mkfs.ext4 -q -F $vs
	check "mount" mount -t ext4 $vs /tmp/mnt
	cp -r /etc/default /etc/init.d /tmp/mnt/ 2>/dev/null
	dd if=/dev/urandom of=/tmp/mnt/large bs=1M count=6 2>/dev/null
	sync
	sum=$(md5sum </tmp/mnt/large)
	umount /tmp/mnt
	dmsetup remove vs
	create
	check "fsck finds nothing after a new activation" quiet e2fsck -fn $vs
	mount -t ext4 $vs /tmp/mnt
	check_data "the file is what it was" [ "$(md5sum </tmp/mnt/large)" = "$sum" ]
	umount /tmp/mnt
fi

# A disk that takes no discards.
modprobe null_blk nr_devices=0 2>/dev/null
nullb=/sys/kernel/config/nullb/nullb0
mount -t configfs none /sys/kernel/config 2>/dev/null
if mkdir $nullb 2>/dev/null && echo 1 >$nullb/memory_backed && echo $((blocks / 256)) >$nullb/size && echo 1 >$nullb/power; then
	dmsetup message vs 0 flush
	dmsetup remove vs
	replace_table disk "0 $sectors linear /dev/nullb0 0"
	check "a disk that takes no discards" [ "$(cat /sys/block/nullb0/queue/discard_max_bytes)" = 0 ]
	create "2 policy selective"
	dd if=/dev/urandom of=$vs bs=4k seek=100 count=8 oflag=direct conv=notrunc 2>/dev/null
	check "blocks are dirty" field_at_least dirty 8
	before=$(field dirty)
	check "discard some of them" blkdiscard -o $((102 * 4096)) -l $((4 * 4096)) $vs
	check "they are not any more" [ "$(field dirty)" = $((before - 4)) ]
	check_data "the disk's contents are read" sh -c \
		"dd if=$vs bs=4k skip=102 count=4 iflag=direct 2>/dev/null | cmp -s -n 16384 - /dev/zero"
	check_data "also after another activation" sh -c "dmsetup suspend vs && dmsetup resume vs &&
		dd if=$vs bs=4k skip=102 count=4 iflag=direct 2>/dev/null | cmp -s -n 16384 - /dev/zero"
	check "discard all" blkdiscard $vs
	check "nothing is dirty" [ "$(field dirty)" = 0 ]
	check "the disk is whole, so that the store goes with another" dmsetup message vs 0 flush
	dmsetup remove vs
	replace_table disk "$disk_good"
	create
	echo 0 >$nullb/power
	rmdir $nullb
	modprobe -r null_blk
fi

# Under load: busy, and then by force.
zero
storecheck 0 $blocks /tmp/state-load 1000000 8 >/dev/null 2>&1 &
load=$!
sleep 1
check "remove says busy under load" sh -c "! dmsetup remove vs 2>/dev/null"
dmsetup remove -f vs 2>/dev/null
wait $load
check "remove by force ends the load" [ $? != 0 ]
dmsetup remove vs 2>/dev/null

# Damage is refused, and not written to. Entries begin in the second page.
dd if=/dev/mapper/pram of=/tmp/before bs=1M count=1 2>/dev/null
printf 'x' | dd of=/dev/mapper/pram bs=1 seek=9 conv=notrunc,fsync 2>/dev/null
check "a damaged header is refused" refused
check "even with format" refused "1 format"
dd if=/tmp/before of=/dev/mapper/pram bs=4k count=1 conv=notrunc,fsync 2>/dev/null
check "undone, it is accepted" create
dmsetup remove vs
dd if=/dev/mapper/pram of=/tmp/before bs=1M count=1 2>/dev/null
leaf=$(entries 1 | awk '{ print $2; exit }')
check "a line of zeroes in the root is refused" zeroes_refused 64 $((64 + $(entries 1 | awk '{ print $1; exit }')))
check "so is one where the root has no entry" zeroes_refused 64 127
check "so is a root of zeroes" zeroes_refused 4096 1
check "a line of zeroes in a node is refused" zeroes_refused 64 $((leaf * 64 + $(entries "$leaf" | awk '{ print $1; exit }')))
check "so is a node of zeroes" zeroes_refused 4096 "$leaf"
check "undone, it is accepted" create
dmsetup remove vs
dd if=/dev/zero of=/dev/mapper/pram bs=4k count=1 conv=notrunc,fsync 2>/dev/null
check "a store whose header was lost is not formatted" refused "1 format"
dd if=/tmp/before of=/dev/mapper/pram bs=4k count=1 conv=notrunc,fsync 2>/dev/null
check "undone, it is accepted again" create
dmsetup remove vs
dd if=/dev/urandom of=/dev/mapper/pram bs=4k count=1 seek=1 conv=notrunc,fsync 2>/dev/null
dd if=/dev/mapper/pram of=/tmp/damaged bs=1M count=1 2>/dev/null
check "a damaged tree is refused" refused "1 format"
dd if=/dev/mapper/pram of=/tmp/after bs=1M count=1 2>/dev/null
check "what is refused is left as it is" cmp -s /tmp/damaged /tmp/after
check "unload" modprobe -r dm-vstore
done_testing
