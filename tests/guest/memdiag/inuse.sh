#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Memory in use: while a program holds memory for some lifetimes of a test, and
# a disk stays in the page cache, no page of theirs gets older than a lifetime
# and a delta, nothing is dropped, and no byte changes.
#
#   inuse.sh [LIFETIME [PAGES]]		seconds; 30 and 4096
#
# kernels: newest; soak: all
# options: --mem 256M --icount
# arguments: 30 4096; debug: 30 1024; soak: 60 4096; soak debug: 60 1024
. "$(dirname "$0")/ktap.sh"
lifetime=${1:-30}
pages=${2:-4096}
# A walk comes every second; a page that was busy is moved by the next one.
delta=4
memdiag=$suite/memdiag
ages=$debug/memdiag/ages

value() { # value NAME LINE: behind that word
	echo "$2" | sed "s/.*$1 \([0-9]*\).*/\1/"
}
ask() { # sets what the program says
	lines=$(wc -l </tmp/out)
	kill -USR1 $pid
	wait_for 60 sh -c "[ \$(wc -l </tmp/out) -gt $lines ]"
	said=$(tail -n 1 /tmp/out)
}
all_tested() {
	ask
	[ "$(value untested "$said")" = 0 ]
}
young() { # young LINE
	[ "$(value untested "$1")" = 0 ] &&
		[ "$(value oldest "$1")" -le $((lifetime + delta)) ]
}
moves() {
	for ktap_file in "$memdiag"/moves/*; do
		echo "$(basename "$ktap_file") $(cat "$ktap_file")"
	done | tr '\n' ' '
}
# For two lifetimes: all the pages, all the time.
stays_young() {
	until=$(($(cut -d. -f1 /proc/uptime) + 2 * lifetime))
	oldest=0
	while [ "$(cut -d. -f1 /proc/uptime)" -lt $until ]; do
		ask
		young "$said" || { note "$said"; return 1; }
		[ "$(value oldest "$said")" -le $oldest ] || oldest=$(value oldest "$said")
		sleep 1
	done
	note "$said; never older than $oldest s"
}
cached_well() { # resident and unchanged, all of it
	[ "$(value resident "$cached")" = "$(value pages "$cached")" ] &&
		[ "$(value errors "$cached")" = 0 ]
}

# Pages that could be dropped: those of a disk, as long as it is open.
modprobe loop 2>/dev/null
dd if=/dev/zero of=/tmp/image bs=1M count=16 2>/dev/null
losetup $disk /tmp/image || exit 1
exec 9<$disk
"$here/cached" $disk --fill 4096 >/dev/null
cached=$("$here/cached" $disk)
note "$cached"
check_data "a disk is cached" cached_well

modprobe memdiag || exit 1
check "off by default" equals $memdiag/move_interval_ms 0
echo "$lifetime" >$memdiag/test_lifetime_s
# More is of no use here, and takes the emulator long.
echo mats++ >$memdiag/algorithm
echo 1 >$memdiag/control/max_fidelity
"$here/keep" "$pages" --rest 200 --ages $ages >/tmp/out &
pid=$!
check "the program holds memory" wait_for 100 grep -q ready /tmp/out
check "enable" sh -c "echo 1 >$memdiag/enabled"
check "a sweep" wait_for 120 at_least $memdiag/passes 1
ask
check "what is in use is untested" [ "$(value untested "$said")" -gt 0 ]
echo 1000 >$memdiag/move_interval_ms
check "it is moved to tested pages" wait_for 60 all_tested
note "$(moves)"
check "its pages stay young for two lifetimes" stays_young
note "$(moves)"
note "$(cat $memdiag/passes) sweeps, fidelity $(cat $memdiag/control/fidelity), $(cat $memdiag/control/share_pct)% granted"
cached=$("$here/cached" $disk --ages $ages)
note "$cached"
check_data "the disk is still cached, and unchanged" cached_well
check "its pages are young as well" young "$cached"
ask
check_data "not a byte of the program's memory has changed" [ "$(value errors "$said")" = 0 ]
echo 0 >$memdiag/move_interval_ms
before=$(cat $memdiag/moves/walks)
sleep 3
check "off again" [ "$(cat $memdiag/moves/walks)" -le $((before + 1)) ]
echo 100 >$memdiag/move_interval_ms
check "unload while moving" rmmod memdiag memsuite
kill -TERM $pid
wait $pid
check_data "it ends well" [ $? = 0 ]
done_testing
