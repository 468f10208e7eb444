#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Tests take the share of CPU time that they may: the lifetime of a test follows from what the
# machine can do. The first sweep, of what was never tested, comes before.
#
# The debug kernel does not tell how long threads have run.
#
# kernels: newest; soak: stock
# options: --mem 256M --icount
. "$(dirname "$0")/ktap.sh"
memdiag=$suite/memdiag
cpus=$(nproc)
share_pct=60


modprobe memdiag || exit 1
check "a hundredth of each CPU is the default" equals $memdiag/lifetime/test_res_pct "$cpus"
check "the lifetime is the papers' at first" equals $memdiag/test_lifetime_s 180
# In instructions, the methods for memory's bandwidth take some backgrounds eight times as fast as
# others. This one takes all alike; at a hundredth of the CPUs, who waits here would wait for long.
echo page-lines >$memdiag/method
# Pages of pools are tested by others.
echo 0 >$memdiag/ahead/enabled
echo mats++ >$memdiag/algorithm
echo $share_pct >$memdiag/lifetime/test_res_pct
# Once a day is often here.
echo 0 >$memdiag/address_bits/period_s
echo 8 >$memdiag/test_lifetime_s
echo 1 >$memdiag/lifetime/least_s
echo 1 >$memdiag/lifetime/automatic
check "enable" sh -c "echo 1 >$memdiag/enabled"
check "the first sweep does not wait" wait_for 100 at_least $memdiag/passes 1
check "then the lifetime follows from the speed" wait_for 100 differs $memdiag/test_lifetime_s 8
lifetime=$(cat $memdiag/test_lifetime_s)
# Of CPU time: control/bandwidth_pages_s is of the clock, which goes on while others run.
speed=$(($(cat $memdiag/tested_pages) * 1000000 / ($(threads_ns memdiag/) / 1000)))
pages=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 4))
least=$((2 * pages * 100 / share_pct / speed))
note "$lifetime s: $pages pages, $speed a second of a CPU"
check "as it is told" between "$lifetime" $((least * 3 / 4)) $((least * 4 / 3 + 1))
sweep=$(cat $memdiag/passes)
check "that sweep ends" wait_for $lifetime at_least $memdiag/passes $((sweep + 1))
began=$(threads_ns memdiag)
start=$(cut -d. -f1 /proc/uptime)
check "two more follow" wait_for $((2 * lifetime)) at_least $memdiag/passes $((sweep + 3))
took=$(($(cut -d. -f1 /proc/uptime) - start))
share=$((($(threads_ns memdiag) - began) / 10000000 / took))
note "testers took $share% of a CPU in $took s"
# Memory that is free is a part of all.
check "they take no more than they may" between $share $((share_pct / 4)) $((share_pct * 5 / 4))
check "free memory is tested in time" at_least $memdiag/coverage/free_tested_pct 90
check "unload" sh -c "echo 0 >$memdiag/enabled; rmmod memdiag memsuite"
done_testing
