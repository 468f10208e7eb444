#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# No page reaches a program with anything but zeros, with memdiag writing to
# free memory and vipzone handing pages out. Booted with each of the kernel's
# own zeroing options.
#
# case: zeros, init_on_free=1
# kernels: newest; soak: stock
# options: --mem 768M --append init_on_free=1
# case: zeros, page_poison=1
# kernels: oldest; soak: stock
# options: --mem 768M --append page_poison=1
# case: zeros, debug_pagealloc=on
# kernels: newest; soak: all
# options: --mem 768M --append debug_pagealloc=on
. "$(dirname "$0")/ktap.sh"

modprobe memdiag && modprobe vipzone || exit 1
echo "low 256M-384M" >$suite/regions/add || exit 1
echo 1 >$suite/memdiag/test_lifetime_s
echo 1 >$suite/memdiag/enabled || exit 1
echo 1 >$suite/vipzone/enabled || exit 1
all_zero() {
	set -- $("$here/touch" "$@")
	note "$*"
	[ "$6" = 0 ]
}
sweep=$(cat $suite/memdiag/passes)
check "memory was swept" wait_for 600 at_least $suite/memdiag/passes $((sweep + 1))
for round in 1 2; do
	check_data "kernel's pages $round" all_zero 15000 --rounds 2
	(
		echo "$(sh -c 'echo $PPID') region:low children" >$suite/vipzone/add
		check_data "steered pages $round" all_zero 8000 --rounds 2
		exit $ktap_failed
	) || ktap_failed=1
	ktap_nr=$((ktap_nr + 1))
done
check "unload while busy" rmmod vipzone memdiag memsuite
check_data "pages after unloading" all_zero 15000
done_testing
