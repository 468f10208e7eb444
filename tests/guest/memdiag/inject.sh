#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Emulated faults: one of every kind, each in a page of good memory, is found by
# the test of the range, retired and labelled; and all of it is taken back.
#
# kernels: newest; soak: all
# options: --mem 512M
. "$(dirname "$0")/ktap.sh"
diag=$suite/memdiag
# Whole 2 MiB that nobody uses.
start=$(printf '0x%x' $(($(free_page) / 2097152 * 2097152)))
end=$(printf '0x%x' $((start + 2097152)))

run() {
	echo $start-$end >$diag/range/run_test && wait_for 300 ended
	note "$(cat $diag/range/status): $(cat $diag/range/tested_pages) tested, $(cat $diag/range/bad_pages) bad"
}
ended() { ! grep -q running $diag/range/status; }
address() { printf '0x%x' $((start + $1 * 4096 + $2)); }
listed() { # PAGE
	grep -q "^$(printf '0x%x' $((start / 4096 + $1))) .* emulated 1$" $debug/memdiag/bad_pages
}
corrupted() { awk '$1 == "HardwareCorrupted:" { print $2 / 4 }' /proc/meminfo; }

modprobe memdiag || exit 1
# March AB shows all but data retention, which takes delays.
echo "{c(w1);d(r1,w0,r0,w0,r0);d(r0,w1,r1,w1,r1);u(r1,w0,r0,w0,r0);u(r0,w1,r1,w1,r1);c(r1);del10;c(r1,w0);del10;c(r0)}" >$diag/algorithm
page=0
for kind in $(cat $diag/inject/available_kinds); do
	page=$((page + 1))
	case $kind in
	cf* | *_cf*) aggressor=@$(address $((page + 256)) 8):5 ;;
	*) aggressor= ;;
	esac
	check "inject $kind" sh -c "echo $(address $page 0x10):3:$kind$aggressor >$diag/inject/add"
done
kinds=$page
check "all kinds" [ "$kinds" -ge 22 ]
check "they are counted" equals $diag/inject/count "$kinds"
check "the range is tested" run
check "and is bad" equals $diag/range/status fail
check "the faults and nothing else" equals $diag/range/bad_pages "$kinds"
page=0
for kind in $(cat $diag/inject/available_kinds); do
	page=$((page + 1))
	check "$kind is found, retired and labelled" listed $page
done
grep -v '^#' $debug/memdiag/bad_pages | head -n 3 | sed 's/^/# /'
check "HardwareCorrupted counts them" [ "$(corrupted)" = "$kinds" ]
check "taken back" sh -c "echo 1 >$diag/inject/clear"
check "nothing is emulated" equals $diag/inject/count 0
check "nothing is retired" equals $suite/pages/retired_pages 0
check "nothing is listed" equals $diag/bad_page_count 0
check "HardwareCorrupted knows" [ "$(corrupted)" = 0 ]
check "the range is tested again" run
check "and nothing is bad" equals $diag/range/bad_pages 0

inject_many() { # PAGES: one each, of which half are stuck at 1
	for page in $(seq 0 $(($1 - 1))); do
		echo "$(address "$page" $((page * 8))):$((page % 8)):sa$((page % 2))" >$diag/inject/add || return
	done
}
check "a fault in each of 200 pages" inject_many 200
check "they are counted" equals $diag/inject/count 200
check "the range is tested" run
check "each of them is found, and no more" equals $diag/range/bad_pages 200
check "taken back" sh -c "echo 1 >$diag/inject/clear"

check "once more" sh -c "echo $(address 7 0):0:sa0 >$diag/inject/add"
check "tested" run
check "found" equals $diag/bad_page_count 1
check "unload" rmmod memdiag memsuite
check "unloading takes it back" [ "$(corrupted)" = 0 ]
done_testing
