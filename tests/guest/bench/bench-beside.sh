#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# bench-beside.sh [PAGES]: what a page-fault loop costs that nobody is concerned with, in instruction time as
# bench-fault.sh. Little else is done in this boot: where free blocks lie makes a difference of a per cent.
#
# Prints "run NAME NS" for each run, then "ratio NAME VALUE", of the medians, to the stock kernel:
#   enabled      vipzone is enabled, nobody is steered
#   beside       another process is steered: one function calls directly
#   beside-node  the same, to a node without a pool: two functions do
#   beside-mrc   mrc tracks another process, that runs
#   beside-all   all three modules are enabled; another process is steered, and one tracked. memdiag gives tested
#                pages to everybody.
pages=${1:-16384}
suite=/sys/kernel/memsuite
tests=$(dirname "$0")

fail() {
	echo "bench-beside: $*" >&2
	exit 1
}
load() {
	modprobe vipzone || fail "cannot load vipzone"
	echo "bench 256M-768M" >$suite/regions/add || fail "cannot add the region"
	echo 0 >$suite/regions/node0/pool_kib
}
run() { # NAME
	rm -f /tmp/go
	"$tests/touch" "$pages" --wait /tmp/go >/tmp/out &
	pid=$!
	sleep 2
	: >/tmp/go
	wait $pid || fail "touch failed"
	echo "run $1 $(sed 's/.* ns //' /tmp/out)" | tee -a /tmp/runs
	sleep 1
}
runs() { # NAME
	for round in 1 2 3 4 5; do run "$1"; done
}
steer() { # POLICY: a process that does nothing
	sleep 1000 &
	echo "$! $1" >$suite/vipzone/add || fail "cannot steer"
	sleep 8
}
median() { awk -v name="$1" '$2 == name { print $3 }' /tmp/runs | sort -n | sed -n 3p; }
ratio() { # NAME
	awk -v a="$(median "$1")" -v b="$(median stock)" -v name="$1" 'BEGIN { printf "ratio %s %.4f\n", name, a / b }'
}

# What is done once in a boot is done before it counts.
load
rmmod vipzone memsuite || fail "cannot unload"
run first
run first
runs stock
load
echo 1 >$suite/vipzone/enabled || fail "cannot enable"
runs enabled
steer region:bench
runs beside
steer region:node0
runs beside-node
rmmod vipzone memsuite || fail "cannot unload vipzone"
modprobe mrc && echo 1 >$suite/mrc/enabled || fail "cannot enable mrc"
"$tests/loop" --rest 50 4000 10000 >/dev/null &
other=$!
echo $other >$suite/mrc/add || fail "cannot track"
sleep 8
runs beside-mrc
load
echo 1 >$suite/vipzone/enabled || fail "cannot enable"
modprobe memdiag && echo 1 >$suite/memdiag/enabled || fail "cannot enable memdiag"
until [ "$(cat $suite/memdiag/passes)" -ge 1 ]; do
	sleep 2
done
echo "$other region:bench" >$suite/vipzone/add || fail "cannot steer"
sleep 8
runs beside-all
ratio enabled
ratio beside
ratio beside-node
ratio beside-mrc
ratio beside-all
