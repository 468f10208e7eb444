#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A memory block of which pages are held, in a pool and by the tester, can be
# offlined. Boot with movablecore=512M nokaslr and 1 GiB: the upper half is movable,
# and its first blocks hold nothing of the boot loader's.
#
# kernels: oldest newest; soak: all
# options: --append "movablecore=512M nokaslr"
. "$(dirname "$0")/ktap.sh"

block=/sys/devices/system/memory/memory5	# 640 to 768 MiB
modprobe memdiag && modprobe vipzone || exit 1
echo "high 640M-768M" >$suite/regions/add || exit 1
echo 131072 >$suite/regions/high/pool_kib
sleep 1000 &
holder=$!
echo "$holder region:high" >$suite/vipzone/add || exit 1
echo 1 >$suite/vipzone/enabled
echo 1 >$suite/memdiag/test_lifetime_s
echo 1 >$suite/memdiag/enabled
check "the pool holds pages" wait_for 300 at_least $suite/regions/high/pool_pages 4096
note "holding $(cat $suite/regions/high/pool_pages) pages of $(cat $suite/regions/high/total_pages)"
check "offline" sh -c "echo offline >$block/state"
check "it is offline" equals $block/state offline
check "nothing is held there" equals $suite/regions/high/total_pages 0
check "online again" sh -c "echo online_movable >$block/state"
check "the pool comes back" wait_for 60 at_least $suite/regions/high/pool_pages 4096
kill $holder
wait $holder 2>/dev/null
check "unload" rmmod vipzone memdiag memsuite
done_testing
