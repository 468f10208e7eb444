#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# reboot.sh before|after STORE ADDRESS: before a reboot a faulty cell is found,
# and kept by what udev would run; after it, without the fault, the page is
# retired by loading memdiag alone. Runs in the host's file system, where
# the sources are the working directory.
. "$(dirname "$0")/ktap.sh"
top=$PWD
export MEMSUITE_STATE=$2
pfn=$(printf '0x%x' $(($3 / 4096)))
mkdir -p /tmp/bin
# The guest has no udev of its own: what its rule runs is run by hand.
"$top/scripts/install-hooks" "" "$top/scripts/memsuite" /tmp/share /etc
udev_runs=$(sed -n '/diag save/s/^RUN+="\(.*\)"$/\1/p' /etc/udev/rules.d/90-memsuite.rules)

case $1 in
before)
	check "load" modprobe memdiag
	check "nothing is stored" [ ! -e "$MEMSUITE_STATE" ]
	# What was read of the host's files may lie on the cell, and would be tested within a lifetime only.
	echo 3 >/proc/sys/vm/drop_caches
	echo 1 >$suite/memdiag/enabled
	check "the bad page is found" wait_for 120 at_least $suite/memdiag/bad_page_count 1
	check "and kept" $udev_runs
	check "it is listed" sh -c "'$top/scripts/memsuite' diag bad | grep '^$(printf '0x%x' "$3") .* test  *yes  *yes'"
	;;
after)
	check "it is known before anything is loaded" \
		sh -c "'$top/scripts/memsuite' diag export --format memmap | grep -F 'memmap=4K\$${pfn}000'"
	check "load" modprobe memdiag
	check "memdiag is off" equals $suite/memdiag/enabled 0
	check "the page is retired" grep -q "^$pfn .* restored 1$" $debug/memdiag/bad_pages
	check "HardwareCorrupted counts it" grep -q 'HardwareCorrupted: *4 kB' /proc/meminfo
	"$top/scripts/memsuite" diag bad | sed 's/^/# /'
	check "with what was found of it" sh -c "'$top/scripts/memsuite' diag bad | grep -q '0x0*8  0->1  hard .* restored  *yes  *yes'"
	;;
esac
done_testing
