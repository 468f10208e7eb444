#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A physical range is tested on demand. The faulty cell in it is found and retired;
# what a program has there is moved, unharmed.
#
# kernels: oldest newest; soak: all
# options: --mem 512M --fault later=quick
# timeout: 1800
. "$(dirname "$0")/ktap.sh"
address=$(($(free_page 0x8000000) + 0x678))
pfn=$(printf '0x%x' $((address / 4096)))
# The 16 MiB around it.
start=$((address / 16777216 * 16777216))
end=$((start + 16777216))
range=$suite/memdiag/range

ended() { ! grep -q running $range/status; }
run() {
	echo "$1" >$range/run_test && wait_for 600 ended
	note "$1: $(cat $range/status), $(cat $range/tested_pages) tested, $(cat $range/untested_pages) not"
}
outcome() { grep -qE "^($1)$" $range/status; }
adds_up() { [ $(($(cat $range/tested_pages) + $(cat $range/untested_pages))) = $(((end - start) / 4096)) ]; }

modprobe memdiag && fault $address:3:sa1 || exit 1
check "no range was tested yet" outcome untested
check "a test runs to its end" run "$start-$end"
check "the bad page is found" outcome fail
check "it is the faulty one" grep -q "^$pfn " $debug/memdiag/bad_pages
check "and nothing else" equals $range/bad_pages 1
check "it is retired" equals $suite/pages/retired_pages 1
check "every page is accounted for" adds_up

# Memory in use, all over the place, a larger range included; it must survive.
start=134217728
end=$((start + 134217728))
mkdir -p /tmp/files
mount -t tmpfs -o size=100% none /tmp/files
pages=$(awk '$1 == "MemAvailable:" { print int($2 / 4 * 7 / 10) }' /proc/meminfo)
"$here/cached" /tmp/files/all --fill "$pages" >/dev/null
unharmed() { "$here/cached" /tmp/files/all | grep -q ' errors 0'; }
check_data "memory is in use" unharmed
check "a range in use is tested" run "$start-$end"
check "no news: what is retired is left out" outcome 'pass|partial'
check "every page of it is accounted for" adds_up
check "what is in use can be tested" at_least $range/tested_pages $(((end - start) / 4096 / 4))
check "nothing is held any more" equals $suite/pages/held_pages 0
check "a test is cancelled" sh -c "echo 0-256M >$range/run_test && echo 1 >$range/cancel"
check "it says so" outcome cancelled
check "nothing is held" equals $suite/pages/held_pages 0
check_data "what was in use is unharmed" unharmed
check "unload while a test runs" sh -c "echo 0-256M >$range/run_test && rmmod memdiag memsuite"
check_data "unharmed by that as well" unharmed
done_testing
