#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Faults of all kinds, in memory of all classes, at random: those that can be found are, within some lifetimes of a
# test, and nothing else is called bad. One boot of tests/campaign.
#
#   campaign.sh [SEED [COUNT [LIFETIME]]]	seconds; 1, 20 and 30
#
# In scripts/vm --fault later.
#
# kernels: none; soak: newest
# options: --mem 512M --icount --fault later
# timeout: 1800
. "$(dirname "$0")/ktap.sh"
seed=${1:-1}
count=${2:-20}
lifetime=${3:-30}
memdiag=$suite/memdiag
# Where the kernel has nothing of its own.
low=0x10000000
high=0x12000000

make_disk 16 || exit 1
mkdir -p /tmp/shm && mount -t tmpfs none /tmp/shm || exit 1
echo 6 >/proc/sys/vm/nr_hugepages
echo madvise >$thp/enabled
modprobe -a memdiag vipzone || exit 1
echo "low $((low / 1048576))M-$((high / 1048576))M" >$suite/regions/add || exit 1
echo "$lifetime" >$memdiag/test_lifetime_s
echo 1000 >$memdiag/move_interval_ms
check "enable" sh -c "echo 1 >$memdiag/enabled && echo 1 >$suite/vipzone/enabled"
sleep 100000 &
echo "$! region:low" >$suite/vipzone/add
# What the simulator says of the test: stuck bits, those that another one flips, and pages that are one.
for claim in saf cfin af; do
	check "the test shows all of $claim" equals $memdiag/algorithm_coverage/${claim}_pct 100
done
check "a sweep" wait_for 120 at_least $memdiag/passes 1
check "a pool" wait_for 60 at_least $suite/regions/low/pool_pages 512
check "cells fail" sh -c "'$here/campaign' $seed $count $((4 * lifetime)) /tmp/disk/file /tmp/shm/file $low $high >/tmp/out"
cat /tmp/out
note "$(cat $memdiag/passes) sweeps, fidelity $(cat $memdiag/control/fidelity), $(cat $memdiag/control/share_pct)% granted"
check "all that can be found are" sh -c "! grep -q '^fault .* missed ' /tmp/out"
check "what was wrong once is not called bad" sh -c "! grep -q '^fault .* wrong ' /tmp/out"
check "nor is a good page" sh -c "! grep -q '^stray ' /tmp/out"
check "unload" rmmod vipzone memdiag memsuite
done_testing
