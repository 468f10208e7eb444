#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A program that is made smaller keeps what it uses now and then, though all of it has been touched once, and nothing of
# it has been looked at for evicting before. In a guest that swaps.
. "$(dirname "$0")/ktap.sh"
mrc=$suite/mrc
division=$mrc/division

modprobe zram && echo 256M >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null && swapon /dev/zram0 || exit 1
modprobe mrc || exit 1
echo 500 >$mrc/ladder_ms
echo 100 >$mrc/max_cpu_permille
echo 100 >$division/pressure_pct

# Of 8000 pages that it has touched, it touches 800 every other second.
"$here/loop" --pattern cold --rest 1500 8000 300 >/tmp/loop &
loop=$!
wait_for 60 grep -q ready /tmp/loop
echo 1 >$mrc/enabled
echo $loop >$mrc/add
resident() { awk '/^VmRSS/ { print int($2 / 4) }' "/proc/$1/status"; }
major() { awk '{ print $12 }' "/proc/$loop/stat"; }
check "it is in the plan" wait_for 30 grep -q "^$loop " $debug/mrc/plan
echo 1 >$division/enforce
# Some rounds.
sleep 9
check "nothing is evicted before it has to be" [ "$(cat $division/evicted_pages)$(cat $division/replaced_pages)" = 00 ]
before=$(major)
echo 12000 >$division/total_kib # 3000 pages
shrunk() { [ "$(resident $loop)" -le 3200 ]; }
check "it is driven to its share" wait_for 60 shrunk
sleep 3
missed=$(($(major) - before))
note "$missed major faults, $(resident $loop) pages resident, $(grep . $division/*_pages | sed 's,.*/,,' | tr '\n' ' ')"
check "of what it does not use" [ $missed -le 80 ]

echo 0 >$division/enforce
check "unload" rmmod mrc
kill $loop
wait
swapoff /dev/zram0
done_testing
