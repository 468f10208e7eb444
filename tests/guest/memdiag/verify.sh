#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# verify.sh [SECONDS]: while memory is tested, and moved to be tested, as fast
# as it goes, stress-ng writes patterns all over its own and reads them back.
# In a guest that has the host's files.
#
# kernels: default; soak: stock
# options: --mem 512M --root host
# arguments: 60; soak: 3600
# timeout: 960; soak: 4500
. "$(dirname "$0")/ktap.sh"
seconds=${1:-60}
memdiag=$suite/memdiag

check "load" modprobe memdiag
echo 4 >$memdiag/test_lifetime_s # a sweep every two seconds
echo fixed >$memdiag/control/policy
echo 4 >$memdiag/control/fixed_threads
echo 200 >$memdiag/move_interval_ms
echo 1 >$memdiag/enabled
check_data "patterns read back as they were written" stress-ng --quiet --vm 2 --vm-bytes 50% --vm-method all --verify \
	--timeout "$seconds"
tested=$(cat $memdiag/tested_pages)
moved=$(cat $memdiag/moves/moved_pages)
note "$tested pages tested, $moved moved, $(cat $memdiag/passes) sweeps"
check "free memory was tested meanwhile" [ "$tested" -gt 10000 ]
check "memory in use was moved meanwhile" [ "$moved" -gt 1000 ]
check "none of it is called bad" equals $memdiag/bad_page_count 0
check "unload" rmmod memdiag memsuite
done_testing
