#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The KUnit suites, as modules of the debug kernel; one result for each suite.
#
# boot: shared
# kernels: debug
. "$(dirname "$0")/ktap.sh"

suites="memsuite_kunit memdiag_kunit memdiag_simulator_kunit
	memdiag_result_kunit memdiag_engine_kunit memdiag_inject_kunit memdiag_expiry_kunit
	vipzone_kunit vipzone_low_power_kunit vipzone_ranking_kunit mrc_kunit mrc_samples_kunit
	mrc_targets_kunit mrc_division_kunit mrc_usage_kunit mrc_guard_kunit dm-vstore_kunit"
modprobe kunit 2>/dev/null
for module in $suites; do
	check "load $module" modprobe "$module"
done
modules=$ktap_nr
for results in /sys/kernel/debug/kunit/*/results; do
	suite_name=$(basename "$(dirname "$results")")
	grep -E '^ *(not )?ok' "$results" | sed 's/^/# /'
	check "$suite_name" sh -c "grep -q '^ok' $results && ! grep -q 'not ok' $results"
done
check "each module has a suite that ran" [ $((ktap_nr - modules)) -ge "$modules" ]
# They have symbols of the modules that they test.
for module in $(echo $suites | tr ' ' '\n' | sed '1!G;h;$!d'); do
	check "unload $module" rmmod "$module"
done
done_testing
