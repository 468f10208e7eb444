#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Moves by rank: what is used most lies in the region where it costs least, whether it is read or
# written. A set that shifts is followed, within seconds and at the quota that is chosen by itself;
# one that finds the region full comes once there is room. All of it a second time after the modules
# were unloaded. Boot with two nodes, the processors on the first.
#
# boot: shared
# kernels: oldest newest; soak: all
# options: --numa 512M,cpus=0-1 --numa 512M
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/audited.sh"
set_pages=6144		# 24 MiB
fast_pages=8192		# 32 MiB: room for one set, not for two
node_mib=512

costs() { # REGION READ WRITE
	say "$1" read_latency_ns "$2"
	say "$1" write_latency_ns "$3"
}
# What others have in the region is no room, and what they have lies anywhere, above all after
# compaction.
load() { # LIFE
	echo 3 >/proc/sys/vm/drop_caches
	echo 1 >/proc/sys/vm/compact_memory
	modprobe vipzone || exit 1
	first=$(free_range $((fast_pages / 256)) 32 $node_mib)
	fast=$(printf '0x%x 0x%x' $((first << 20)) $(((first + fast_pages / 256) << 20)))
	echo "fast ${fast% *}-${fast#* }" >$suite/regions/add || exit 1
	note "$fast has $(cat $suite/regions/fast/free_pages) free pages"
	check "$1: a region of free memory is there" at_least $suite/regions/fast/free_pages $((fast_pages * 31 / 32))
	echo 1024 >$suite/regions/fast/pool_kib
	costs fast 100 100
	costs node1 300 900
	echo 1 >$zone/enabled || exit 1
}
unload() { rmmod vipzone && rmmod memsuite || exit 1; }

program() { # [--write]
	# shellcheck disable=SC2086	# two words
	started "region:node1+fast heat" "$here/shift" $set_pages $1 --range $fast
}
# At least so many in a hundred of the set in use lie in the region, and at most.
in_fast() { # LEAST MOST
	ask USR1
	echo "$said" | awk -v a="$1" -v b="$2" '{ in_use = 100 * $3 / $2; exit !(in_use >= a && in_use <= b) }'
}
followed() { # LIMIT-MS
	begun=$(uptime_ms)
	wait_within 20 in_fast 95 100 || { note "$said"; return 1; }
	took=$(($(uptime_ms) - begun))
	note "after $took ms: $said; quota $(cat $audit/quota_kib_s) KiB/s, outranked $(cat "$dir/outranked_moved_pages" 2>/dev/null)"
	[ $took -le "$1" ]
}

follows() { # LIFE read|write
	how="$1: $2"
	flag=
	[ "$2" = read ] || flag=--write
	audits 0
	program $flag
	check "$how: before, it lies where new pages go" in_fast 0 5
	audits 200
	check "$how: it is promoted" followed 15000
	# A guest that has a part of a processor is as slow at both.
	limit=$((took * 5 / 2 > 10000 ? took * 5 / 2 : 10000))
	kill -USR2 $pid
	sleep 0.1
	check "$how: the other set is not there" in_fast 0 50
	check "$how: it is followed in seconds" followed $limit
	check_data "$how: it ends well" ends_well
}

# Another program has the region, and uses it as much: the set waits for room, and comes once that
# one has ended, wherever the audit is at that moment.
waits() { # LIFE
	program
	check "$1: a set takes the region" followed 15000
	holder=$pid
	program
	sleep 5
	check "$1: another one waits" in_fast 0 30
	kill -9 $holder
	wait $holder
	check "$1: it comes once there is room" followed 15000
	check_data "$1: what waited ends well" ends_well
}

for life in first second; do
	load $life
	follows $life read
	follows $life write
	waits $life
	unload
done
done_testing
