#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# stress.sh TOOL: memsuite diag stress runs each profile with emulated errors,
# finds them all, damages nothing, and leaves everything as it was. Needs
# scripts/vm --root host, for Python.
#
# kernels: none; soak: stock
# options: --mem 256M --root host
# arguments: $TOP/scripts/memsuite
. "$(dirname "$0")/ktap.sh"
tool=$1
diag=$suite/memdiag
told=/tmp/told.json

stress() { # PROFILE [ARGUMENT]...
	"$tool" diag stress "$@" --size 8 --seconds 2 --algorithm mats --fidelity 1 --threads 2 --json >$told
}
# value NAME: a number that was told.
value() { sed -n "s/^ *\"$1\": \([-0-9.]*\),\{0,1\}\$/\1/p" $told | head -n 1; }
# A page with an error may have come into use: then no sweep gets at it.
all_are_found() {
	more_than found_errors 0 && is injected_errors "$1" &&
		is found_errors $(($1 - $(value errors_in_use)))
}
is() { [ "$(value "$1")" = "$2" ] || { note "$1: $(value "$1")"; false; }; }
more_than() {
	awk -v value="$(value "$1")" -v least="$2" 'BEGIN { exit !(value > least) }' ||
		{ note "$1: $(value "$1")"; false; }
}
exits() { # STATUS ARGUMENT...
	wanted=$1
	shift
	"$tool" diag stress "$@" >/dev/null 2>/tmp/why
	status=$?
	[ $status = "$wanted" ] && [ -s /tmp/why ] || { note "$* exits with $status"; false; }
}

check "without the module it fails" exits 64 ramp
check "and says how to load it" grep -q "modprobe memdiag" /tmp/why
modprobe memdiag || exit 1
# Short, so that one sweep follows the other.
echo 4 >$diag/test_lifetime_s
for profile in ramp burst turnover resident; do
	check "$profile" stress $profile --inject 3
	note "$(tr -d '\n' <$told | tr -s ' ')"
	check "$profile: all errors are found" all_are_found 3
	check "$profile: and nothing else" is other_bad_pages 0
	check "$profile: no data is damaged with tests" is damaged_pages 0
	check "$profile: nor without" is base_damaged_pages 0
	check "$profile: all memory was used" more_than touched_pages 2047
	check "$profile: and checked" more_than checked_pages 4095
	check "$profile: allocations are counted" more_than allocated_pages 2000
	check "$profile: slowdown" more_than cpu_slowdown_ratio 0
	check "$profile: memory was tested" more_than tested_mib_per_s 0
	check "$profile: testers took time" more_than tester_cpu_s 0
	check "$profile: energy" more_than total_j 0
	check "$profile: the fidelity asked for" is mean_fidelity 1.0
	check "$profile: the errors are gone" equals $diag/inject/count 0
	check "$profile: their pages are given back" equals $suite/pages/retired_pages 0
done
check "tests on demand" stress burst --policy ondemand
check "there are some" more_than on_demand_tests 2000
check "and no data is damaged" is damaged_pages 0
check "the policy is what it was" equals $diag/control/policy adaptive
check "the algorithm" equals $diag/algorithm march-c-
check "and whether memdiag is enabled" equals $diag/enabled 0
check "more than all memory" exits 1 ramp --size 100000
check "a policy that does not exist" exits 1 ramp --size 1 --seconds 1 --policy best
check "no number" exits 2 ramp --size many
check "too many errors" exits 2 ramp --inject 33
check "no such profile" exits 2 flood
check "unload" rmmod memdiag memsuite
done_testing
