# SPDX-License-Identifier: GPL-2.0-only
# The NVDIMM as a PRAM with DAX. Source it.
# shellcheck shell=sh

# pmem_with_dax: gives /dev/pmem0 the struct pages without which it has no DAX, as
# ndctl create-namespace --mode fsdax does. It lasts.
pmem_with_dax() {
	[ "$(cat /sys/block/pmem0/queue/dax)" = 1 ] && return
	region=$(realpath /sys/block/pmem0/device/..)
	driver=$(realpath /sys/block/pmem0/device/driver)
	seed=$(cat $region/pfn_seed)
	echo namespace0.0 >$driver/unbind
	echo ram >"$region/$seed/mode"
	echo 2097152 >"$region/$seed/align"
	cat /proc/sys/kernel/random/uuid >"$region/$seed/uuid"
	echo namespace0.0 >"$region/$seed/namespace"
	echo "$seed" >$driver/bind
	[ "$(cat /sys/block/pmem0/queue/dax)" = 1 ]
}
