#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What the firmware tells of the memory is in the regions: nodes with HMAT's
# latencies, DIMMs of the DMI tables, persistent memory. For a machine with
# --numa 512M,read_ns=80,write_ns=90 --numa 256M,read_ns=300,write_ns=1000
# --nvdimm 128M, --memory-type 26,3 (DDR4) and --append memmap=64M!256M.
#
# kernels: oldest newest; soak: all
# options: --numa 512M,read_ns=80,write_ns=90 --numa 256M,read_ns=300,write_ns=1000
#   --nvdimm 128M --memory-type 26,3 --append memmap=64M!256M
. "$(dirname "$0")/ktap.sh"
regions=$suite/regions

modprobe memsuite || exit 1
for region in "$regions"/*/; do
	note "$(basename "$region"): $(cat "$region/start")-$(cat "$region/end") $(cat "$region/source")"
done
spans() { # REGION BYTES, but for what the firmware keeps at its ends
	size=$(($(cat "$1/end") - $(cat "$1/start")))
	[ $size -le "$2" ] && [ $size -ge $(($2 - 1048576)) ]
}
check "the first node" spans $regions/node0 536870912
check "the second node" spans $regions/node1 268435456
check "its read latency" equals $regions/node0/read_latency_ns 80
check "its write latency" equals $regions/node0/write_latency_ns 90
check "read latency of the second" equals $regions/node1/read_latency_ns 300
check "write latency of the second" equals $regions/node1/write_latency_ns 1000
if [ -d /sys/devices/virtual/memory_tiering ]; then
	tier=$(basename "$(dirname "$(grep -lE '0' /sys/devices/virtual/memory_tiering/*/nodelist)")")
	check "its tier" equals $regions/node0/tier "${tier#memory_tier}"
else
	check "no tier on a kernel without tiers" equals $regions/node0/tier -1
fi
of_source() { grep -lx "$1" $regions/*/source | head -n 1 | xargs dirname; }
dimm=$(of_source dimm)
check "a DIMM" [ -d "$dimm" ]
check "it has its locator" grep -q 'DIMM' "$dimm/locator"
# QEMU's tables name one DIMM, of the array's range.
check "it is not interleaved" equals "$dimm/interleaved" no
check "of a node nobody says" equals $regions/node0/interleaved unknown
check "and what it is made of" equals "$dimm/technology" ddr4
check "of a node nobody says what" equals $regions/node0/technology ""
of_technology() { grep -lx "$1" $regions/*/technology | xargs dirname; }
nvdimm=$(of_technology nvdimm)
check "persistent memory" equals "$nvdimm/source" nvdimm
check "all of it" spans "$nvdimm" 134217728
check "by the name that NFIT gives it" equals "$nvdimm/locator" nmem0
check "in no interleave" equals "$nvdimm/interleaved" no
set_apart=$(of_technology pmem)
check "memory that memmap= sets apart" equals "$set_apart/source" nvdimm
check "is where it was" equals "$set_apart/start" 0x10000000
check "all of it, too" spans "$set_apart" 67108864
check "unload" rmmod memsuite
done_testing
