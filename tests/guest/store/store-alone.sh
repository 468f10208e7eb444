#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# store-alone.sh SECONDS: the disk of a store without its PRAM: mounted by its UUID at boot, written, exchanged, grown.
# Needs an NVDIMM and the host's files, for dmsetup and file systems' tools.
#
# kernels: newest; soak: all debug
# options: --nvdimm 128M --root host
# arguments: 10; soak: 300
# timeout: 900
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/storepram.sh"
blocks=8192		# 32 MiB
sectors=$((blocks * 8))
table() { echo "0 $sectors vstore ${disk:-$loop} /dev/mapper/${pram:-pram}${1:+ $1}"; }
create() { dmsetup create vs --table "$(table "$1")" 2>/dev/null; }
# A device that cannot be resumed is left behind.
refused() { ! create "$@" && { dmsetup remove vs 2>/dev/null || true; }; }
said() { dmesg | grep refused: | tail -n 1 | grep -q "$1"; }
signature() { blkid -p -o value -s TYPE "$1" 2>/dev/null; }
sums() { md5sum /tmp/store-disk /tmp/pram.img | cut -c 1-32; }
pram_read() { dd if=/dev/mapper/pram of=/tmp/pram.img bs=1M iflag=direct 2>/dev/null; }
write_files() { # NAME
	mkdir -p /tmp/mnt/$1
	for i in 1 2 3 4; do head -c 20000 /dev/urandom >/tmp/mnt/$1/$i || return; done
	(cd /tmp/mnt && md5sum $1/*) >/tmp/sums-$1
	sync
}
mounted() { # DEVICE COMMAND...
	device=$1
	shift
	mount -t ext4 "$device" /tmp/mnt || return
	"$@"
	result=$?
	umount /tmp/mnt
	return $result
}
files_are_there() { (cd /tmp/mnt && md5sum -c /tmp/sums-$1 >/dev/null 2>&1); }

modprobe loop 2>/dev/null
modprobe dm-mod 2>/dev/null
modprobe ext4 2>/dev/null
modprobe dm-vstore
mkdir -p /tmp/mnt
disk_and_pram $blocks

# What PRAM has is missing on the disk, and nobody takes it for a file system.
check "create" create "1 format"
check "mkfs.ext4" mkfs.ext4 -q -F -U 01234567-89ab-cdef-0123-456789abcdef $vs
check "files are written" mounted $vs write_files first
check "blocks are dirty" [ "$(field dirty)" -gt 0 ]
check "and the disk is sealed" [ "$(field sealed)" = 1 ]
dmsetup remove vs
check "a sealed disk has no file system's signature" [ -z "$(signature "$loop")" ]
check "nor is it mounted" sh -c "! mount -t ext4 $loop /tmp/mnt 2>/dev/null"
check "it tells who looks what it is" sh -c "head -c 512 $loop | grep -aq 'memsuite store open'"
check "the store opens" create
check_data "files are there" mounted $vs files_are_there first
check "fsck finds nothing" quiet e2fsck -fn $vs

# A reader sees what is sealed, a discard leaves it.
check "what is sealed is read" [ "$(signature $vs)" = ext4 ]
quiet blkdiscard -o 4194304 -l 4194304 $vs
head -c 131072 $vs | md5sum >/tmp/before
dd if=$vs bs=64k skip=510 iflag=direct 2>/dev/null | md5sum >>/tmp/before
check "the whole device is discarded" blkdiscard $vs
{ head -c 131072 $vs | md5sum; dd if=$vs bs=64k skip=510 iflag=direct 2>/dev/null | md5sum; } >/tmp/after
check_data "but for what is sealed" cmp -s /tmp/before /tmp/after
dmsetup remove vs
check "and the label" create
mkfs.ext4 -q -F -U 01234567-89ab-cdef-0123-456789abcdef $vs
mounted $vs write_files first

# After a flush the disk is whole: used alone, it is what counts.
check "flush" dmsetup message vs 0 flush
check "the disk is whole" [ "$(field sealed)" = 0 ]
dmsetup remove vs
check "it has its file system" [ "$(signature "$loop")" = ext4 ]
check_data "with all files" mounted "$loop" files_are_there first
check "the disk alone is written" mounted "$loop" write_files second
check "the store opens then" create
check_data "has what was written to the disk" mounted $vs files_are_there second
check_data "and what was there before" mounted $vs files_are_there first
check "fsck finds nothing" quiet e2fsck -fn $vs

# A sealed disk that somebody has written nevertheless, and another one.
mounted $vs write_files third
dmsetup remove vs
cp /tmp/store-disk /tmp/sealed
pram_read
cp /tmp/pram.img /tmp/sealed-pram
mkfs.ext4 -q -F -b 4096 -E nodiscard "$loop"
check "a disk that was written without the store is refused" refused
check "with the reason" said "not as the store left it"
check "and the way out" sh -c "dmesg | tail -n 5 | grep -q 'trust disk.*trust pram'"
check "the store is left as it was" sh -c "dd if=/dev/mapper/pram bs=1M iflag=direct 2>/dev/null | cmp -s - /tmp/sealed-pram"
check "the disk counts, if one says so" create "2 trust disk"
check "it is empty then" mounted $vs sh -c "! [ -e /tmp/mnt/third ]"
dmsetup message vs 0 flush
dmsetup remove vs
dd if=/tmp/sealed-pram of=/dev/mapper/pram bs=1M conv=fsync oflag=direct 2>/dev/null
check "PRAM of another time than the disk's is refused" refused
truncate -s 0 /tmp/store-other
truncate -s $((blocks * 4096)) /tmp/store-other
other=$(losetup -f --show /tmp/store-other)
disk=$other
check "so is another disk" refused
disk=
dd if=/tmp/sealed of="$loop" bs=1M conv=notrunc,fsync oflag=direct 2>/dev/null
dd if=/dev/urandom of="$loop" bs=4k count=1 conv=notrunc,fsync oflag=direct 2>/dev/null
check "a label that was overwritten is refused" refused
for block in 1 31 $((blocks - 32)) $((blocks - 1)); do
	dd if=/tmp/sealed of="$loop" bs=1M conv=notrunc,fsync oflag=direct 2>/dev/null
	dd if=/dev/urandom of="$loop" bs=4k count=1 seek=$block conv=notrunc,fsync oflag=direct 2>/dev/null
	check "so is what was written behind it, to block $block" refused
done
check "PRAM counts, if one says so" create "2 trust pram"
check_data "with everything" mounted $vs files_are_there third
dmsetup remove vs
check "once is enough" create
check_data "with everything" mounted $vs files_are_there third
dmsetup message vs 0 flush
dmsetup remove vs
disk=$other
check "a PRAM that is whole goes with any disk of that size" create
check "and has nothing of the one before" sh -c "cmp -s -n $((blocks * 4096)) $vs /dev/zero"
dmsetup remove vs
disk=

# A disk that another store has sealed looks empty.
dd if=/tmp/sealed of="$other" bs=1M conv=notrunc,fsync oflag=direct 2>/dev/null
dmsetup create pram2 --table "0 8192 linear /dev/pmem0 8192"
dd if=/dev/zero of=/dev/mapper/pram2 bs=1M count=4 oflag=direct 2>/dev/null
disk=$other pram=pram2
check "what another store has sealed is refused to a new one" refused "1 format"
check "with the reason" said "the disk is sealed, and this PRAM has nothing of it"
check "and the way out" sh -c "dmesg | tail -n 5 | grep -q 'PRAM of that store; trust disk'"
check "it is refused to one that is whole" refused
check "that PRAM has nothing to be trusted" refused "2 trust pram"
check "the disk is as it was" cmp -s /tmp/sealed "$other"
check "without what that store has, if one says so" create "2 trust disk"
# Where that label was, a file system that is repaired has nothing of its own.
check "it is written" dd if=/dev/urandom of=$vs bs=4k count=8 seek=1000 conv=notrunc,fsync oflag=direct 2>/dev/null
check "and made whole" dmsetup message vs 0 flush
dmsetup remove vs
check "once is enough" create
dmsetup remove vs
dmsetup remove pram2
disk='' pram=''

# Nothing changes what is read-only.
create "4 high_watermark 0 low_watermark 0"
mounted $vs write_files fourth
dmsetup remove vs
pram_read
sums >/tmp/before
check "open to be read" dmsetup create -r vs --table "$(table "6 reads promote high_watermark 0 low_watermark 0")"
check_data "everything is read" sh -c "mount -t ext4 -o ro,noload $vs /tmp/mnt && cd /tmp/mnt && md5sum -c /tmp/sums-fourth >/dev/null"
umount /tmp/mnt
dd if=$vs of=/dev/null bs=16k iflag=direct 2>/dev/null
check "nothing is written to it" sh -c "! dd if=/dev/zero of=$vs bs=4k count=1 oflag=direct 2>/dev/null"
sleep 3
dmsetup remove vs
pram_read
sums >/tmp/after
check_data "neither PRAM nor disk has changed" cmp -s /tmp/before /tmp/after
blockdev --setro "$loop"
create "6 reads promote high_watermark 0 low_watermark 0"
dd if=$vs of=/dev/null bs=16k iflag=direct 2>/dev/null
dd if=/dev/zero of=$vs bs=4k count=1 oflag=direct 2>/dev/null
sleep 3
dmsetup remove vs 2>/dev/null
pram_read
sums >/tmp/after
check_data "nor with a disk that is read-only" cmp -s /tmp/before /tmp/after
blockdev --setrw "$loop"

# Nor what becomes read-only while it is in use.
create "4 high_watermark 0 low_watermark 0"
for device in "$loop" /dev/mapper/pram; do
	quiet dd if=/dev/urandom of=$vs bs=4k count=200 seek=1000 oflag=direct conv=notrunc
	blockdev --setro "$device"
	sleep 1 # what was on its way
	pram_read
	sums >/tmp/before
	check "flush says that it cannot, if $device is" sh -c "dmsetup message vs 0 flush 2>&1 | grep -q 'Read-only'"
	check "and a write fails" fails dd if=/dev/zero of=$vs bs=4k count=1 seek=1500 oflag=direct conv=notrunc
	check "all is read" dd if=$vs of=/dev/null bs=16k iflag=direct 2>/dev/null
	dmsetup suspend vs
	check "it is not taken up again as if it were not" fails dmsetup resume vs
	sleep 2
	pram_read
	sums >/tmp/after
	check_data "and neither side has changed" cmp -s /tmp/before /tmp/after
	blockdev --setrw "$device"
	dmsetup resume vs
	check "it goes on when it may" dd if=/dev/urandom of=$vs bs=4k count=1 seek=1500 oflag=direct conv=notrunc 2>/dev/null
done
dmsetup remove vs

# A disk that has grown.
create
dmsetup message vs 0 flush
dmsetup remove vs
truncate -s $((blocks * 4096 + 4194304)) /tmp/store-disk
losetup -c "$loop"
sectors=$((blocks * 8 + 8192))
check "a disk that has grown is refused" refused
check "with both sizes" said "of $((blocks * 8)) sectors, and the table has $sectors"
check "what is whole is formatted for it" create "1 format"
check "and has it all" [ "$(blockdev --getsz $vs)" = $sectors ]
check_data "files are there" mounted $vs files_are_there fourth
dmsetup remove vs
sectors=$((blocks * 8))
check "what is sealed is not formatted for another" refused "1 format"
sectors=$((blocks * 8 + 8192))
create
dmsetup message vs 0 flush
dmsetup remove vs

# A disk that fails where it is sealed: small writes go to where it does not.
dmsetup create disk --table "0 256 error
256 $((sectors - 256)) linear $loop 256"
disk=/dev/mapper/disk
check "a disk that fails at its beginning" create "2 policy selective"
check "takes small writes elsewhere" dd if=/dev/urandom of=$vs bs=4k count=4 seek=1000 oflag=direct conv=notrunc 2>/dev/null
check "which are not in PRAM" [ "$(field dirty)" = 0 ]
# Each of them would wait for the disk's error.
tries=$(dmesg | grep -c "cannot be sealed")
check "and many of them" dd if=/dev/urandom of=$vs bs=4k count=100 seek=1000 oflag=direct conv=notrunc 2>/dev/null
check "do not try it again and again" [ $(($(dmesg | grep -c "cannot be sealed") - tries)) -le 2 ]
check "and are errors there" sh -c "! dd if=/dev/urandom of=$vs bs=4k count=1 oflag=direct conv=notrunc 2>/dev/null"
replace_table disk "0 $sectors linear $loop 0"
sleep 6
check "once it works, they are" dd if=/dev/urandom of=$vs bs=4k count=4 seek=1000 oflag=direct conv=notrunc 2>/dev/null
check "in PRAM" [ "$(field dirty)" = 4 ]
replace_table disk "0 256 error
256 $((sectors - 256)) linear $loop 256"
check "flush tells that what is sealed cannot go back" sh -c "! dmsetup message vs 0 flush 2>/dev/null"
check_data "it is read all the time" dd if=$vs of=/dev/null bs=64k count=2 iflag=direct 2>/dev/null
check "a small write there waits for no disk that fails" sh -c "timeout 20 dd if=/dev/zero of=$vs bs=4k count=1 oflag=direct conv=notrunc 2>/dev/null; [ \$? = 1 ]"
replace_table disk "0 $sectors linear $loop 0"
check "flush works when the disk does" dmsetup message vs 0 flush
check "the disk is whole" [ "$(field sealed)" = 0 ]
dmsetup remove vs
dmsetup remove disk
disk=

# Sealed and made whole again and again, under load, with reads that are kept.
rm -f /tmp/state
create "4 reads promote threshold 32768"
dd if=/dev/zero of=$vs bs=1M oflag=direct 2>/dev/null
"$here/storecheck" $vs 0 $blocks /tmp/state 100000000 7 >/tmp/storecheck.log 2>&1 &
load=$!
( while :; do dd if=$vs of=/dev/null bs=4k count=40 iflag=direct; done ) 2>/dev/null &
reader=$!
until=$(($(date +%s) + $1))
flushes=0
while [ "$(date +%s)" -lt $until ]; do
	dmsetup message vs 0 flush && flushes=$((flushes + 1))
done
kill $load $reader
check_data "model-checked requests, beside $flushes flushes" wait $load
wait $reader 2>/dev/null
check "several flushes" [ $flushes -gt 1 ]
dmsetup message vs 0 flush
dmsetup remove vs
check_data "the disk alone has it all" "$here/storecheck" "$loop" 0 $blocks /tmp/state 0 7
check "unload" modprobe -r dm-vstore
done_testing
