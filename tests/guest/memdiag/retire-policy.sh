#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Which pages that fail a test are retired: those that are wrong once at the
# second time, others at once or as it is set, and no more than the limit.
#
# kernels: newest; soak: all
# options: --mem 256M --fault later
# timeout: 900
. "$(dirname "$0")/ktap.sh"
diag=$suite/memdiag
policy=$diag/retire_policy
# Whole 2 MiB that nobody uses.
start=$(printf '0x%x' $(($(free_page) / 2097152 * 2097152)))
end=$(printf '0x%x' $((start + 2097152)))

ended() { ! grep -q running $diag/range/status; }
run() {
	echo $start-$end >$diag/range/run_test && wait_for 300 ended
	note "$(cat $diag/range/status): $(cat $diag/range/bad_pages) bad; $(cat $diag/bad_page_count) listed, $(cat $policy/suspect_count) suspects"
}
address() { printf '0x%x' $((start + $1 * 4096 + 0x10)); }
listed() { # PAGE CLASS
	grep -q "^$(printf '0x%x' $((start / 4096 + $1))) .* $2 " $debug/memdiag/bad_pages
}
suspect() { # PAGE CLASS FINDINGS
	grep -q "^$(printf '0x%x' $((start / 4096 + $1))) $2 $3 " $debug/memdiag/suspects
}
emulate() { echo "$(address "$1"):3:sa0" >$diag/inject/add; }

modprobe memdiag || exit 1
for file in hard intermittent transient read_path; do
	check "$file: 0 to 1000" sh -c "! echo 1001 >$policy/${file}_threshold 2>/dev/null"
done
check "no window of nothing" sh -c "! echo 0 >$policy/window_s 2>/dev/null"
check "the limit is a hundredth of memory, or 1024" at_least $policy/limit_pages 1024

check "a cell is hit" "$here/fault" "$(address 7):3:transient"
check "the range is tested" run
check "and fails" equals $diag/range/status fail
check "the page is a suspect" suspect 7 transient 1
check "and no more" equals $diag/bad_page_count 0
check "tested again" run
check "the range is good" equals $diag/range/status pass
check "the same page is hit again" "$here/fault" "$(address 7):4:transient"
check "tested" run
check "the page is retired" listed 7 transient
check "and no suspect" equals $policy/suspect_count 0

check "do not retire what is hard" sh -c "echo 0 >$policy/hard_threshold"
check "a hard fault" emulate 20
check "it is tested" run
check "and stays in use" equals $diag/bad_page_count 1
check "as a suspect" suspect 20 hard 1
check "retire it at the third time" sh -c "echo 3 >$policy/hard_threshold"
check "second time" run
check "it stays" suspect 20 hard 2
check "third time" run
check "it is retired" listed 20 hard
check "retire at once" sh -c "echo 1 >$policy/hard_threshold"

check "no alarm" equals $policy/alarm 0
check "three pages at most" sh -c "echo 3 >$policy/limit_pages"
# Not beside those that are retired: what is left there lies in small pieces, which others get first.
check "two more" sh -c "echo $(address 300):3:sa0 >$diag/inject/add; echo $(address 301):3:sa0 >$diag/inject/add"
check "tested" run
check "three are retired" equals $diag/bad_page_count 3
check "there is an alarm" equals $policy/alarm 1
check "of all pages, most of which lie in the only DIMM" grep -q '^pages DIMM_0 [0-9]*$' $policy/alarms
check "the log tells what to replace" wait_for 10 sh -c "dmesg | grep 'memdiag: 3 pages are bad' | grep -q 'replace it'"
dmesg | grep "memdiag: 3 pages" | sed 's/^/# /'
check "no limit" sh -c "echo 0 >$policy/limit_pages"
check "the alarm is over" equals $policy/alarm 0
check "tested" run
check "all are retired" equals $diag/bad_page_count 4

# 256M, and the firmware's only DIMM: more than a hundredth of its pages, but for those that the kernel has.
enough=656
frame=32768
while [ "$(cat $diag/bad_page_count)" -lt $enough ] && [ $frame -lt 65536 ]; do
	[ $((frame / 512)) = $((start / 2097152)) ] || echo "pfn=$frame" 2>/dev/null >$diag/retire
	frame=$((frame + 1))
done
check "$enough pages are bad" equals $diag/bad_page_count $enough
check "a DIMM of which more than a hundredth is bad" sh -c "echo 1 >$policy/limit_dimm_pct"
check "no alarm" equals $policy/alarm 0
uevent sh -c 'env >>/tmp/uevents' &
events=$!
check "one more" emulate 400
check "tested" run
check "it fails" equals $diag/range/status fail
check "no more of that DIMM is retired" equals $diag/bad_page_count $enough
check "there is an alarm" equals $policy/alarm 1
# Page 7 was hit in bit 4, the others fail in bit 3: more than a chip of four data lines has.
check "the log tells which, and its data lines" wait_for 10 sh -c \
	"dmesg | grep 'memdiag: as many pages of DIMM_0 are bad as are retired' | grep -q 'lane x8-0: replace it'"
dmesg | grep "memdiag: as many" | sed 's/^/# /'
check "so does an event" wait_for 10 sh -c "grep -q '^LIMIT=dimm$' /tmp/uevents && grep -q '^LANE=x8-0$' /tmp/uevents"
check "tests go on" run
check "and it is told once" [ "$(dmesg | grep -c 'memdiag: as many')" = 1 ]
kill $events
check "it is named" grep -q '^dimm DIMM_0 [0-9]*$' $policy/alarms
check "there is room when one is given back" sh -c \
	"echo pfn=\$(awk '/ hand / { print \$1; exit }' $debug/memdiag/bad_pages) >$diag/unretire"
check "the alarm is over" equals $policy/alarm 0
check "no alarm is named" [ -z "$(cat $policy/alarms)" ]
check "tested" run
check "the page is retired" equals $diag/bad_page_count $enough
check "another one" emulate 401
check "tested" run
check "there is an alarm again" equals $policy/alarm 1
check "emulated faults are over" sh -c "echo 1 >$diag/inject/clear"
check "so is the alarm" equals $policy/alarm 0
check "half of it may be bad" sh -c "echo 50 >$policy/limit_dimm_pct"
check "101%" sh -c "! echo 101 >$policy/limit_dimm_pct 2>/dev/null"
check "unload" rmmod memdiag memsuite
done_testing
