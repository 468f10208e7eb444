#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Steering: at least 99.5% of a process's anonymous pages lie in its region.
#
# boot: shared
# kernels: all
# arguments: 16384; debug: 4096
. "$(dirname "$0")/ktap.sh"
pages=${1:-16384}

modprobe vipzone || exit 1
echo "low 256M-512M technology=test" >$suite/regions/add || exit 1
echo 1 >$suite/vipzone/enabled || exit 1

# steered REGIONS OPTIONS...: touch's own words about where its pages lie
steered() {
	regions=$1
	shift
	rm -f /tmp/go
	"$here/touch" "$pages" --wait /tmp/go "$@" >/tmp/out &
	pid=$!
	echo "$pid region:$regions" >$suite/vipzone/add || return 1
	sleep 1
	: >/tmp/go
	wait $pid
	note "$(cat /tmp/out)"
}
placed() { # 99.5% of them, all clear
	set -- $(cat /tmp/out)
	[ $(($4 * 1000)) -ge $(($2 * 995)) ] && [ "$6" = 0 ]
}
clear() {
	set -- $(cat /tmp/out)
	[ "$6" = 0 ]
}

steered low --range 0x10000000 0x20000000
check "in the region" placed
check_data "all pages are clear" clear
steered low --range 0x10000000 0x20000000 --huge
check "in the region, huge pages asked for" placed
check_data "all pages are clear" clear
steered node0 --range 0 0x100000000
check "in a node" placed
check_data "all pages are clear" clear
steered node0 --range 0 0x100000000 --huge
check "in a node, huge pages" placed
check_data "all pages are clear" clear

# Children inherit, if asked; an exec does not lose the process.
sh -c 'while [ ! -e /tmp/start ]; do sleep 0.1; done
       "$1" "$2" --range 0x10000000 0x20000000 >/tmp/out; :' sh "$here/touch" "$pages" &
parent=$!
echo "$parent region:low children" >$suite/vipzone/add
: >/tmp/start
wait $parent
note "$(cat /tmp/out)"
check "a child of a child-inheriting process" placed
check_data "all pages are clear" clear

wait_for 10 sh -c "[ \$(grep -vc '^#' $debug/vipzone/processes) = 0 ]"
check "the table is empty when all have gone" sh -c "! grep -v '^#' $debug/vipzone/processes"
check "their pools are empty" wait_for 10 equals $suite/pages/held_pages 0
check "the region can be removed" wait_for 10 sh -c "echo low 2>/dev/null >$suite/regions/remove"
check "disable" sh -c "echo 0 >$suite/vipzone/enabled"
check "unload" rmmod vipzone memsuite
done_testing
