#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# storecuts.sh COUNT SEED [shared]: writes to a store without end; tests/store-cuts looks from outside. The log is a file
# of the host, the disk is one whose writes are logged there, the PRAM is the NVDIMM; shared with memory, whose pages a
# program changes all the time, and each may have less of it in turn.
# storecuts.sh COUNT recover [shared]: opens what such a store left, and tells the host what its blocks hold.
. "$(dirname "$0")/storepram.sh"
share=/mnt/share
modprobe virtio_blk 2>/dev/null
modprobe dm-mod 2>/dev/null
modprobe dm-vstore 2>/dev/null

# What is not on the disk stays in PRAM until it has been read. Status and contents are the host's to judge.
recover() {
	create high_watermark 100 low_watermark 100 || exit 1
	dmesg | sed -n 's/^.*vstore: PRAM.*: \(.*left empty by\|the tree was read\)/\1/p' >$share/said
	dmsetup status vs >$share/status
	dd if=$vs of=$share/recovered bs=64k iflag=direct || exit 1
	dmsetup message vs 0 flush || exit 1
	dmsetup remove vs || exit 1
	dd if=/dev/vda of=$share/flushed bs=64k iflag=direct
	exit
}

# Without a cache that can be lost, there is nothing to see.
[ "$(cat /sys/block/vda/queue/write_cache)" = "write back" ] || exit 1
table="0 $(($1 * 8)) vstore /dev/vda"
if [ "$3" = shared ]; then
	namespace=/sys/bus/nd/devices/namespace0.0
	start=$(($(cat $namespace/resource)))
	echo namespace0.0 >/sys/bus/nd/drivers/nd_pmem/unbind
	create() {
		dmsetup create vs --table "$table $start-$((start + $(cat $namespace/size))) $(($# + 3)) shared storage_min 0 $*"
	}
	[ "$2" != recover ] || recover
	create format || exit 1
	"$(dirname "$0")/keep" 8192 >/dev/null &
	while sleep 0.5; do
		for most in 5 50; do
			dmsetup message vs 0 storage_max $most
			sleep 0.5
		done
	done &
	echo started
	exec "$(dirname "$0")/storecheck" $vs 0 "$1" /tmp/state 100000000 "$2" $share/log
fi
pmem_with_dax || exit 1
dmsetup create pram --table "0 4096 linear /dev/pmem0 0"
create() { dmsetup create vs --table "$table /dev/mapper/pram $# $*"; }
[ "$2" != recover ] || recover
dd if=/dev/zero of=/dev/mapper/pram bs=1M count=2 oflag=direct 2>/dev/null
create format || exit 1
while sleep 0.2; do
	for reads in promote keep; do
		dmsetup message vs 0 reads $reads
		# Each time the disk is made whole, and sealed again: that is short, and more often met.
		for _ in 1 2 3 4; do
			dmsetup message vs 0 flush
			sleep 0.2
		done
	done
done &
echo started
exec "$(dirname "$0")/storecheck" $vs 0 "$1" /tmp/state 100000000 "$2" $share/log
