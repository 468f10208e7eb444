#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# bench-fault.sh [PAGES]: what a page-fault loop costs with the suite on, loaded
# and absent. Runs in instruction time (--icount) with one CPU, so that the CPU
# time of a process is the number of instructions that it took, whatever runs
# beside it; all in the same boot, in ABBA order; ratios are of medians.
#
# Prints "run NAME NS" for each run, then "ratio NAME VALUE" to the stock kernel:
#   loaded     the modules are there, nothing is enabled
#   on         steered, the pool full
#   node       steered to a whole node, whose pool is full
#   node-empty the same without a pool: pages come from the free lists, and are
#              cleared in the fault
#   huge       as many huge pages as the pool has ready, to those of the stock
#              kernel, which clears them in the fault
#   node-huge  many huge pages, of which most are not ready: the kernel allocates
#              them with the node preferred
#   all        steered, the pool full, with memdiag and mrc enabled as well
#   all-node   the same to a whole node
#   all-node-empty  and without a pool: a page without a fresh test is tested in its fault
#   sustained  steered, ten times the pool, the filler's time added
#   tested     memdiag enabled, the pool full of tested pages
# and "ms load VALUE": what loading all modules takes, as a mean of five.

pages=${1:-16384}
pool=$((pages / 4))		# of the sustained run
suite=/sys/kernel/memsuite
tests=$(dirname "$0")

fail() {
	echo "bench-fault: $*" >&2
	exit 1
}
cpu_ns() { cut -d' ' -f1 "/proc/$1/schedstat"; }

load() {
	modprobe vipzone || fail "cannot load vipzone"
	echo "bench 256M-768M" >$suite/regions/add || fail "cannot add the region"
}
unload() { rmmod vipzone memsuite || fail "cannot unload"; }

# Somebody must want a region, or it has no pool.
hold() { # KIB
	echo "$1" >$suite/regions/bench/pool_kib
	sleep 1000 &
	holder=$!
	echo "$holder region:bench+node0" >$suite/vipzone/add || fail "cannot steer"
	filler=$(pidof ms_fill/bench) || fail "no refill thread"
	settle
}
release() {
	kill "$holder"
	wait "$holder" 2>/dev/null
	sleep 2
}
# Until the filler has nothing more to do.
settle() { # [REGION]
	filled=
	until [ "$filled" = "$(cat "$suite/regions/${1:-bench}/pool_filled_pages")" ]; do
		filled=$(cat "$suite/regions/${1:-bench}/pool_filled_pages")
		sleep 2
	done
}

# One fault loop; sets ns.
loop() { # PAGES STEERED [REGION]
	rm -f /tmp/go
	# shellcheck disable=SC2086	# options
	"$tests/touch" "$1" --wait /tmp/go $options >/tmp/out &
	pid=$!
	sleep 1
	[ "$2" = 0 ] || echo "$pid region:${3:-bench}" >$suite/vipzone/add || fail "cannot steer"
	sleep 1
	: >/tmp/go
	wait "$pid" || fail "touch failed"
	ns=$(sed 's/.* ns //' /tmp/out)
	sleep 2
}
options=
run() { # NAME PAGES STEERED [REGION]
	loop "$2" "$3" "$4"
	echo "run $1 $ns" | tee -a /tmp/runs
}
run_with_filler() { # NAME PAGES
	settle
	before=$(cpu_ns "$filler")
	loop "$2" 1
	settle
	echo "run $1 $((ns + $(cpu_ns "$filler") - before))" | tee -a /tmp/runs
}
# A rare run differs by a per cent or two, when the free lists have just been
# rearranged; the median does not.
median() {
	awk -v name="$1" '$2 == name { print $3 }' /tmp/runs | sort -n |
		awk '{ ns[NR] = $1 } END { print (ns[int((NR + 1) / 2)] + ns[int(NR / 2) + 1]) / 2 }'
}
ratio() { # NAME BASE
	awk -v a="$(median "$1")" -v b="$(median "$2")" -v name="$1" \
		'BEGIN { printf "ratio %s %.4f\n", name, a / b }'
}

