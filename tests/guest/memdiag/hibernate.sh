#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hibernate.sh TIMES: while memory is tested and pools are full, the machine
# hibernates: its image is written to the disk, and read from there at once.
# Nothing that the suite held is taken for what it was before. Boot with a disk.
#
# kernels: newest; soak: 6.12+
# options: --mem 384M --disk 512M --append no_console_suspend
# arguments: 3
. "$(dirname "$0")/ktap.sh"
diag=$suite/memdiag

[ -b /dev/vda ] || modprobe virtio_blk
[ -b /dev/vda ] || { echo "Bail out! no disk"; exit 1; }
mkswap /dev/vda >/dev/null
swapon /dev/vda
echo test_resume >/sys/power/disk

check "load" modprobe memdiag
# Each sweep begins at once, and tests everything.
echo 4 >$diag/test_lifetime_s
echo fixed >$diag/control/policy
echo 1 >$diag/enabled
check "memory is being tested" wait_for 60 at_least $diag/passes 1
check "pages are held" wait_for 60 at_least $suite/pages/held_pages 1000
i=0
while [ $i -lt "$1" ]; do
	i=$((i + 1))
	check "it hibernates" sh -c "echo disk >/sys/power/state"
	passes=$(cat $diag/passes)
	"$here/touch" 20000 >/tmp/touched
	sed 's/^/# /' /tmp/touched
	check_data "pages are zero that come from pools" grep -q ' nonzero 0 ' /tmp/touched
	check "tests go on" wait_for 60 at_least $diag/passes $((passes + 2))
done
check "no good page was found bad" equals $diag/bad_page_count 0
check "nothing was retired" equals $suite/pages/retired_pages 0
check "faults are served from pools again" wait_for 60 at_least $suite/pages/held_pages 1000
check "unload" rmmod memdiag memsuite
swapoff /dev/vda
done_testing
