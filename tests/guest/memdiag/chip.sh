#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Thousands of bad pages, one beside the other, as of a chip that dies: all are retired, by hand here as from the list of an
# earlier boot, and neither the log nor user space gets a line or an event for each of them.
#
# kernels: newest; soak: all
# options: --append nokaslr
. "$(dirname "$0")/ktap.sh"
diag=$suite/memdiag
first=106496	# of 416M, where the kernel itself is not
nr=2048

modprobe memdiag || exit 1
touch /tmp/uevents
uevent sh -c 'env >>/tmp/uevents' &
events=$!
# The kernel itself has two lines for each, which is more than its log holds.
cat /dev/kmsg >/tmp/log &
log=$!
began=$(uptime_ms)
frame=$first
while [ $frame -lt $((first + nr)) ]; do
	echo "pfn=$frame" 2>/dev/null >$diag/retire
	frame=$((frame + 1))
done
s=$((($(uptime_ms) - began) / 1000))
bad=$(cat $diag/bad_page_count)
note "$bad of $nr pages retired in $s s"
check "all of them are retired that are not the kernel's" [ "$bad" -ge $((nr * 9 / 10)) ]
check "all of these are on the list" [ "$(grep -vc '^#' /proc/memdiag_bad_pages)" = "$bad" ]
told() { awk -F= '$1 == "PAGES" { pages += $2 } END { print +pages }' /tmp/uevents; }
all_told() { [ "$(told)" = "$bad" ]; }
check "user space is told of all" wait_for 10 all_told
sent=$(grep -c '^MEMDIAG_EVENT=bad_page' /tmp/uevents)
note "$sent events"
check "by one event a second at most" [ "$sent" -le $((s + 3)) ]
check "that tells where they lie, and how close" sh -c "grep -q '^STRIDE=0x1000$' /tmp/uevents && grep -q '^LANE=-$' /tmp/uevents &&
	grep -q '^START=$(printf '0x%x' $((first * 4096)))$' /tmp/uevents"
grep 'memdiag: .* bad pages at' /tmp/log | tail -n 2 | sed 's/^/# /'
told=$(grep -c 'memdiag: .*: .*bad pages* at 0x' /tmp/log)
check "and one line of the log a second at most" [ "$told" -ge 1 -a "$told" -le $((s + 3)) ]
check "the table has each page once, by its frame" sh -c "grep -v '^#' /proc/memdiag_bad_pages | cut -d' ' -f1 >/tmp/frames
	sort -u /tmp/frames | cmp -s - /tmp/frames"
lines=$(grep -c 'memsuite: page .* was retired' /tmp/log)
note "$lines lines of the log"
check "and few lines of the log" [ "$lines" -ge 1 -a "$lines" -le $(((s / 5 + 2) * 10)) ]
kill $events $log
frame=$first
while [ $frame -lt $((first + nr)) ]; do
	echo "pfn=$frame" 2>/dev/null >$diag/unretire
	frame=$((frame + 1))
done
check "none is left on the list" equals $diag/bad_page_count 0
check "unload" rmmod memdiag memsuite
done_testing
