#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Huge pages of hugetlbfs, a program's and those in reserve, are tested within
# the lifetime of a test, and bad ones are found, without a change to what is in
# them or to how many there are. Pinned memory is told apart: nobody can move it.
#
# kernels: newest; soak: all
# options: --mem 512M --fault later=quick
# timeout: 900
. "$(dirname "$0")/ktap.sh"
diag=$suite/memdiag
huge=/sys/kernel/mm/hugepages/hugepages-2048kB
pages=24
used=8

ask() { # of the program
	echo "$*" >&3
	read -r answer <&4
	echo "$answer"
}
all_huge() { grep -qx $pages $huge/nr_hugepages && grep -qx $((pages - used)) $huge/free_hugepages; }
left() { [ "$(cat $diag/moves/left_hugetlb_pages)" -ge $((pages * 512)) ]; }
# One in reserve: nobody has mapped it (bit 11).
reserve() {
	printf '0x%x' $(($(page_flags | awk '{ huge = int($1 / 131072) % 2; mapped = int($1 / 2048) % 2 }
		huge && !mapped { print NR - 1; exit }') * 4096))
}

mkdir -p /tmp/huge
mount -t hugetlbfs none /tmp/huge || exit 1
echo $pages >$huge/nr_hugepages
check "there are huge pages" grep -qx $pages $huge/nr_hugepages
mkfifo /tmp/to /tmp/from
"$here/hold" $((used * 512)) /tmp/huge/file </tmp/to >/tmp/from &
exec 3>/tmp/to 4</tmp/from
check_data "they hold data" [ "$(ask check)" = same ]
place=$(ask where 0)

modprobe memdiag || exit 1
echo 60 >$diag/test_lifetime_s
check "enable" sh -c "echo 1 >$diag/enabled"
check "a sweep" wait_for 300 at_least $diag/passes 1
check "they are counted" equals $diag/coverage/hugetlb_pages $((pages * 512))
check "none is tested by sweeps" equals $diag/coverage/hugetlb_tested_pages 0
echo 1000 >$diag/move_interval_ms
if uname -r | grep -q '^5\.10'; then
	check "this kernel does not move them" wait_for 60 left
	check_data "nothing is changed" [ "$(ask check)" = same ]
	done_testing
	exit
fi
check "all are tested" wait_for 120 at_least $diag/coverage/hugetlb_tested_pct 99
check_data "their data is what it was" [ "$(ask check)" = same ]
check "there are as many" all_huge
note "page 0: $place, now $(ask where 0)"
check "they were moved" at_least $diag/moves/moved_pages $((pages * 512))
check "nothing is bad" equals $diag/bad_page_count 0
# This bit is 1 in the program's data.
check "faults" "$here/fault" "$(ask where 0):0:sa1" "$(reserve):0:sa1"
check "both are found" wait_for 180 at_least $diag/bad_page_count 2
check "no more" equals $diag/bad_page_count 2
check_data "the data is still what it was" [ "$(ask check)" = same ]
check "and there are as many" all_huge
sed 's/^/# /' $debug/memdiag/coverage | grep -v '#  '
note "$(grep . $diag/moves/left_*)"
echo 0 >$diag/move_interval_ms
exec 3>&-
wait
rm /tmp/huge/file

# Memory that a device could write at any time.
"$here/hold" 1024 </tmp/to >/tmp/from &
exec 3>/tmp/to 4</tmp/from
check "pin" [ "$(ask pin)" = pinned ]
check "pinned pages are counted" wait_for 10 at_least $diag/coverage/pinned_pages 1024
exec 3>&-
wait
check "and no longer" wait_for 10 equals $diag/coverage/pinned_pages 0
echo 0 >$huge/nr_hugepages
check "the reserve is given back" grep -qx 0 $huge/nr_hugepages
check "unload" rmmod memdiag
check "nothing is held" equals $suite/pages/held_pages 0
done_testing
