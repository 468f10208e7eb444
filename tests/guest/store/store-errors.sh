#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# store-errors.sh: dm-vstore where a disk has bad sectors, and PRAM has lines that cannot be read, are lost, were changed, or
# are again what they were before. Needs an NVDIMM of 128 MiB and the host's files, for dmsetup.
#
# kernels: newest; soak: all
# options: --nvdimm 128M --root host
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/storepram.sh"
blocks=8192		# 32 MiB
sectors=$((blocks * 8))
poison=/sys/kernel/debug/vmtest/poison

create() { dmsetup create vs --table "0 $sectors vstore /dev/mapper/disk /dev/mapper/pram $1" 2>/dev/null; }
# part FROM COUNT [DEVICE]: blocks as they are read, each by itself.
part() { dd if="${3:-$vs}" bs=4k skip="$1" count="$2" iflag=direct; }
as_written() { part "$@" 2>/dev/null >/tmp/part && dd if=/tmp/written bs=4k skip="$1" count="$2" 2>/dev/null | cmp -s - /tmp/part; }
# put FROM COUNT: each block is a request.
put() { dd if=/tmp/written of=$vs bs=4k skip="$1" seek="$1" count="$2" oflag=direct conv=notrunc 2>/dev/null; }
# The first word of a block, as the kernel reads it.
word_of() { dd if=/tmp/written bs=4k skip="$1" count=1 2>/dev/null | od -An -v -tu8 -N8 | tr -d ' '; }

modprobe loop 2>/dev/null
modprobe dm-mod 2>/dev/null
check "load dm-vstore" modprobe dm-vstore
check "load what makes memory bad" modprobe vmtest
dd if=/dev/urandom of=/tmp/written bs=4k count=256 2>/dev/null
truncate -s $((blocks * 4096)) /tmp/store-disk
loop=$(losetup -f --show /tmp/store-disk)
good="0 $sectors linear $loop 0"
# Of block 107, one sector.
bad=$((107 * 8 + 3))
holed="0 $bad linear $loop 0
$bad 1 error
$((bad + 1)) $((sectors - bad - 1)) linear $loop $((bad + 1))"
dmsetup create disk --table "$good"
check "the NVDIMM has DAX" pmem_with_dax
dmsetup create pram --table "0 8192 linear /dev/pmem0 0"
dd if=/dev/zero of=/dev/mapper/pram bs=1M count=4 oflag=direct 2>/dev/null
check "create" create "3 format policy selective"

# A sector of the disk.
replace_table disk "$holed"
check "the disk has a bad sector" fails part 107 1 /dev/mapper/disk
put 100 16
moved=$(field moved) errors=$(field errors)
check "flush tells of it" fails flush
check "all blocks but that one were moved" field_is moved $((moved + 15))
check "which alone is dirty" field_is dirty 1
check "the error is counted" field_at_least errors $((errors + 1))
check "nothing is wrong with PRAM" field_is bad_pages 0
check_data "the disk has those before" as_written 100 7 $loop
check_data "and those after" as_written 108 8 $loop
check_data "all is read, that block from PRAM" as_written 100 16
put 150 8
check "flush fails again" fails flush
check "but what came later was moved" field_is moved $((moved + 23))
check_data "the disk has it" as_written 150 8 $loop
put 107 1
check_data "the bad one can be written" as_written 107 1
replace_table disk "$good"
check "the disk is good again: flush" flush
check "the count is right" field_is moved $((moved + 24))
check_data "the disk has that one" as_written 107 1 $loop

