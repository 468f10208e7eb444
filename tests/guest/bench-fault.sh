#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The page-fault loop with the suite on, loaded and off. Runs in a guest in
# instruction time (--icount) with one CPU, so that the CPU time of a process
# is the number of instructions that it took, in the same boot for all.
#
# bench-fault.sh [PAGES]
#
# Prints "name ns" for each run, and then "ratio NAME VALUE" lines.

pages=${1:-16384}
suite=/sys/kernel/memsuite
tests=$(dirname "$0")

fail() { echo "bench-fault: $*" >&2; exit 1; }

# What a process has used so far, in ns.
cpu_ns() { cut -d' ' -f1 "/proc/$1/schedstat"; }

# The time of one fault loop, steered or not.
loop() { # LABEL COUNT STEERED
	rm -f /tmp/go
	"$tests/touch" "$2" --wait /tmp/go >/tmp/out &
	pid=$!
	sleep 0.5
	if [ "$3" = 1 ]; then
		echo "$pid region=bench" >$suite/vipzone/add || fail "cannot steer"
		sleep 5 # for the pool to fill
	fi
	filler=$(pidof ms_fill/bench)
	before=${filler:+$(cpu_ns "$filler")}
	: >/tmp/go
	wait "$pid" || fail "touch failed"
	after=${filler:+$(cpu_ns "$filler" 2>/dev/null)}
	ns=$(sed 's/.* ns //' /tmp/out)
	echo "$1 $ns"
}

modprobe memsuite 2>/dev/null || insmod /ko/memsuite.ko || fail "cannot load memsuite"
rmmod memsuite
sleep 2
loop warm "$pages" 0 >/dev/null

a1=$(loop stock "$pages" 0)
modprobe vipzone 2>/dev/null || { insmod /ko/memsuite.ko && insmod /ko/vipzone.ko; } || fail "cannot load vipzone"
echo "bench 256M-768M" >$suite/regions/add || fail "cannot add the region"
echo $((pages * 4 + 8192)) >$suite/regions/bench/pool_kib
b1=$(loop loaded "$pages" 0)
echo 1 >$suite/vipzone/enabled || fail "cannot enable"
c1=$(loop on "$pages" 1)
d1=$(loop bystander "$pages" 0)
d2=$(loop bystander "$pages" 0)
c2=$(loop on "$pages" 1)
echo 0 >$suite/vipzone/enabled
b2=$(loop loaded "$pages" 0)
echo bench >$suite/regions/remove
rmmod vipzone memsuite
a2=$(loop stock "$pages" 0)

value() { echo "${1##* }"; }
ratio() { # NAME A1 A2 B1 B2
	echo "ratio $1 $(echo "$2 $3 $4 $5" | awk '{ printf "%.4f", ($3 + $4) / ($1 + $2) }')"
}
for run in "$a1" "$b1" "$c1" "$d1" "$d2" "$c2" "$b2" "$a2"; do echo "$run"; done
ratio on "$(value "$a1")" "$(value "$a2")" "$(value "$c1")" "$(value "$c2")"
ratio loaded "$(value "$a1")" "$(value "$a2")" "$(value "$b1")" "$(value "$b2")"
ratio bystander "$(value "$a1")" "$(value "$a2")" "$(value "$d1")" "$(value "$d2")"
