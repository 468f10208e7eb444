#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A program over its share replaces pages of its own where the kernel faults for it, too: it touches its memory by
# read(2) only. In a guest that swaps.
#
# boot: shared
# kernels: oldest newest; soak: all
. "$(dirname "$0")/ktap.sh"
mrc=$suite/mrc
division=$mrc/division

modprobe zram && echo 256M >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null && swapon /dev/zram0 || exit 1
modprobe mrc || exit 1
echo 500 >$mrc/ladder_ms
echo 100 >$mrc/max_cpu_permille
echo 100 >$division/pressure_pct

"$here/loop" --read 8000 300 >/tmp/loop &
loop=$!
wait_for 60 grep -q ready /tmp/loop
echo 1 >$mrc/enabled
echo $loop >$mrc/add
echo 16384 >$division/total_kib
curve() { [ "$(grep -c . $debug/mrc/plan)" = 2 ]; }
check "it is in the plan" wait_for 60 curve
check "it is enforced" sh -c "echo 1 >$division/enforce"
check "it replaces pages of its own" wait_for 60 at_least $division/replaced_pages 1000
note "$(grep . $division/*_pages | sed 's,.*/,,' | tr '\n' ' ')"
check "and is kept small" sh -c "[ \$(awk '/^VmRSS/ { print int(\$2 / 4) }' /proc/$loop/status) -le 6500 ]"
kill $loop
wait
check "unload" rmmod mrc
swapoff /dev/zram0
done_testing
