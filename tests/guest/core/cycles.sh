#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# cycles.sh N [IDLE_S]: load, enable, disable and unload, N times, under
# allocation pressure, which rests for IDLE_S between its rounds. No page is
# lost: the free memory before and after differs by no more than a quarter of a
# per cent and 1 MiB, which is what slab keeps.
#
# boot: shared
# kernels: stock; soak: all
# arguments: 3; debug: 1
. "$(dirname "$0")/ktap.sh"
cycles=${1:-20}
idle_s=${2:-0}

pressure() { # PAGES
	while :; do
		"$here/touch" "$1" --rounds 2 >/dev/null
		sleep "$idle_s"
	done
}
cycle() {
	modprobe memdiag && modprobe vipzone && modprobe mrc || return 1
	echo "low 128M-256M" >$suite/regions/add || return 1
	pressure 4000 &
	steered=$!
	echo "$steered region:low" >$suite/vipzone/add || return 1
	echo "$steered" >$suite/mrc/add || return 1
	for module in memdiag vipzone mrc; do
		echo 1 >$suite/$module/enabled || return 1
	done
	sleep 0.3
	# Half of the cycles unload without disabling first.
	if [ $(($1 % 2)) = 0 ]; then
		for module in mrc vipzone memdiag; do
			echo 0 >$suite/$module/enabled || return 1
		done
		kill $steered
	fi
	rmmod mrc vipzone memdiag memsuite || return 1
	kill $steered 2>/dev/null
	wait $steered 2>/dev/null
	:
}

cycle 0 # what is allocated once and for all comes first
before=$(free_kib)
pressure 8000 &
load=$!
nr=0
while [ $nr -lt "$cycles" ]; do
	nr=$((nr + 1))
	cycle $nr || { note "cycle $nr failed"; break; }
done
kill $load
wait $load 2>/dev/null
# The loops are dead, what they began is not: its memory would look lost.
while pidof touch >/dev/null; do
	kill $(pidof touch) 2>/dev/null
	sleep 0.2
done
after=$(free_kib)
note "$nr cycles, free before $before KiB, after $after KiB"
check "$cycles cycles" [ $nr = "$cycles" ]
check "no page lost" [ $((before - after)) -lt $((before / 400 + 1024)) ]
done_testing
