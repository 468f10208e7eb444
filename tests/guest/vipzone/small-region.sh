#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A region no larger than what CPUs keep of freed pages: what one program frees there, the next one gets.
#
# kernels: none; soak: all
# options: --mem 2G
. "$(dirname "$0")/ktap.sh"
region=$suite/regions/small

modprobe vipzone && echo 1 >$suite/vipzone/enabled || exit 1
# 16 MiB that are free: where these are, a boot does not say.
for mib in $(seq 1600 16 1840); do
	echo "small ${mib}M-$((mib + 16))M" >$suite/regions/add
	[ "$(cat $region/free_pages)" -lt 4000 ] || break
	echo small >$suite/regions/remove
done
[ -d $region ] || { echo "no 16 MiB are free"; exit 1; }
# Who keeps the pool.
sleep 1000 &
keeper=$!
echo "$keeper region:small" >$suite/vipzone/add
runs() { sh -c "echo \$\$ region:small >$suite/vipzone/add; exec $here/touch $*"; }

missed=0 handed=0
for _ in 1 2 3; do
	before=$(cat $suite/vipzone/fallback_empty) had=$(cat $region/pool_handed_pages)
	sh -c "echo \$\$ region:small children >$suite/vipzone/add; for _ in \$(seq 100); do $here/touch 1000 >/dev/null; done"
	now=$(($(cat $suite/vipzone/fallback_empty) - before)) got=$(($(cat $region/pool_handed_pages) - had))
	note "programs one after the other missed $now pages, and got $got"
	missed=$((missed + now)) handed=$((handed + got))
done
check "what one frees, the next ones get" [ $((missed * 5)) -le $handed ]

kill $keeper
check "unload" rmmod vipzone memsuite
done_testing
