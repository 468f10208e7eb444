#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Whoever needs the memory that a test holds waits for a march at most, however many are to come: of
# pages that are moved, one by one, and of those that pools are filled with.
#
# kernels: newest; soak: all
# options: --numa 512M,cpus=0-1 --numa 512M
. "$(dirname "$0")/ktap.sh"
memdiag=$suite/memdiag

[ ! -e /proc/sys/kernel/numa_balancing ] || echo 0 >/proc/sys/kernel/numa_balancing
modprobe memdiag && modprobe vipzone || exit 1
echo fixed >$memdiag/control/policy
echo 0 >$memdiag/control/fixed_threads
echo 1 >$memdiag/control/fixed_fidelity
echo 4 >$memdiag/test_lifetime_s
# A second and more, whatever the size of the block.
slow="{c(w0);del1000;c(r0)}"

# To forget injected faults, nobody may be at a test.
waits_little() {
	began=$(uptime_ms)
	echo 1 >$memdiag/inject/clear
	note "waited for $(($(uptime_ms) - began)) ms"
	[ $(($(uptime_ms) - began)) -lt 15000 ]
}
tests_slowly() { at_least $memdiag/tested_pages $((tested + $1)); } # PAGES

# 400 pages move to the other node, each to one that is tested for it.
"$here/touch" 400 --until /tmp/end >/tmp/out &
pid=$!
wait_for 20 [ -s /tmp/out ]
echo 1 >$memdiag/enabled
echo 1 >$suite/vipzone/enabled
for node in node0 node1; do echo 0 >$suite/regions/$node/pool_kib; done
sleep 5
echo "$slow" >$memdiag/algorithm
tested=$(cat $memdiag/tested_pages)
echo "$pid region:node1" >$suite/vipzone/add
echo 65536 >$suite/vipzone/audit/quota_kib_s
echo 100 >$suite/vipzone/audit/interval_ms
check "pages that are moved are tested first" wait_for 60 tests_slowly 2
check "who waits for them waits for one of them" waits_little
echo mats >$memdiag/algorithm
moved() { [ "$(cat $suite/vipzone/policies/*/moved_pages)" -ge 350 ]; }
check "the pages are moved then" wait_for 60 moved
echo 0 >$suite/vipzone/audit/interval_ms
: >/tmp/end
wait $pid

# A pool is filled, of frames in some banks, which are tested one by one.
echo "map xor=0x2000,0x4000" >$suite/bank_maps/add
echo "part 64M-448M map=map banks=0-1" >$suite/regions/add
check "a region of banks" [ -d $suite/regions/part ]
sleep 5
echo "$slow" >$memdiag/algorithm
tested=$(cat $memdiag/tested_pages)
echo "$$ region:part" >$suite/vipzone/add
check "a pool of banks is filled with tested pages" wait_for 60 tests_slowly 2
check "who waits for them waits for one of them" waits_little

echo mats >$memdiag/algorithm
check "unload" rmmod vipzone memdiag memsuite
done_testing
