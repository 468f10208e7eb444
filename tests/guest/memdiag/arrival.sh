#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arrival.sh ADDRESS: memory that comes online is tested before anybody gets any
# of it, from when memdiag is loaded, but for what others bring; a faulty cell in it is found and its page retired, and the memory can go
# again. Boot with movablecore=512M and 1 GiB; ADDRESS lies from 640 to 768 MiB.
#
# kernels: newest; soak: all
# options: --append "movablecore=512M nokaslr" --fault 0x2a345678:3:sa1
# arguments: 0x2a345678
. "$(dirname "$0")/ktap.sh"
address=$1
pfn=$(printf '0x%x' $((address / 4096)))
page=$((address / 4096 * 4096))
block=/sys/devices/system/memory/memory5
other=/sys/devices/system/memory/memory4
pages=32768

uptime_s() { cut -d . -f 1 /proc/uptime; }
# Before sweeps can have come so far. What programs have had of it since counts for nothing.
tested_since() {
	od -An -v -w4 -tu4 -j $((0x20000 * 4)) -N $((pages * 4)) $debug/memdiag/ages |
		awk -v most=$(($(uptime_s) - $1 + 1)) -v pages=$pages '$1 <= most { n++ }
			END { print "# " n + 0 " of " pages " pages"; exit n < pages * 15 / 16 }'
}

never_handed_out() {
	free=$(awk '$1 == "MemAvailable:" { print int($2 / 4 * 8 / 10) }' /proc/meminfo)
	set -- $("$here/touch" "$free" --range "$page" $((page + 4096)))
	note "$*"
	[ "$4" = 0 ]
}

modprobe memdiag test_new_memory=0 || exit 1
check "by the parameter, it is off" equals $suite/memdiag/test_new_memory 0
check "offline" sh -c "echo offline >$block/state"
check "online without a test" sh -c "echo online_movable >$block/state"
check "nothing was tested" equals $suite/memdiag/tested_pages 0
check "offline again" sh -c "echo offline >$block/state"
managed=$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)
rmmod memdiag
check "load" modprobe memdiag
check "it is on by default" equals $suite/memdiag/test_new_memory 1
check "online" sh -c "echo online_movable >$block/state"
check "all of it was tested" at_least $suite/memdiag/tested_pages $pages
check "one bad page" equals $suite/memdiag/bad_page_count 1
check "it is the faulty one" grep -q "^$pfn " $debug/memdiag/bad_pages
check "it is retired" wait_for 10 equals $suite/pages/retired_pages 1
check "the rest is there" [ $(($(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo) - managed)) -ge $((pages * 4 - 4)) ]
check "not handed out" never_handed_out
check "offline with a retired page" wait_for 20 sh -c "echo offline >$block/state"
if echo online_movable >$block/state 2>/dev/null; then
	check "found again, it is listed once" equals $suite/memdiag/bad_page_count 1
	check "the retired page is counted once" wait_for 10 equals $suite/pages/retired_pages 1
	echo 0 >$suite/memdiag/test_new_memory
	check "offline once more" wait_for 20 sh -c "echo offline >$block/state"
	check "and online without a test" sh -c "echo online_movable >$block/state"
	check "what is known to be bad is retired again" wait_for 10 equals $suite/pages/retired_pages 1
else
	note "this kernel brings no block online again that has a bad page"
	check "it stays offline" equals $block/state offline
fi

echo 1 >$suite/memdiag/test_new_memory
check "enable" sh -c "echo 1 >$suite/memdiag/enabled"
check "another block, offline" wait_for 20 sh -c "echo offline >$other/state"
began=$(uptime_s)
check "and online" sh -c "echo online_movable >$other/state"
check "it counts as tested since" tested_since "$began"
if modprobe virtio_mem; then
	check "a driver that brings memory online itself gets to" equals $suite/memdiag/test_new_memory 0
	check "that is told" sh -c "dmesg | grep -q 'not tested any more: virtio_mem'"
	rmmod virtio_mem
fi
check "unload" rmmod memdiag memsuite
check "still not handed out" never_handed_out
done_testing
