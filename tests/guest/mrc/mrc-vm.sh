#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A process whose memory a virtual machine uses, which the page tables of the process do not see: its curve has what the
# machine uses, and where memory is divided, that is not what has to leave. In a guest that swaps.
#
# kernels: none; soak: stock
. "$(dirname "$0")/ktap.sh"
mrc=$suite/mrc
division=$mrc/division
pages=3000

modprobe kvm-amd
check "there are virtual machines" [ -c /dev/kvm ]
modprobe zram && echo 256M >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null && swapon /dev/zram0 || exit 1
modprobe mrc || exit 1
echo 500 >$mrc/ladder_ms
echo 100 >$mrc/max_cpu_permille
echo 100 >$division/pressure_pct
echo 1 >$mrc/enabled

resident() { awk '/^VmRSS/ { print int($2 / 4) }' "/proc/$warm/status"; }
major() { awk '{ print $12 }' "/proc/$warm/stat"; }
shrunk() { [ "$(resident)" -le $((pages * 14 / 10)) ]; }
# The largest size that at least half of the accesses need more than.
cliff() { awk '!/^#/ && $3 >= 0.5 { m = $1 } END { print m + 0 }' $debug/mrc/$warm/curve; }
cliff_is_there() { cliff=$(cliff); [ "$cliff" -ge $((pages * 8 / 10)) ] && [ "$cliff" -le $((pages * 12 / 10)) ]; }

"$here/warm" $pages --vm >/tmp/warm &
warm=$!
wait_for 60 grep -q ready /tmp/warm
echo $warm >$mrc/add
check "its curve has what the machine reads" wait_for 60 cliff_is_there
note "$cliff pages, of $pages"
check "it is in the plan" wait_for 30 grep -q "^$warm " $debug/mrc/plan
echo 1 >$division/enforce
sleep 9
before=$(major)
echo $((pages * 4 * 13 / 10)) >$division/total_kib
check "it is driven to its share" wait_for 60 shrunk
sleep 3
missed=$(($(major) - before))
note "$missed major faults, $(resident) pages resident, $(grep . $division/*_pages | sed 's,.*/,,' | tr '\n' ' ')"
check "of what the machine does not read" [ $missed -le 100 ]
kill -TERM $warm
check_data "it ends well" wait $warm
swapoff /dev/zram0
check "unload" rmmod mrc memsuite
done_testing
