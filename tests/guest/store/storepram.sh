# SPDX-License-Identifier: GPL-2.0-only
# The NVDIMM as a PRAM with DAX, and what scripts ask of a store. Source it.
# shellcheck shell=sh disable=SC2034

# What a store's scripts have in common: the store is the device vs.
export DM_DISABLE_UDEV=1
vs=/dev/mapper/vs

# field NAME: a number of the store's status.
field() { dmsetup status vs | awk -v name="$1" '{ for (i = 4; i < NF; i++) if ($i == name) print $(i + 1) }'; }
field_is() { [ "$(field "$1")" = "$2" ]; }
field_at_least() { [ "$(field "$1")" -ge "$2" ]; }
field_at_most() { [ "$(field "$1")" -le "$2" ]; }
flush() { dmsetup message vs 0 flush; }
log_says() { dmesg | grep -q "$1"; }
quiet() { "$@" >/dev/null 2>&1; }
fails() { ! quiet "$@"; }
# Likewise, but for what a command says if it fails.
says_if_it_fails() { "$@" >/tmp/said 2>&1 || { sed 's/^/# /' /tmp/said; false; }; }
# replace_table DEVICE TABLE: of a device of device-mapper, at once.
replace_table() {
	dmsetup suspend --noflush "$1" && printf '%s\n' "$2" | dmsetup load "$1" && dmsetup resume "$1"
}

# disk_and_pram BLOCKS: gives the disk $loop, and /dev/mapper/pram of 4 MiB, which is blank as is what follows it.
disk_and_pram() {
	truncate -s $(($1 * 4096)) /tmp/store-disk
	loop=$(losetup -f --show /tmp/store-disk)
	check "the NVDIMM has DAX" pmem_with_dax
	dmsetup create pram --table "0 8192 linear /dev/pmem0 0"
	dd if=/dev/zero of=/dev/pmem0 bs=1M count=8 conv=fsync 2>/dev/null
}

# pmem_with_dax [NAME]: gives /dev/pmem0, or the one of that name, the struct pages without
# which it has no DAX, as ndctl create-namespace --mode fsdax does. It lasts.
pmem_with_dax() {
	pmem=/sys/block/${1:-pmem0}
	[ "$(cat $pmem/queue/dax)" = 1 ] && return
	region=$(realpath $pmem/device/..)
	driver=$(realpath $pmem/device/driver)
	namespace=$(basename "$(realpath $pmem/device)")
	seed=$(cat $region/pfn_seed)
	echo "$namespace" >$driver/unbind
	echo ram >"$region/$seed/mode"
	echo 2097152 >"$region/$seed/align"
	cat /proc/sys/kernel/random/uuid >"$region/$seed/uuid"
	echo "$namespace" >"$region/$seed/namespace"
	echo "$seed" >$driver/bind
	[ "$(cat $pmem/queue/dax)" = 1 ]
}
