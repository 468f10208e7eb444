#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What others add: tests beside the main one, each with its period; policies,
# alarms and tests of another module, which may go at any time.
#
# kernels: none; soak: all
# options: --mem 384M
. "$(dirname "$0")/ktap.sh"
memdiag=$suite/memdiag
control=$memdiag/control
module=/sys/module/diagtest/parameters

field() { awk -v name="$1" -v nr="$2" '$1 == name { print $nr }' $debug/memdiag/tests; }
passes_of() { [ "$(field "$1" 4)" -ge "$2" ] 2>/dev/null; }
listed() { grep -q "^$(printf '0x%x' $(($1 / 4096))) " $debug/memdiag/bad_pages; }
names() { grep -qx "$2" "$1"; }
fails() { ! "$@" 2>/dev/null; }
answers() { # FILE TEXT ERRNO
	[ "$("$here/poke" "$1" "literal:$2")" = "$3" ]
}

modprobe memdiag || exit 1
echo mats+ >$memdiag/algorithm
echo 1 >$control/max_fidelity
echo 300 >$memdiag/test_lifetime_s
echo 0 >$memdiag/ahead/enabled
# A read that flips what it has read correctly: MATS+ writes the cell next.
cell=$(free_page)
echo "$cell:3:drdf" >$memdiag/inject/add
echo 1 >$memdiag/enabled
check "a sweep of the main test" wait_for 300 at_least $memdiag/passes 1
check "does not see the fault" fails listed "$cell"
check "a second test" sh -c "echo 'thorough march-ss period_s=3600' >$memdiag/tests/add"
check "its name is taken" answers $memdiag/tests/add "thorough mats period_s=1" EEXIST
check "a third, in every sweep" sh -c "echo 'each mats period_s=0' >$memdiag/tests/add"
check "both are counted" equals $memdiag/tests/count 2
check "a sweep begins for it" wait_for 300 passes_of thorough 1
check "and finds the fault" listed "$cell"
echo "often mats period_s=1" >$memdiag/tests/add
check "further sweeps begin for another" wait_for 300 passes_of often 2
check "in which every test runs that is in all" passes_of each 2
check "but not one whose period has not passed" fails passes_of thorough 2
sed 's/^/# /' $debug/memdiag/tests
check "taken away" sh -c "echo thorough >$memdiag/tests/remove"
check "it is gone" answers $memdiag/tests/remove thorough ENOENT
echo each >$memdiag/tests/remove
echo often >$memdiag/tests/remove
check "none is left" equals $memdiag/tests/count 0

echo 100 >$control/policy_ms
# To modprobe, EEXIST means that the module is loaded already.
check "a module with a policy's name" fails insmod /lib/memsuite/diagtest.ko policy=adaptive
check "or a name with a slip" fails insmod /lib/memsuite/diagtest.ko policy=
check "nothing is left of them" fails names $control/available_alarms diagtest
check "load a module that adds to memdiag" modprobe diagtest
check "its policy can be chosen" names $control/available_policies diagtest
check "its alarm is heeded" names $control/available_alarms diagtest
check "its test is in the table" [ "$(field diagtest 2)" = - ]
check "and is not the administrator's" answers $memdiag/tests/remove diagtest EPERM
check "its test runs" wait_for 300 passes_of diagtest 1
check "over blocks" at_least $module/blocks 10
cell=$(free_page)
echo $((cell)) >$module/bad
check "what it calls bad is retired" wait_for 300 listed "$cell"
echo 0 >$module/bad
check "the policy is chosen" sh -c "echo diagtest >$control/policy"
check "and asked" wait_for 10 equals $control/fidelity 3
alarms=$(cat $control/alarms)
echo Y >$module/raise
check "its alarm is raised" wait_for 10 at_least $control/alarms $((alarms + 3))
echo 500 >$module/slow_ms
sleep 1
check "unload it while its policy is asked" rmmod diagtest
check "the default is in use" equals $control/policy adaptive
check "its policy is gone" fails names $control/available_policies diagtest
check "its test is gone" equals $memdiag/tests/count 0
passes=$(cat $memdiag/passes)
check "again, at once" sh -c "for i in 1 2 3 4 5; do modprobe diagtest && echo diagtest >$control/policy && rmmod diagtest || exit 1; done"
echo "last mats period_s=1" >$memdiag/tests/add
check "sweeps go on" wait_for 300 at_least $memdiag/passes $((passes + 1))

# A busy CPU, and testers that wait for it, are no pressure: nobody else waits.
# More busy programs than there are CPUs are.
echo 0 >$control/pressure_memory_pct
spin() {
	hogs=
	for i in $(seq "$1"); do
		(while :; do :; done) &
		hogs="$hogs $!"
	done
}
stop() { kill $hogs; wait $hogs 2>/dev/null; }
nothing_granted() { [ "$(cat $control/share_pct)" -lt 30 ]; }
check "there is pressure stall information" at_least $control/memory_stall_pct 0
echo 40 >$control/pressure_cpu_pct
spin 1
sleep 3
backoffs=$(cat $control/backoffs)
sleep 4
note "one program: CPU stall $(cat $control/cpu_stall_pct)%, share $(cat $control/share_pct)%"
check "that testers wait is no pressure" [ $(($(cat $control/backoffs) - backoffs)) -le 2 ]
stop
spin 6
check "that programs wait for CPUs is" wait_for 40 nothing_granted
note "six: CPU stall $(cat $control/cpu_stall_pct)%, share $(cat $control/share_pct)%"
check "it is counted" at_least $control/backoffs $((backoffs + 1))
stop
check "and are back afterwards" wait_for 60 equals $control/share_pct 100
# Throttled by its group's limit, a program waits for memory.
echo 0 >$control/pressure_cpu_pct
echo 10 >$control/pressure_memory_pct
mkdir -p /tmp/cgroup
mount -t cgroup2 none /tmp/cgroup && echo +memory >/tmp/cgroup/cgroup.subtree_control
mkdir /tmp/cgroup/hog && echo 4M >/tmp/cgroup/hog/memory.high
sh -c "echo \$\$ >/tmp/cgroup/hog/cgroup.procs; exec $here/touch 16000 --rounds 1000 >/dev/null" &
hog=$!
check "that a program waits for memory is pressure" wait_for 20 nothing_granted
note "memory stall $(cat $control/memory_stall_pct)%"
# All of the memory in an eighth of a lifetime: 655 pages a second.
echo 1200 >$memdiag/test_lifetime_s
sleep 2
tested_in_10_s
note "$tested pages in 10 s at $(cat $control/share_pct)% of $(cat $control/bandwidth_pages_s) a second"
least=$(at_speed 3000)
check "as much is tested as test_lifetime_s takes" [ $tested -ge "$least" ]
check "and not much more" [ $tested -le 12000 ]
kill -9 $hog
wait $hog 2>/dev/null
check "and no more when it is gone" wait_for 60 equals $control/share_pct 100
check "unload" rmmod memdiag memsuite
done_testing
