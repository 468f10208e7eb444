#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# store-claims.sh: what a store has, disk and PRAM, nobody else gets meanwhile: another store, a file system, a driver.
# Needs an NVDIMM of 256 MiB, a disk, and the host's files, for dmsetup.
#
# kernels: none; soak: all
# options: --mem 768M --nvdimm 256M --disk 64M --root host
# timeout: 1800
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/storepram.sh"
disk=/dev/vda
blocks=16384		# 64 MiB
sectors=$((blocks * 8))
mib=2048		# in sectors

store() { # NAME DISK PRAM [FEATURES]
	dmsetup create "$1" --table "0 ${size:-$sectors} vstore $2 $3${4:+ $4}" 2>/tmp/said
}
refused() { # like store; leaves no device behind
	! store "$@" && { quiet dmsetup remove "$1" || true; }
}
said() { dmesg | tail -n 12 | grep -q "$1"; }
busy() { # COMMAND...: fails, and says that something is in use
	! "$@" >/tmp/said 2>&1 && grep -qi 'busy\|in use\|already mounted' /tmp/said
}

for module in virtio_blk loop dm-mod ext4; do
	modprobe $module 2>/dev/null
done
check "load dm-vstore" modprobe dm-vstore
# A range that memory has a part of.
driver=/sys/bus/nd/drivers/nd_pmem
namespace=/sys/bus/nd/devices/namespace0.0
region=$(realpath $namespace/..)
start=$(($(cat $namespace/resource)))
length=$(($(cat $namespace/size)))
whole=$(printf '%#x-%#x' $start $((start + length)))
bound() { [ -b /dev/pmem0 ]; }
# Again and again: a moment in which nobody has the range would be enough.
bind_on() { while :; do echo namespace0.0 >$driver/bind; done 2>/dev/null; }
dd if=/dev/zero of=/dev/pmem0 bs=1M count=4 oflag=direct 2>/dev/null
echo namespace0.0 >$driver/unbind
bind_on &
binder=$!
check "its driver can have a range that nobody else has" wait_for 10 bound
kill $binder
wait $binder 2>/dev/null
echo namespace0.0 >$driver/unbind
truncate -s 64M /tmp/other-disk
loop=$(losetup -f --show /tmp/other-disk)
if store vs $disk "$whole" "2 shared format"; then
	check "memory has some of the range" wait_for 30 field_at_least lent 20000
	check "no second store gets the range" refused other "$loop" "$whole" "1 shared"
	half=$(printf '%#x-%#x' $start $((start + length / 2)))
	check "nor a part of it" refused other "$loop" "$half" "2 shared format"
	check "as is said" said "overlaps another store"
	echo namespace0.0 2>/dev/null >$driver/bind
	check "nor does its driver" fails bound
	# As ndctl create-namespace --mode devdax does.
	dax=$(cat "$region/dax_seed")
	echo ram >"$region/$dax/mode"
	echo 2097152 >"$region/$dax/align"
	cat /proc/sys/kernel/random/uuid >"$region/$dax/uuid"
	echo namespace0.0 >"$region/$dax/namespace"
	modprobe dax_pmem 2>/dev/null
	echo "$dax" 2>/dev/null >/sys/bus/nd/drivers/dax_pmem/bind
	check "nor does it become a DAX device" sh -c "! ls /dev/dax* >/dev/null 2>&1"
	echo >"$region/$dax/namespace"
	check_data "storage is written" "$here/storecheck" $vs 0 $blocks /tmp/state 300 4
	# A region is no owner: it names memory, what is lent among it.
	modprobe memdiag 2>/dev/null
	check "a region over the range" sh -c "echo 'pram $whole' >$suite/regions/add"
	check "its memory is tested" sh -c "echo $whole >$suite/memdiag/range/run_test"
	wait_for 600 sh -c "! grep -q running $suite/memdiag/range/status"
	note "$(cat $suite/memdiag/range/status): $(cat $suite/memdiag/range/tested_pages) pages tested"
	check "some of it was" at_least $suite/memdiag/range/tested_pages 1000
	check "what is storage was not" at_least $suite/memdiag/range/untested_pages $(($(field pages) - $(field lent)))
	check "the region goes" sh -c "echo pram >$suite/regions/remove"
	modprobe -r memdiag
	check_data "storage is unharmed" "$here/storecheck" $vs 0 $blocks /tmp/state 100 5
	bind_on &
	binder=$!
	for again in 1 2 3; do
		check "remove, while its driver wants the range" dmsetup remove vs
		kill $binder 2>/dev/null
		wait $binder 2>/dev/null
		echo namespace0.0 2>/dev/null >$driver/unbind
		bind_on &
		binder=$!
		if store vs $disk "$whole" "1 shared"; then
			check "it comes back, or its driver has it" fails bound
		else
			check "it comes back, or its driver has it" bound
			kill $binder
			wait $binder 2>/dev/null
			echo namespace0.0 >$driver/unbind
			store vs $disk "$whole" "1 shared"
		fi
		check_data "everything is there" "$here/storecheck" $vs 0 $blocks /tmp/state 0 6
	done
	kill $binder 2>/dev/null
	wait $binder 2>/dev/null
	check "flush" flush
	check "remove" dmsetup remove vs
	check_data "the disk has it all" "$here/storecheck" $disk 0 $blocks /tmp/state 0 7
