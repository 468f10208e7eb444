#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# ahead.sh ADDRESS: with memdiag enabled, page faults get tested pages that are
# clear; with an empty pool they are tested on demand; the faulty page at
# ADDRESS never reaches a program, though no sweep has come by yet.
#
# kernels: oldest newest; soak: all
# options: --mem 512M --fault 0x0a345678:3:fast-sa1
# arguments: 0x0a345678
. "$(dirname "$0")/ktap.sh"
address=$1
page=$((address / 4096 * 4096))
ahead=$suite/memdiag/ahead
demand=$suite/demand

share() { # of the pages faulted in, how many percent were served
	before=$(cat $ahead/served_pages)
	# shellcheck disable=SC2046
	set -- $("$here/touch" "$1")
	note "$*; served $(($(cat $ahead/served_pages) - before))"
	nonzero=$6
	pct=$((($(cat $ahead/served_pages) - before) * 100 / $2))
}

modprobe memdiag || exit 1
echo 32768 >$suite/regions/node0/pool_kib
echo 1 >$suite/memdiag/enabled
pool_full() { at_least $suite/regions/node0/pool_pages 8000; }
check "the pool is filled" wait_for 300 pool_full
tested=$(cat $demand/tested_pages)
on_demand=$(cat $ahead/on_demand_tests)
share 4000
check "faults are served from it" [ $pct -ge 99 ]
check_data "with pages that are clear" [ "$nonzero" = 0 ]
check "which were tested" [ $(($(cat $demand/tested_pages) - tested)) -ge 3960 ]
check "on demand tests were not needed" [ $(($(cat $ahead/on_demand_tests) - on_demand)) -lt 100 ]
echo 0 >$suite/regions/node0/pool_kib
# Nor is it enough what a sweep has come by.
echo 1 >$suite/memdiag/control/bandwidth_mib_s
on_demand=$(cat $ahead/on_demand_tests)
# More than a batch of pages is left to nobody.
share 4000
check "without a pool they are served as well" [ $pct -ge 95 ]
# Almost all memory: what the pool held before, and is tested, is not enough.
pages=$(awk '$1 == "MemAvailable:" { print int($2 / 4 * 8 / 10) }' /proc/meminfo)
# shellcheck disable=SC2046
set -- $("$here/touch" "$pages" --range "$page" $((page + 4096)))
note "$*"
note "on demand $(cat $ahead/on_demand_tests), left empty $(cat $ahead/left_empty)"
check "tested on demand" at_least $ahead/on_demand_tests $((on_demand + 1000))
check "the faulty page reaches no program" [ "$4" = 0 ]
check_data "all pages are clear" [ "$6" = 0 ]
echo 0 >$ahead/enabled
before=$(cat $ahead/served_pages)
"$here/touch" 1000 >/dev/null
check "switched off" equals $ahead/served_pages "$before"
check "the hook is gone" equals $suite/hooks/fault.alloc/state off
check "on again" sh -c "echo 1 >$ahead/enabled"
modprobe vipzone
echo "low 128M-192M" >$suite/regions/add
echo 1 >$suite/vipzone/enabled
"$here/touch" 1000 --range 134217728 201326592 --wait /tmp/go >/tmp/touched &
sleep 0.5
echo "$! region:low" >$suite/vipzone/add
wait_for 20 at_least $suite/regions/low/pool_pages 1200
touch /tmp/go
wait $!
note "$(cat /tmp/touched)"
check "vipzone's placement comes first" [ "$(cut -d ' ' -f 4 /tmp/touched)" -ge 995 ]
check "unload both" rmmod vipzone memdiag
check "nothing is held" equals $suite/pages/held_pages 0
check "unload the core" rmmod memsuite
done_testing
