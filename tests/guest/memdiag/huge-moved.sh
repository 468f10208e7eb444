#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# huge-moved.sh START END: with memdiag enabled, huge pages that are moved to the second node, from START to END, go to
# tested ones: the faulty page there gets none, though the kernel gives the huge page that has failed its test again at
# once, and it is retired only when a sweep ends.
#
# kernels: none; soak: all
# options: --numa 768M,cpus=0-1 --numa 128M --fault later
# arguments: 0x30000000 0x38000000
. "$(dirname "$0")/ktap.sh"
page=$(free_page "$1")
end=$2
# More than the node has.
pages=40960

modprobe -a memdiag vipzone && fault $((page + 0x678)):3:fast-sa1 || exit 1
# Who fills pools would find the fault first, and so would the sweep.
echo 0 >$suite/regions/node0/pool_kib
echo 0 >$suite/regions/node1/pool_kib
bandwidth=$(cat $suite/memdiag/control/bandwidth_mib_s)
echo 1 >$suite/memdiag/control/bandwidth_mib_s
echo 1 >$suite/memdiag/enabled && echo 1 >$suite/vipzone/enabled || exit 1
# The kernel keeps less back of the node, and so gives more of its huge pages.
echo 256 >/proc/sys/vm/min_free_kbytes
echo 1 >/proc/sys/vm/watermark_scale_factor
# Switched off where memory is small.
echo madvise >$thp/enabled
# khugepaged gathers what was moved as small pages, in huge ones of the kernel's choice.
khugepaged_rests

is_retired() { [ "$(awk '$1 == "HardwareCorrupted:" { print $2 }' /proc/meminfo)" -gt 0 ]; }
there() { # END: "pages P in I huge H" of the program's, those from ADDRESS up to END
	"$here/placement" where $pid "$at" $pages $page "$1"
}
# Which huge pages the kernel gives is its choice: the faulty one may not be among them. Then another program moves.
move() {
	rm -f /tmp/go /tmp/at
	"$here/placement" hold $pages /tmp/go --huge >/tmp/at &
	pid=$!
	: >/tmp/go
	wait_for 60 [ -s /tmp/at ]
	at=$(cat /tmp/at)
	before=$(there "$end")
	echo "$pid region:node1" >$suite/vipzone/add && echo $pid >$suite/vipzone/move
	bad=$((bad + $(there $((page + 4096)) | cut -d ' ' -f 4)))
	after=$(there "$end")
	note "from the faulty page on, before: $before; after: $after"
}
check "nothing was found" equals $suite/memdiag/bad_page_count 0
bad=0
move
first=$before
for _ in 1 2 3 4 5; do
	wait_within 5 equals $suite/memdiag/bad_page_count 1 && break
	kill $pid
	wait $pid 2>/dev/null
	move
done
check "no page is there at first" [ "$(echo "$first" | cut -d ' ' -f 4)" = 0 ]
check "pages are moved to frames behind it" [ "$(echo "$after" | cut -d ' ' -f 4)" -ge 512 ]
check "one had failed its test" wait_for 10 equals $suite/memdiag/bad_page_count 1
check "no program has had anything in it" [ "$bad" = 0 ]
kill $pid
wait $pid 2>/dev/null
echo "$bandwidth" >$suite/memdiag/control/bandwidth_mib_s
check "it is retired" wait_for 60 is_retired
check "unload" rmmod vipzone memdiag
check "nothing is held" equals $suite/pages/held_pages 0
check "unload the core" rmmod memsuite
done_testing
