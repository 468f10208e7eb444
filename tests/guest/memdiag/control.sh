#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The controller: sweeps come in time, the configuration follows the demand
# and the administrator's limits, a budget is kept.
#
# kernels: newest; soak: all
# options: --mem 384M
. "$(dirname "$0")/ktap.sh"
memdiag=$suite/memdiag
control=$memdiag/control

modprobe memdiag || exit 1
check "the default is adaptive" equals $control/policy adaptive
# A short test, that a sweep of the emulated machine fits into its lifetime.
echo mats >$memdiag/algorithm
echo 1 >$control/max_fidelity
echo 60 >$memdiag/test_lifetime_s
echo 1 >$memdiag/enabled
check "a sweep ends" wait_for 600 at_least $memdiag/passes 1
check "its speed was measured" at_least $control/bandwidth_pages_s 1000
note "$(cat $control/bandwidth_pages_s) pages/s a thread, $(cat $control/request_pages_s) wanted"
# At ease on the slowest machine, too.
echo 1200 >$memdiag/test_lifetime_s
echo 32 >$control/max_fidelity
echo 100 >$memdiag/lifetime/test_res_pct
check "at ease, fidelity is high" wait_for 20 at_least $control/fidelity 2
note "threads $(cat $control/threads), fidelity $(cat $control/fidelity)"
check "and threads are few" wait_for 10 equals $control/threads 1
echo 60 >$memdiag/test_lifetime_s
# Bursts, and quiet in between; seen over two seconds each.
bursts() {
	while :; do
		"$here/touch" 20000 >/dev/null
		sleep 5
	done
}
echo 2000 >$control/monitor_ms
echo 4000 >$control/policy_ms
# More than the policy itself may choose.
echo 2 >$control/max_fidelity
echo 3 >$control/emergency_fidelity
alarms=$(cat $control/alarms)
echo 0 >$memdiag/ahead/enabled
bursts &
load=$!
check "a burst of demand raises the alarm" wait_for 120 at_least $control/alarms $((alarms + 1))
check "and what is set for it is in use" wait_for 60 equals $control/fidelity 3
kill $load
wait $load 2>/dev/null
echo 0 >$control/emergency_fidelity
echo 32 >$control/max_fidelity
echo 1000 >$control/policy_ms
echo 25 >$control/monitor_ms
echo fixed >$control/policy
echo 3 >$control/fixed_fidelity
echo 2 >$control/fixed_threads
check "fixed: fidelity" wait_for 10 equals $control/fidelity 3
check "fixed: threads" wait_for 10 equals $control/threads 2
echo 0 >$control/fixed_threads
check "no thread" wait_for 10 equals $control/threads 0
check "nothing is tested" wait_for 60 no_test_goes_on
echo 2 >$control/fixed_threads
echo 1 >$control/fixed_fidelity
echo 4 >$memdiag/test_lifetime_s
# Four accesses to each word.
echo 32 >$control/bandwidth_mib_s
sleep 3
tested_in_10_s
note "$tested pages in 10 s with a budget of 20480"
check "the budget is kept" [ $tested -le 26000 ]
least=$(at_speed 5000)
check "and used" [ $tested -ge "$least" ]
echo 0 >$control/bandwidth_mib_s
echo 1 >$memdiag/ahead/enabled
echo comet >$control/policy
echo 1 >$control/min_fidelity
check "COMeT: one thread" wait_for 10 equals $control/threads 1
passes=$(cat $memdiag/passes)
echo 30 >$memdiag/test_lifetime_s
check "COMeT: sweeps go on" wait_for 120 at_least $memdiag/passes $((passes + 1))
echo 1 >$memdiag/lifetime/least_s
echo 1 >$memdiag/lifetime/automatic
check "the lifetime is computed" wait_for 60 differs $memdiag/test_lifetime_s 30
short=$(cat $memdiag/test_lifetime_s)
echo 100000 >$memdiag/lifetime/alpha_pct
check "and longer with alpha" wait_for 60 at_least $memdiag/test_lifetime_s $((100 * short))
note "$short s, $(cat $memdiag/test_lifetime_s) s with an alpha of 1000"
echo 30 >$memdiag/test_lifetime_s
check "what is written holds" equals $memdiag/lifetime/automatic 0
echo user >$control/policy
echo 2000 >$control/user_timeout_ms
echo 1 >$control/max_fidelity
# It writes every half a second, and then no more.
(for i in 1 2 3 4 5 6 7 8; do echo "5 2" >$control/user_config; sleep 0.5; done) &
daemon=$!
check "user: what the daemon chose" wait_for 10 equals $control/fidelity 5
check "user: and threads" equals $control/threads 2
wait $daemon
check "user: without its daemon, adaptive" wait_for 10 equals $control/fidelity 1
echo ondemand >$control/policy
check "ondemand: no thread" wait_for 10 equals $control/threads 0
echo 1 >$memdiag/test_lifetime_s # what the sweeps tested has expired then
check "ondemand: no sweep" wait_for 60 no_test_goes_on
filled=$(cat $suite/regions/node0/pool_filled_pages)
tests=$(cat $memdiag/ahead/on_demand_tests)
"$here/touch" 4000 >/dev/null
note "4000 pages touched, $(($(cat $memdiag/ahead/on_demand_tests) - tests)) tested on demand"
check "ondemand: every page is tested when it is handed out" at_least $memdiag/ahead/on_demand_tests $((tests + 3900))
check "ondemand: no pool is filled" equals $suite/regions/node0/pool_filled_pages "$filled"
echo 0 >$memdiag/ahead/enabled
echo 32 >$control/fixed_fidelity
echo "{c(w0);del1000;c(r0);del1000;c(r0);del1000;c(r0);del1000;c(r0)}" >$memdiag/algorithm
echo 0 >$control/bandwidth_mib_s
echo fixed >$control/policy
# A block takes it two minutes and more.
testing_goes_on() { [ "$(cat $memdiag/pass_progress_pct)" -lt 100 ]; }
check "a long test goes on" wait_for 20 testing_goes_on
sleep 3
began=$(uptime_ms)
echo 0 >$memdiag/enabled
note "switched off after $(($(uptime_ms) - began)) ms"
check "and ends when it is switched off" [ $(($(uptime_ms) - began)) -lt 15000 ]
echo 1 >$memdiag/ahead/enabled
echo mats >$memdiag/algorithm
echo 1 >$memdiag/enabled
echo adaptive >$control/policy
check "ahead again" wait_for 20 at_least $suite/regions/node0/pool_filled_pages $((filled + 128))
check "a policy that does not exist" sh -c "! echo best >$control/policy 2>/dev/null"
check "unload" rmmod memdiag memsuite
done_testing