# A disk that says more of its errors than that there are some: its reader is told, also by what fills PRAM.
says_medium_error() { part "$@" 2>&1 >/dev/null | grep -q "No data available"; }
pseudo=/sys/bus/pseudo/drivers/scsi_debug
is_found() { quiet ls $pseudo/adapter0/host*/target*/*/block/; }
if modprobe sd_mod 2>/dev/null && modprobe scsi_debug dev_size_mb=$((blocks / 256)) delay=0 medium_error_start=$((200 * 8)) \
	medium_error_count=8 2>/dev/null; then
	check "a disk of a kind of its own" wait_for 10 is_found
	scsi_disk=/dev/$(ls $pseudo/adapter0/host*/target*/*/block)
	replace_table disk "0 $sectors linear $scsi_disk 0"
	echo 2 >$pseudo/opts
	check "a disk has a medium error" says_medium_error 200 1 $scsi_disk
	check "a read of the store says so" says_medium_error 200 1
	dmsetup message vs 0 reads promote
	promoted=$(field promoted)
	check "as does one that is to enter PRAM" says_medium_error 200 1
	check "which nothing does" field_is promoted "$promoted"
	check "beside it all is well" quiet part 201 4
	check "and enters" wait_for 5 field_is promoted $((promoted + 4))
	echo 0 >$pseudo/opts
	check "the disk is good again, and is asked" quiet part 200 1
	check "that enters, too" wait_for 5 field_is promoted $((promoted + 5))
	dmsetup message vs 0 reads keep
	blkdiscard -o $((200 * 4096)) -l $((5 * 4096)) $vs
	replace_table disk "$good"
	check "unload that disk" rmmod scsi_debug
fi

# PRAM that cannot be read, of a block that is dirty; not one that is sealed, which a flush that fails leaves in PRAM.
put 140 8
word_of 143 >$poison
check "write-back goes on beside it; flush tells" fails flush
check_data "what can be read is on the disk" as_written 140 3 $loop
check_data "also what comes after" as_written 144 4 $loop
check "the log tells" log_says "block 143 cannot be read"
check "one page is bad" field_is bad_pages 1
check "so is one block" field_is bad_blocks 1
check "which is not waiting for the disk" field_is dirty 0
check "it is an error to read" fails part 143 1
check "among others, too" fails dd if=$vs of=/dev/null bs=64k count=1 skip=8 iflag=direct
check_data "the others are read" as_written 140 3
check_data "likewise" as_written 144 4
echo 0 >$poison
check "it is not tried again" fails part 143 1
moved=$(field moved)
put 143 1
check_data "it is written anew" as_written 143 1
check "elsewhere" field_is bad_blocks 0
check "and the page remains bad" field_is bad_pages 1
check "flush" flush
check_data "the disk has it" as_written 143 1 $loop

# Likewise, found by a reader, and dropped.
put 150 2
word_of 151 >$poison
check "a reader gets an error" fails part 151 1
check "it is counted" field_is bad_blocks 1
check "discard" blkdiscard -o $((151 * 4096)) -l 4096 $vs
check "it is gone" field_is bad_blocks 0
echo 0 >$poison
check "the disk's contents are read" quiet part 151 1
check "flush" flush

# What is clean is on the disk.
put 40 4
check "flush" flush
word_of 42 >$poison
before=$(field read_disk)
check_data "a clean block that cannot be read comes from the disk" as_written 40 4
check "as is counted" field_is read_disk $((before + 1))
check "three pages are bad" field_is bad_pages 3
check "no block is" field_is bad_blocks 0
echo 0 >$poison
check_data "it is read again" as_written 40 4
check "flush" flush

# The tree, while the store is open: the root is in page 1 of the PRAM, and what an entry begins with is a page's number.
entry() { # PAGE NUMBER TYPE
	dd if=/dev/mapper/pram bs=4k skip="$1" count=1 iflag=direct 2>/dev/null |
		od -An -v -t"$3" -j$(($2 * 8)) -N"${3#u}" | tr -d ' '
}
# Of a page, 64 entries.
zero() { dd if=/dev/zero of=/dev/mapper/pram bs=512 seek=$(($1 * 8)) count=1 oflag=direct conv=notrunc 2>/dev/null; }
put 60 4
leaf=$(entry 1 0 u4) bad=$(field bad_pages)
entry "$leaf" 61 u8 >$poison
check_data "a block is found whose entry cannot be read" as_written 60 4
echo 0 >$poison
check "the log tells of the node" log_says "page $leaf, of the tree, was damaged; it is mended"
check "which is elsewhere" [ "$(entry 1 0 u4)" != "$leaf" ]
check "its page is used no more" field_is bad_pages $((bad + 1))
leaf=$(entry 1 0 u4)
zero "$leaf"
check_data "blocks are found whose entries were lost" as_written 60 4
check "the log tells" log_says "page $leaf, of the tree, was damaged; it is mended"
leaf=$(entry 1 0 u4)
zero 1
put 60 2
check "the root's are written anew" [ "$(entry 1 0 u4)" = "$leaf" ]
check "the log tells" log_says "page 1, of the tree, was damaged; it is mended"
zero "$leaf"
check "write-back finds what it moves" flush
check "and has the node mended" log_says "page $leaf, of the tree, was damaged; it is mended"
check_data "blocks are there all the time" as_written 60 4

# Data that were changed, and nobody told.
page_of() { entry "$(entry 1 0 u4)" "$1" u4; }
put 60 4
zero "$(page_of 62)"
check "a dirty block that was changed is an error" fails part 62 1
check "the log tells" log_says "block 62 has a wrong checksum$"
check_data "those beside it are read" as_written 60 2
check_data "likewise" as_written 63 1
check "flush tells" fails flush
put 62 1
check "it is written anew: flush" flush
put 60 4
zero "$(page_of 63)"
check "write-back finds another one" fails flush
check "the log tells" log_says "block 63 has a wrong checksum$"
put 63 1
check "flush" flush
zero "$(page_of 61)"
check_data "a clean block that was changed comes from the disk" as_written 60 4
check "the log tells" log_says "block 61 has a wrong checksum: the disk has it"

# The same where nothing may be written.
dmsetup message vs 0 low_watermark 0
dmsetup message vs 0 high_watermark 0
put 60 4
check "write-back makes them clean" wait_for 20 field_is dirty 0
check "while the disk is sealed" field_is sealed 1
dmsetup remove vs
check "open to be read" dmsetup create -r vs --table "0 $sectors vstore /dev/mapper/disk /dev/mapper/pram 2 policy selective"
zero "$(page_of 61)"
check_data "a clean block that was changed comes from the disk" as_written 60 4
check_data "each time" as_written 61 1
dmsetup remove vs
check "open again" create "2 policy selective"
check_data "likewise" as_written 60 4

# And where nothing may be written for a while.
dmsetup message vs 0 low_watermark 0
dmsetup message vs 0 high_watermark 0
put 60 4
check "write-back makes them clean" wait_for 20 field_is dirty 0
blockdev --setro /dev/mapper/disk
zero "$(page_of 61)"
check_data "a clean block that was changed comes from the disk" as_written 60 4
blockdev --setrw /dev/mapper/disk
check_data "and later, too" as_written 60 4
check "flush misses nothing" flush
dmsetup message vs 0 high_watermark 75

# The disk fails when it is to be made whole, and by the next time PRAM has lost what was to go there.
put 4 3
replace_table disk "0 $sectors error"
check "flush tells that the disk fails" fails flush
dmsetup remove vs
replace_table disk "$good"
zero "$(page_of 5)"
check "the store opens" create "2 policy selective"
check "a block is lost" fails part 5 1
check_data "those beside it are there" as_written 6 1
put 5 1
check "it is written anew: flush" flush
check "the disk is whole" field_is sealed 0
check_data "and has it all" as_written 4 3 $loop

# Entries that are again what they were before.
entries() { dd if=/dev/mapper/pram of="$1" bs=512 skip=$(($2 * 8)) count=1 iflag=direct 2>/dev/null; }
put 61 1
leaf=$(entry 1 0 u4)
entries /tmp/entries-old "$leaf"
dd if=/tmp/written of=$vs bs=4k skip=70 seek=61 count=1 oflag=direct conv=notrunc 2>/dev/null
entries /tmp/entries-new "$leaf"
check "remove" dmsetup remove vs
dd if=/tmp/entries-old of=/dev/mapper/pram bs=512 seek=$((leaf * 8)) count=1 oflag=direct conv=notrunc 2>/dev/null
check "a tree that has gone back is refused" fails create "2 policy selective"
check "the log tells" log_says "a page was committed that no entry leads to (block 61)"
dmsetup remove vs 2>/dev/null
dd if=/tmp/entries-new of=/dev/mapper/pram bs=512 seek=$((leaf * 8)) count=1 oflag=direct conv=notrunc 2>/dev/null
check "as it was, it is not" create "2 policy selective"
part 61 1 >/tmp/part 2>/dev/null
check_data "the block is what was written last" sh -c 'dd if=/tmp/written bs=4k skip=70 count=1 2>/dev/null | cmp -s - /tmp/part'
put 61 1

check "remove" dmsetup remove vs
printf '%u\n' 0x31524f5453564d4d >$poison	# how the header begins
check "a header that cannot be read is refused" fails create "2 policy selective"
check "the log tells" log_says "header cannot be read"
echo 0 >$poison
dmsetup remove vs 2>/dev/null
check "create again" create "2 policy selective"
check_data "everything is there" as_written 100 16
check_data "likewise" as_written 140 8

# What the driver knows to be bad by now it gives nobody the address of.
check "the driver learns of a bad page" sh -c "echo '$((1000 * 8)) 8' >/sys/block/pmem0/badblocks"
check "suspend" dmsetup suspend vs
check "resume" dmsetup resume vs
check_data "everything is there" as_written 100 16
check "remove" dmsetup remove vs
check "it opens beside it" create "2 policy selective"
check_data "everything is there" as_written 140 8
dmsetup remove vs
rmmod vmtest
check "unload" modprobe -r dm-vstore
done_testing
