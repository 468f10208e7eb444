#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A faulty cell is found within one sweep, its page is retired, a workload goes on,
# and the page is never handed out again, not even after unloading.
#
# kernels: stock; soak: all
# options: --mem 512M --fault later=quick
# timeout: 1800
. "$(dirname "$0")/ktap.sh"
address=$(($(free_page) + 0x678))
pfn=$(printf '0x%x' $((address / 4096)))
page=$((address / 4096 * 4096))

workload() {
	while :; do
		head -c 2000000 /dev/urandom >/tmp/w1 && gzip -c /tmp/w1 | gunzip >/tmp/w2 &&
			cmp /tmp/w1 /tmp/w2 || { echo bad >/tmp/workload-failed; break; }
	done
}
hwpoison() { # bit 19 of /proc/kpageflags
	flags=$(dd if=/proc/kpageflags bs=8 skip=$((pfn)) count=1 2>/dev/null | od -An -tu8)
	[ $((flags >> 19 & 1)) = 1 ]
}
# Everything that can be had is had: none of it is the bad page.
never_handed_out() {
	free=$(awk '$1 == "MemAvailable:" { print int($2 / 4 * 8 / 10) }' /proc/meminfo)
	set -- $("$here/touch" "$free" --range "$page" $((page + 4096)))
	note "$*"
	[ "$4" = 0 ]
}

modprobe memdiag && fault $address:3:sa1 || exit 1
workload &
work=$!
check "enable" sh -c "echo 1 >$suite/memdiag/enabled"
check "one sweep ends" wait_for 600 at_least $suite/memdiag/passes 1
note "tested $(cat $suite/memdiag/tested_pages) pages"
grep -v '^#' $debug/memdiag/bad_pages | sed 's/^/# /'
check "one bad page" equals $suite/memdiag/bad_page_count 1
check "it is the faulty one" grep -q "^$pfn " $debug/memdiag/bad_pages
check "it fails whenever it should be 0" grep -q "^$pfn .* 0->1 hard 0 node0 .* test 1$" $debug/memdiag/bad_pages
check "it is retired" equals $suite/pages/retired_pages 1
check "it is marked" hwpoison
check "HardwareCorrupted counts it" grep -q 'HardwareCorrupted: *4 kB' /proc/meminfo
kill $work
wait $work 2>/dev/null
check "the workload was not disturbed" [ ! -e /tmp/workload-failed ]
rm -f /tmp/w1 /tmp/w2
check "not handed out" never_handed_out
check "unload" rmmod memdiag memsuite
check "still marked" hwpoison
check "still not handed out" never_handed_out
done_testing
