#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Memory that becomes faulty while it is free, a program's or page cache: 20
# cells of each kind and class are found within the lifetime of a test, and data
# is wrong in these cells only. Before that, as long without a fault, nothing is
# found and no bit is wrong. All the time, what is cached stays so.
#
#   onset.sh [LIFETIME [PAGES]]		seconds; 30 and 4096
#
# In scripts/vm --fault later.
#
# kernels: none; soak: stock
# options: --mem 256M --icount --fault later
# arguments: 30; soak: 60
# timeout: 1800
. "$(dirname "$0")/ktap.sh"
lifetime=${1:-30}
pages=${2:-4096}
memdiag=$suite/memdiag
# The usual 10 ms of 200 ms would rarely be those in which the cell is tested,
# and what has no effect cannot be found.
intermittent=intermittent=1,1,2
kinds="sa0 sa1 $intermittent coupling disturb fast-sa0 fast-sa1"

value() { # value NAME LINE: behind that word
	echo "$2" | sed "s/.*$1 \([0-9]*\).*/\1/"
}
line() { echo "$said" | grep "^$1 "; } # of what the program says
all() { [ "$(value "$1" "$3")" = "$(value "$2" "$3")" ]; }
none() { [ "$(value "$1" "$2")" = 0 ]; }

# A file system's pages can be moved, a bare disk's lie amid the kernel's own.
make_disk $((pages / 256 + 4)) || exit 1

modprobe memdiag || exit 1
echo "$lifetime" >$memdiag/test_lifetime_s
echo 1000 >$memdiag/move_interval_ms
check "enable" sh -c "echo 1 >$memdiag/enabled"
check "a sweep" wait_for 120 at_least $memdiag/passes 1
# shellcheck disable=SC2086
said=$("$here/onset" "$lifetime" "$pages" /tmp/disk/file $kinds once)
echo "$said" | sed 's/^/# /'
note "$(cat $memdiag/passes) sweeps, fidelity $(cat $memdiag/control/fidelity), $(cat $memdiag/control/share_pct)% granted"

# Nobody can test what the kernel has taken for itself meanwhile: that is rare.
all_found() {
	taken=$(value taken "$1")
	[ "$taken" -le 1 ] && [ $(($(value found "$1") + taken)) = "$(value cells "$1")" ]
}

before=$(line before)
check_data "without faults, not a bit is wrong" none errors "$before"
check "nor is one called so" none strays "$before"
check "the file stays in the page cache" all resident pages "$before"
for kind in $kinds; do
	for class in free anonymous cache; do
		check "$kind in memory that was $class" all_found "$(line "$kind $class")"
	done
done
# It is over before any test, and the cells are good.
for class in anonymous cache; do
	check "no memory that was $class is bad for a bit that flipped once" none found "$(line "once $class")"
	check "though it did flip" all seen cells "$(line "once $class")"
done
after=$(line after)
check "data is wrong in faulty cells" [ "$(value faulty "$after")" -gt 0 ]
check_data "and nowhere else" none errors "$after"
check "no other page is called bad" none strays "$after"
check "the file is still in the page cache" all resident pages "$after"
check "unload" rmmod memdiag memsuite
done_testing
