#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A zone that the kernel keeps for those who can use no other one is tested as well; and a node that is short of memory
# does not keep the rest from its test, nor the sweep from its end.
#
# kernels: newest; soak: all
# options: --smp 1 --numa 512M,cpus=0 --numa 512M --append movablecore=512M
. "$(dirname "$0")/ktap.sh"
memdiag=$suite/memdiag

sweep() { # sets took_ms
	echo 0 >$memdiag/enabled
	passes=$(cat $memdiag/passes)
	began=$(uptime_ms)
	echo 1 >$memdiag/enabled
	wait_for 240 at_least $memdiag/passes $((passes + 1)) || return 1
	took_ms=$(($(uptime_ms) - began))
	note "a sweep took $took_ms ms: $(cat $memdiag/coverage/free_tested_pct)% of free memory tested"
}
# Pages free in all zones of node 0, and their high watermarks.
node0() { awk -v what="$1" '/^Node/ { here = $2 == "0," } here && $0 ~ what { sum += $NF } END { print sum }' /proc/zoneinfo; }

modprobe memdiag || exit 1
echo 3600 >$memdiag/test_lifetime_s
echo fixed >$memdiag/control/policy
check "a sweep" sweep
whole_ms=$took_ms
ratio=$(cat /proc/sys/vm/lowmem_reserve_ratio)
echo 1 1 1 1 >/proc/sys/vm/lowmem_reserve_ratio
note "node 0 keeps $(awk '/protection:/ { gsub(/[(,)]/, ""); print $NF; }' /proc/zoneinfo | sort -n | tail -n 1) pages of a zone"
check "all of a zone is kept: a sweep" sweep
check "what is free there is tested" at_least $memdiag/coverage/free_tested_pct 95
echo "$ratio" >/proc/sys/vm/lowmem_reserve_ratio

# Little holes all over node 0.
mkdir -p /tmp/full
mount -t tmpfs -o size=100%,mpol=prefer:0 full /tmp/full
files=$(($(node0 "nr_free_pages") / 256 - 40))
for n in $(seq $files); do dd if=/dev/zero of=/tmp/full/$n bs=1M count=1 2>/dev/null; done
for n in $(seq 1 4 $files); do rm /tmp/full/$n; done
min_kib=$(cat /proc/sys/vm/min_free_kbytes)
echo $(($(node0 "nr_free_pages") * 4 * 2)) >/proc/sys/vm/min_free_kbytes
note "node 0 has $(node0 nr_free_pages) pages free, $(node0 "^ *high") are to stay so"
check "node 0 is short" [ "$(node0 nr_free_pages)" -lt "$(node0 "^ *high")" ]
check "a sweep beside it" sweep
check "takes no longer than one of all memory" [ "$took_ms" -le "$whole_ms" ]
echo "$min_kib" >/proc/sys/vm/min_free_kbytes
umount /tmp/full
check "unload" rmmod memdiag memsuite
done_testing
