#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# optimisations.sh: each of the switches does what it says. Needs two memory
# nodes with a CPU each.
#
# kernels: none; soak: all
# options: --numa 192M,cpus=0-0 --numa 192M,cpus=1-1
. "$(dirname "$0")/ktap.sh"
memdiag=$suite/memdiag
switch=$memdiag/optimisations

# Waits for one that begins from now on. Looks seldom: who looks takes pages of a pool.
sweep() {
	passes=$(cat $memdiag/passes)
	for _ in $(seq 120); do
		sleep 2
		! at_least $memdiag/passes $((passes + 2)) || return 0
	done
	return 1
}
middle_pages() { # free, in blocks of orders 3 to 8
	awk '{ nr = 4; for (order = 3; order <= 8; order++) pages += $(order + 5) * (nr *= 2) }
		END { print pages }' /proc/buddyinfo
}
filled() {
	cat $suite/regions/node*/pool_filled_pages | awk '{ pages += $1 } END { print pages }'
}
remote_pct() { # of what is tested from now on
	tested=$(cat $memdiag/tested_pages)
	remote=$(cat $memdiag/control/remote_pages)
	sweep
	tested=$(($(cat $memdiag/tested_pages) - tested))
	remote=$(($(cat $memdiag/control/remote_pages) - remote))
	note "$remote of $tested pages were tested from another node"
	pct=$((remote * 100 / tested))
}

modprobe memdiag || exit 1
echo mats >$memdiag/algorithm
echo fixed >$memdiag/control/policy
echo 2 >$memdiag/control/fixed_threads
echo 0 >$memdiag/ahead/enabled

echo 3600 >$memdiag/test_lifetime_s
echo 1 >$switch/skip_middle
middle=$(middle_pages)
echo 1 >$memdiag/enabled
check "a sweep" wait_for 600 at_least $memdiag/passes 1
left=$(cat $memdiag/coverage/free_untested_pages)
note "$left free pages were not tested, $middle were in the middle orders"
check "skip_middle: the middle orders are left out" [ "$left" -ge $((middle / 2)) ]
check "skip_middle: the others are not" [ "$left" -le $((middle * 2 + 2000)) ]
echo 0 >$switch/skip_middle
echo 8 >$memdiag/test_lifetime_s
check "without it, a sweep" sweep
note "$(cat $memdiag/coverage/free_untested_pages) free pages were not tested"
check "all orders are tested" [ "$(cat $memdiag/coverage/free_untested_pages)" -le $((left / 2)) ]

remote_pct
local_pct=$pct
echo 0 >$switch/node_local
sweep
remote_pct
check "node_local: without it, more is tested from other nodes" [ $pct -gt $((local_pct + 10)) ]
echo 1 >$switch/node_local

echo 1 >$memdiag/ahead/enabled
check "pools are filled" wait_for 60 sh -c "[ \$(cat $suite/regions/node0/pool_pages) -ge 128 ]"
check "a sweep" sweep
before=$(filled)
check "and one more" sweep
check "recycle: a sweep has pools filled anew" [ "$(filled)" -gt "$before" ]
echo 0 >$switch/recycle
sweep
before=$(filled)
sweep
check "recycle: without it, none" [ "$(filled)" = "$before" ]
echo 1 >$switch/recycle

echo ondemand >$memdiag/control/policy
wait_for 10 equals $memdiag/control/threads 0
echo 1 >$memdiag/test_lifetime_s # what the sweeps tested has expired then
echo 0 >$switch/core_local
check "no sweep" wait_for 60 no_test_goes_on
tests=$(cat $memdiag/ahead/on_demand_tests)
served=$(cat $memdiag/ahead/served_pages)
# What one frees was tested a moment ago, and needs no test for the other: both keep theirs.
rm -f /tmp/end
"$here/touch" 3000 --until /tmp/end >/tmp/one &
one=$!
"$here/touch" 3000 --until /tmp/end >/tmp/two &
two=$!
check "two programs have their pages" wait_for 60 sh -c "[ -s /tmp/one ] && [ -s /tmp/two ]"
: >/tmp/end
wait $one $two
tests=$(($(cat $memdiag/ahead/on_demand_tests) - tests))
served=$(($(cat $memdiag/ahead/served_pages) - served))
note "$tests tests on demand of $served pages served; $(cat /tmp/one), $(cat /tmp/two)"
note "nobody served: $(grep -H . $memdiag/ahead/left_* | sed 's/.*left_//' | tr '\n' ' ')"
note "free KiB of nodes: $(cat /sys/devices/system/node/node*/meminfo | awk '$3 == "MemFree:" { print $4 }' | tr '\n' ' ')"
check "pages are served" [ $served -ge 3000 ]
check "core_local: without it, pages are tested on demand all the same" [ $((tests * 10)) -ge $((served * 9)) ]
check "and clear" [ "$(cut -d ' ' -f 6 /tmp/one)" = 0 ]
check "unload" rmmod memdiag memsuite
done_testing