else
	check "a kernel that cannot share says so" said "cannot take memory back in units of 2 MiB"
fi
wait
bound || echo namespace0.0 >$driver/bind
dd if=/dev/zero of=/dev/pmem0 bs=1M count=16 oflag=direct 2>/dev/null
rm -f /tmp/state
dd if=/dev/zero of=$disk bs=1M oflag=direct 2>/dev/null

check "the NVDIMM has DAX" pmem_with_dax
dmsetup create one --table "0 $((8 * mib)) linear /dev/pmem0 0"
dmsetup create two --table "0 $((8 * mib)) linear /dev/pmem0 $((8 * mib))"
dmsetup create across --table "0 $((8 * mib)) linear /dev/pmem0 $((4 * mib))"
dd if=/dev/zero of=/dev/pmem0 bs=1M count=16 oflag=direct 2>/dev/null
addpart $disk 1 2048 32768
check "the disk has partitions" [ -b ${disk}1 ]

# The disk.
check "create" store vs $disk /dev/mapper/one "3 format policy selective"
check_data "it is written" "$here/storecheck" $vs 0 $blocks /tmp/state 100 1
mkdir -p /tmp/mnt
check "the disk is not mounted meanwhile" busy mount -t ext4 $disk /tmp/mnt
check "nor made a file system" busy mkfs.ext4 -q -F $disk
check "nor a partition of it" busy mount -t ext4 ${disk}1 /tmp/mnt
check "nor claimed by anybody" sh -c "! python3 -c 'import os; os.open(\"$disk\", os.O_RDWR | os.O_EXCL)' 2>/dev/null"
check "no other store gets the disk, with another PRAM" refused other $disk /dev/mapper/two "1 format"
check "the log says why" said "another store uses the disk"
size=32768
check "nor a part of it" refused other ${disk}1 /dev/mapper/two "1 format"
check "the log says why" said "another store uses the disk"
size=

# The PRAM.
check "no other store gets the PRAM" refused other "$loop" /dev/mapper/one
check "the log says why" said "another store uses the PRAM"
check "nor what overlaps it" refused other "$loop" /dev/mapper/across "1 format"
check "nor is it formatted for another" refused other "$loop" /dev/mapper/across "1 format"
check "what does not overlap is" store other "$loop" /dev/mapper/two "1 format"
check_data "two stores beside each other" sh -c "
	'$here/storecheck' /dev/mapper/other 0 $blocks /tmp/state-other 150 2 &
	'$here/storecheck' $vs 0 $blocks /tmp/state 150 3 && wait \$!"
dmsetup remove other
check "the PRAM is not mounted meanwhile" busy mount -t ext4 /dev/pmem0 /tmp/mnt
check "nor lent to memory" refused other "$loop" \
	"$(printf '%#x-%#x' $(($(cat /sys/bus/nd/devices/namespace0.0/resource))) \
		$(($(cat /sys/bus/nd/devices/namespace0.0/resource) + $(cat /sys/bus/nd/devices/namespace0.0/size))))" \
	"2 shared format"
dmsetup remove vs
size=8192
check "disk and PRAM are not one device" refused vs /dev/mapper/one /dev/mapper/one "1 format"
check "with the reason" said "Disk and PRAM are one device"
size=

# While a store is suspended, others may have both; it finds out. The other disk has a seal from before.
dd if=/dev/zero of="$loop" bs=4k count=1 oflag=direct conv=notrunc 2>/dev/null
store vs $disk /dev/mapper/one
flush
dmsetup suspend vs
check "another store gets what a suspended one has" store other "$loop" /dev/mapper/one
check "which is not resumed then" sh -c "! dmsetup resume vs 2>/dev/null"
check "the log says why" said "another store uses the PRAM"
dmsetup remove other
dd if=/dev/zero of=/dev/mapper/one bs=1M count=8 oflag=direct 2>/dev/null
check "nor if the PRAM is blank" sh -c "! dmsetup resume vs 2>/dev/null"
store other "$loop" /dev/mapper/one "1 format" && dmsetup remove other
check "nor if it is of another store, of the same size" sh -c "! dmsetup resume vs 2>/dev/null"
check "the log says why" said "another than when the table was loaded"
dmsetup remove vs
check_data "the disk has everything" "$here/storecheck" $disk 0 $blocks /tmp/state 0 1

# A disk that is in use is no store's.
mkfs.ext4 -q -F -E nodiscard "$loop"
mount -t ext4 "$loop" /tmp/mnt
check "a disk that is mounted is refused" refused vs "$loop" /dev/mapper/one
umount /tmp/mnt
dmsetup remove one two across 2>/dev/null
for name in one two across; do
	dmsetup remove $name 2>/dev/null
done

check "unload" modprobe -r dm-vstore
done_testing