# What is done once in a boot is done before it counts.
load
unload
loop "$pages" 0
loop "$pages" 0
loop $((pool * 10)) 0
rm -f /tmp/runs

for round in 1 2 3; do
	run stock "$pages" 0
	load
	run loaded "$pages" 0
	run loaded "$pages" 0
	unload
	run stock "$pages" 0
	options="--huge --rounds 8"
	run stock-huge "$pages" 0
	options=--huge
	run stock-ready 8192 0
	options=
done

load
echo 1 >$suite/vipzone/enabled || fail "cannot enable"
hold $((pages * 4 + 8192))
run on "$pages" 1
settle
run on "$pages" 1
ready() { [ "$(cat $suite/regions/bench/pool_large_pages)" -ge 8192 ]; }
options=--huge
loop 8192 1
for round in 1 2; do
	until ready; do
		sleep 1
	done
	run huge 8192 1
done
options=
settle
run node "$pages" 1 node0
run node "$pages" 1 node0
node0=$(cat $suite/regions/node0/pool_kib)
echo 0 >$suite/regions/node0/pool_kib
run node-empty "$pages" 1 node0
run node-empty "$pages" 1 node0
echo "$node0" >$suite/regions/node0/pool_kib
settle node0
options="--huge --rounds 8"
loop 8192 1 node0
settle node0
run node-huge "$pages" 1 node0
settle node0
run node-huge "$pages" 1 node0
options=
release
unload

run stock-long $((pool * 10)) 0
load
echo 1 >$suite/vipzone/enabled || fail "cannot enable"
hold $((pool * 4))
run_with_filler sustained $((pool * 10))
run_with_filler sustained $((pool * 10))
release
unload
run stock-long $((pool * 10)) 0

# memdiag, when its first sweep is over.
modprobe memdiag || fail "cannot load memdiag"
echo $((pages * 16 + 32768)) >$suite/regions/node0/pool_kib
echo mats >$suite/memdiag/algorithm
echo 1 >$suite/memdiag/control/max_fidelity
echo 100000 >$suite/memdiag/test_lifetime_s
echo 1 >$suite/memdiag/enabled || fail "cannot enable memdiag"
until [ "$(cat $suite/memdiag/passes)" -ge 1 ]; do
	sleep 2
done
settle node0
run tested "$pages" 0
settle node0
run tested "$pages" 0
settle node0
run tested "$pages" 0
load
modprobe mrc && echo 1 >$suite/mrc/enabled || fail "cannot enable mrc"
echo 1 >$suite/vipzone/enabled || fail "cannot enable"
hold $((pages * 4 + 8192))
run all "$pages" 1
settle
run all "$pages" 1
settle node0
run all-node "$pages" 1 node0
settle node0
run all-node "$pages" 1 node0
echo 0 >$suite/regions/node0/pool_kib
run all-node-empty "$pages" 1 node0
run all-node-empty "$pages" 1 node0
release
rmmod mrc vipzone memdiag memsuite || fail "cannot unload all"

ms=0
for round in 1 2 3 4 5; do
	began=$(awk '{ printf "%d", $1 * 1000 }' /proc/uptime)
	modprobe -a memdiag vipzone mrc || fail "cannot load all"
	ms=$((ms + $(awk '{ printf "%d", $1 * 1000 }' /proc/uptime) - began))
	rmmod mrc vipzone memdiag memsuite || fail "cannot unload all"
done
echo "ms load $((ms / 5))"
ratio tested stock
ratio loaded stock
ratio on stock
ratio node stock
ratio node-empty stock
ratio huge stock-ready
ratio node-huge stock-huge
ratio all stock
ratio all-node stock
ratio all-node-empty stock
ratio sustained stock-long
