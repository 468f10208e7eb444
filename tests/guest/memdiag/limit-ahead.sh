#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Pages that fail their test in a page fault are retired up to the limit of bad pages, as those that a sweep finds are.
#
# kernels: newest; soak: all
# options: --mem 512M --fault 0x0a345678:3:fast-sa1 --fault 0x0c345678:3:fast-sa1
. "$(dirname "$0")/ktap.sh"
diag=$suite/memdiag
policy=$diag/retire_policy

modprobe memdiag || exit 1
check "one bad page at most" sh -c "echo 1 >$policy/limit_pages"
check "no sweep comes by" sh -c "echo fixed >$diag/control/policy && echo 0 >$diag/control/fixed_threads"
echo 1 >$diag/enabled
echo 0 >$suite/regions/node0/pool_kib
pages=$(awk '$1 == "MemAvailable:" { print int($2 / 4 * 8 / 10) }' /proc/meminfo)
note "$("$here/touch" "$pages"); on demand $(cat $diag/ahead/on_demand_tests)"
check "pages are tested in faults" at_least $diag/ahead/on_demand_tests 1000
check "one that fails is retired" wait_for 10 at_least $diag/bad_page_count 1
check "another one gives an alarm" wait_for 10 equals $policy/alarm 1
check "and stays in use" equals $diag/bad_page_count 1
check "unload" rmmod memdiag memsuite
done_testing
