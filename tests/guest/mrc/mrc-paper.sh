#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# mrc in mode paper: curves that are known, pages that are protected, and that
# are not once the mode is left, whichever way. KTAP.
#
# That a page is protected is told by the NUMA hint fault that its touch takes; on
# one memory node nothing else takes any.
#
# boot: shared
# case: mrc-paper
# kernels: newest; soak: all
# case: mrc-paper on two nodes
# kernels: newest; soak: all
# options: --numa 512M,cpus=0-1 --numa 512M
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/tracked.sh"

out=/tmp/shield
pages=5000

# Of the program's own pages there are some; sizes are a 64th apart. An epoch in which the program got no
# processor shows none of it: the mean of more has to.
near() {
	got=$(cliff_of)
	[ "$got" -ge $(($1 - 64)) ] && [ "$got" -le $(($1 + 64 + 32 + $1 / 64)) ] && return
	note "cliff of $1 pages at $got after $(stat_of ladders) epochs," \
		"$(stat_of scan_pages) pages scanned in $(stat_of floor_us) us," \
		"$(stat_of protection_faults) faults of $(stat_of protections) protected pages"
	false
}
falls() {
	awk '!/^#/ && ($3 > last && n++) { bad = 1 } !/^#/ { last = $3 } END { exit bad }' "$debug/mrc/$pid/curve"
}
finish() {
	kill "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	wait_for 10 test ! -e "$debug/mrc/$pid"
}

check "mode is the ladder" equals $control/mode ladder
for text in x LADDER "paper ladder" ladderladderladderladder; do
	check "mode '$text' refused" refused mode "$text" EINVAL
done
check "epoch_ms 0" refused epoch_ms 0 ERANGE
check "epoch_ms 1001" refused epoch_ms 1001 ERANGE
check "group_pages 0" refused group_pages 0 ERANGE
check "group_pages 4097" refused group_pages 4097 ERANGE
if [ -d /sys/devices/system/node/node1 ]; then
	check "no paper on two memory nodes" refused mode paper EOPNOTSUPP
	check "and the log says why" sh -c "dmesg | grep -q 'mode paper cannot protect pages: there are several'"
	done_testing
fi
check "mode paper" set_to mode paper
echo 1 >$control/enabled

# A loop, in groups of two sizes, and one whose pages are mostly huge.
loop() { # PAGES ARGUMENT...
	size=$1
	shift
	: >$out
	"$here/loop" "$@" "$size" 60 >$out &
	pid=$!
	wait_for 30 grep -q ready $out
	echo $pid >$control/add
	wait_for 30 stat_least ladders 2
	check "cliff of a loop over $size pages${*:+ $*}" wait_for 10 near "$size"
	check "curve of $size pages${*:+ $*} falls" falls
	finish
}
loop 1500
set_to group_pages 16
loop 4000
set_to group_pages 64
if grep -qs '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled; then
	note "no huge pages"
else
	loop 4096 --thp
fi

# Protection comes and goes.
says() { # WHO SIGNAL: what it then prints, as "bad B faults F"
	before=$(grep -c "$1" $out)
	kill -"$2" "$pid"
	wait_for 30 sh -c "[ \$(grep -c $1 $out) -gt $before ]" || return 1
	answer=$(grep "$1" $out | tail -n 1)
	note "$answer"
}
faulted() { says "$1" "$2" && [ "${answer%% faults*}" = "$1 bad 0" ] && [ "${answer##* }" -ge "$3" ]; }
quiet() { says "$1" "$2" && [ "$answer" = "$1 bad 0 faults 0" ]; }
protected() { wait_for 20 stat_least protected_pages $((pages / 2)); }
bare() { [ "$(stat_of protected_pages)" = 0 ]; }

: >$out
"$here/shield" $pages 300 >$out &
pid=$!
wait_for 30 grep -q ready $out
echo $pid >$control/add
check "pages are protected" protected
check "and fault, and hold what was written" faulted parent USR2 $((pages / 4))
check "protected again" protected
check "a child has no protected page" quiet child USR1
check "protected again after fork" protected
check "moved by mremap()" faulted moved HUP $((pages / 4))
check "protected where they went to" protected
echo "$pid 1000000" >$control/accesses_per_s
set_to mode ladder
check "none is protected in mode ladder" wait_for 10 bare
check "accesses are what was written" grep -q written "$debug/mrc/$pid/accesses"
check "none faults" quiet parent USR2
set_to mode paper
check "protected in mode paper" protected
set_to mode ladder
set_to mode paper
check "protected after a short while in mode ladder" protected
echo 0 >$control/enabled
check "none is protected while disabled" wait_for 10 bare
check "none faults while disabled" quiet parent USR2
echo 1 >$control/enabled
check "protected when enabled" protected
check "removed while protected" sh -c "echo $pid >$control/remove"
check "none faults when removed" quiet parent USR2
echo $pid >$control/add
check "protected when added" protected
for name in epochs epochs_skipped protections protection_faults protection_off faults_lost restored \
	    protected_pages scan_pages stuck_pages cpu_ns enabled_ns; do
	note "$name $(stat_of $name)"
done
# What a shared mapping has, a child may inherit (guard pages, since 7.x).
kill -URG "$pid"
wait_for 30 grep -q "^sharer" $out
if grep -q "^sharer ready" $out; then
	sleep 3
	check "nor has a child one in a shared mapping" quiet sharer URG
else
	note "no guard pages in shared mappings"
fi
finish
: >$out
"$here/shield" $pages 300 >$out &
pid=$!
wait_for 30 grep -q ready $out
echo $pid >$control/add
check "another is protected" protected
check "unload while protected" rmmod mrc
check "none faults when unloaded" quiet parent USR2
kill $pid
done_testing
