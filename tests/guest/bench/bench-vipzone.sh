#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# bench-vipzone.sh LAYOUT RUN...: runs programs of a disk (pmem0) under policies while QEMU's plugin counts what they do
# to memory. The host's tests/bench-vipzone reads the counts.
#
# LAYOUT names the regions, which are made of what the kernel does not hold when this starts:
#   hybrid FIRST FRAMES SECOND  two; the first, at the lowest addresses, has so many free frames
#   dimms N                     d0 to dN-1, of the same size but for what the machine keeps of the last
#   nodes                       the kernel's own: node0, node1
#   banks                       rank0 to rank3 of paper 004's machine, and ranks, all of them
# RUN is "PROGRAM POLICY [OPTION|FILE=VALUE]...": POLICY and OPTION as in vipzone/add, or "-", the stock kernel, whose
# options tell runs apart; files of the suite, with a / in their names, are written before. /mnt/share/flags is
# /proc/kpageflags as it is before them.
#
# Prints a line of JSON for the layout, and one for each run.

. "$(dirname "$0")/ktap.sh"
zone=$suite/vipzone
disk=/tmp/disk

fail() {
	echo "bench-vipzone: $*" >&2
	exit 1
}

# Address below which there are so many free frames.
above_free() { # FRAMES
	page_flags | awk -v wanted="$1" '$1 == 1024 && ++free == wanted { print NR * 4096; exit }'
}
# As JSON: first and last address of each part of the kernel's image that it keeps.
kernel_image() {
	awk '/Kernel (code|rodata|data|bss)/ { split($1, range, "-"); print "0x" range[1], "0x" range[2] }' /proc/iomem |
		while read -r first last; do echo "[$((first)), $((last))]"; done | paste -sd,
}
count_free() { page_flags | grep -cx ' *1024'; }

# Paper 003, Table 2: moves go by it.
write_latency_ns() { # MEMORY
	case $1 in dram) echo 50 ;; pram) echo 1000 ;; esac
}
# What a kernel fills first are the lowest addresses, see tests/bench-vipzone.
layout_hybrid() { # FIRST FRAMES SECOND
	edge=$(($(above_free "$2") / 2097152 * 2097152))
	regions="$1 0-$edge technology=$1 write_latency_ns=$(write_latency_ns "$1")
$3 $edge-$end technology=$3 write_latency_ns=$(write_latency_ns "$3")"
}
layout_dimms() { # N
	edge=$(((end / $1 + 2097151) / 2097152 * 2097152))
	regions=
	for i in $(seq 0 $(($1 - 2))); do
		regions="${regions}d$i $((i * edge))-$(((i + 1) * edge))
"
	done
	regions="${regions}d$(($1 - 1)) $((edge * ($1 - 1)))-$end"
}
layout_nodes() {
	edge=$(($(awk '$2 == "1," { second = 1 } second && $1 == "start_pfn:" { print $2; exit }' /proc/zoneinfo) * 4096))
	regions=
}
layout_banks() {
	# Programs that run at once get other CPUs, and their banks, from the first page on.
	taskset -p 1 $$ >/dev/null || fail "cannot stay on the first CPU"
	map="paper interleave=64x3,12Kx8,3Mx4"
	regions="rank0 0-$end map=paper banks=0-7
rank1 0-$end map=paper banks=8-15
rank2 0-$end map=paper banks=16-23
rank3 0-$end map=paper banks=24-31
ranks 0-$end map=paper banks=0-31"
}

load() {
	modprobe vipzone || fail "cannot load vipzone"
	[ -z "$map" ] || echo "$map" >$suite/bank_maps/add || fail "cannot add $map"
	echo "$regions" | while read -r region; do
		[ -z "$region" ] || echo "$region" >$suite/regions/add || fail "cannot add $region"
	done || exit 1
	for pool in $suite/regions/*/pool_kib; do
		echo 2048 >"$pool"
	done
	echo 1 >$zone/enabled || fail "cannot enable vipzone"
}

# Until the fillers have nothing more to do.
settle() {
	filled=
	until [ "$filled" = "$(cat $suite/regions/*/pool_filled_pages)" ]; do
		filled=$(cat $suite/regions/*/pool_filled_pages)
		sleep 1
	done
}

# A second later, when the fillers have cleared as many pages again as the program took.
end_count() {
	mark lap
	sleep 1
	mark stop
}

# Starts a program under the policy, counted from its first instruction on; programs that run together count for
# themselves.
steered() { # PROGRAM POLICY [OPTION|FILE=VALUE]...
	program=$1
	policy=$2
	shift 2
	load
	for word in "$@"; do
		case $word in
		*/*=*) echo "${word#*=}" >"$suite/${word%%=*}" || fail "cannot write $word" ;;
		*) policy="$policy $word" ;;
		esac
	done
	# Somebody must want the regions, or they have no pools.
	sleep 100000 &
	holder=$!
	echo "$holder $policy" >$zone/add || fail "cannot add $policy"
	settle
	sh -c 'echo "$$ $1 children" >$2 && shift 2 && exec "$@"' sh "$policy" $zone/add \
		mark start chroot $disk "/programs/$program"
	status=$?
	end_count
	given=$(cat $zone/steered_pages) empty=$(cat $zone/fallback_empty)
	kill $holder
	wait $holder 2>/dev/null
	rmmod vipzone memsuite || fail "cannot unload"
}

stock() { # PROGRAM
	mark start chroot $disk "/programs/$1"
	status=$?
	end_count
}

run() { # PROGRAM POLICY [OPTION|FILE=VALUE]...
	mount -o noatime /dev/pmem0 $disk && mount -o bind /dev $disk/dev || fail "cannot mount the disk"
	given=0 empty=0
	case $2 in
	-) stock "$1" ;;
	*) steered "$@" ;;
	esac
	umount $disk/dev $disk || fail "cannot unmount the disk"
	echo 3 >/proc/sys/vm/drop_caches
	echo "{\"run\": \"$*\", \"count\": $counts, \"status\": $status, \"given\": $given, \"empty\": $empty}"
	counts=$((counts + 1))
}

modprobe crc32c_generic 2>/dev/null
modprobe ext4 2>/dev/null
mkdir -p $disk
echo 3 >/proc/sys/vm/drop_caches
echo 1 >/proc/sys/vm/compact_memory
cat /proc/kpageflags >/mnt/share/flags
end=$(($(awk '/System RAM/ { split($1, range, "-"); last = range[2] } END { print "0x" last }' /proc/iomem) + 1))
kind=$1
map=
shift
case $kind in
hybrid)
	layout_hybrid "$1" "$2" "$3"
	shift 3
	;;
dimms)
	layout_dimms "$1"
	shift
	;;
nodes) layout_nodes ;;
banks) layout_banks ;;
*) fail "no layout $kind" ;;
esac
echo "{\"edge\": ${edge:-0}, \"end\": $end, \"free_frames\": $(count_free), \"kernel\": [$(kernel_image)]," \
	"\"release\": \"$(uname -r)\"}"
counts=0
for run in "$@"; do
	# shellcheck disable=SC2086	# words
	run $run
done
