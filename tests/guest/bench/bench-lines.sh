#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# bench-lines.sh: two steered programs, one on each CPU, take pages from one pool that is full, between two marks for
# tests/plugin/lines.c. Leaves the symbols of the suite in /mnt/share/symbols, and prints "faults NR".
suite=/sys/kernel/memsuite
tests=$(dirname "$0")
region=$suite/regions/bench
pages=16384

modprobe vipzone || exit 1
echo "bench 256M-896M" >$suite/regions/add || exit 1
echo 1 >$suite/vipzone/enabled || exit 1
# More than twice of what they take: below half, it would be refilled meanwhile.
echo $((pages * 4 * 6)) >$region/pool_kib
programs=
for cpu in 0 1; do
	taskset $((cpu + 1)) "$tests/touch" $pages --wait /tmp/go >/tmp/out$cpu &
	programs="$programs $!"
	echo "$! region:bench" >$suite/vipzone/add || exit 1
done
until [ "$(cat $region/pool_pages)" -ge $((pages * 5)) ]; do
	sleep 1
done
grep -E '\[(memsuite|vipzone)\]' /proc/kallsyms >/mnt/share/symbols
handed=$(cat $region/pool_handed_pages)
"$tests/mark" start
: >/tmp/go
# shellcheck disable=SC2086	# one word each
wait $programs
"$tests/mark" stop
echo "faults $(($(cat $region/pool_handed_pages) - handed))"
