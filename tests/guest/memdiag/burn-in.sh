#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# burn-in.sh ADDRESS: a burn-in of a machine with a faulty cell at ADDRESS finds it, and says so by its exit status and
# its page; ended by SIGTERM, it has a verdict, too; all settings are as before. scripts/vm --root host, for Python; the
# sources are the working directory. ADDRESS lies in memory that the kernel has nothing of its own in: that cannot be tested.
#
# kernels: newest; soak: all
# options: --mem 320M --root host --append "movablecore=128M nokaslr" --fault 0xd345678:3:sa1
# arguments: 0xd345678
# timeout: 1800
. "$(dirname "$0")/ktap.sh"
tool=$PWD/scripts/memsuite
diag=$suite/memdiag
export MEMSUITE_STATE=/tmp/state/bad_pages.json
mkdir -p /tmp/state

settings() {
	(cd $diag && grep . enabled algorithm test_lifetime_s lifetime/automatic move_interval_ms address_bits/period_s tests/count \
		control/policy control/fixed_fidelity control/fixed_threads control/bandwidth_mib_s control/pressure_*_pct)
}
as_before() {
	settings >/tmp/now
	echo "$before" | diff - /tmp/now
}
burn_in() { # STATUS OPTION...
	wanted=$1
	shift
	"$tool" diag burn-in --output /tmp/verdict "$@" >/tmp/out 2>/tmp/progress
	status=$?
	sed 's/^/# /' /tmp/out
	[ $status = "$wanted" ]
}
fact() { # EXPRESSION: of what is told
	python3 -c "import json; told = json.load(open('/tmp/verdict.json')); assert $1, told"
}

modprobe memdiag || exit 1
echo 1 >$diag/lifetime/automatic
before=$(settings)
check "a burn-in finds bad memory" burn_in 4 --time 120s
check "the verdict names the cell" fact "[int(page['address'], 16) for page in told['found']['pages']] == [$1]"
check "and the test that found it" fact "told['found']['pages'][0]['by'] in told['tests']"
check "several tests have gone over all memory" fact "sum(run['runs'] for run in told['tests'].values()) >= 2"
check "most of memory was tested" fact "told['covered_pct'] > 50"
check "the kernel's own was not, and that is told" fact "any(left['use'] == 'kernel' for left in told['untested'])"
check "the page says it as well" grep -q '<h1.*BAD MEMORY FOUND' /tmp/verdict.html
check "all settings are as before" as_before
check "nothing is held" equals $suite/pages/held_pages 0

echo 0 >$diag/lifetime/automatic	# it would change while memdiag is on
echo 1 >$diag/enabled
before=$(settings)
tests=$(cat $diag/tests/count)
: >/tmp/progress
"$tool" diag burn-in --time 1h --output /tmp/verdict >/tmp/out 2>/tmp/progress &
burning=$!
check "another one runs" wait_for 120 grep -q '^round 1' /tmp/progress
check "not two at once" sh -c "! '$tool' diag burn-in --time 1s 2>/dev/null"
sleep 3
kill -TERM $burning
wait $burning
check "ended early, it has tested in part" [ $? = 40 ]
check "and says why" fact "told['ended_early'] == 'by SIGTERM' and told['found']['known_before'] == 1"
check "all settings are as before, memdiag on" as_before

: >/tmp/progress
"$tool" diag burn-in --time 1h --output /tmp/verdict >/tmp/out 2>/tmp/progress &
burning=$!
check "and a third one" wait_for 120 grep -q '^round 1' /tmp/progress
check "its settings are others" equals $diag/control/policy fixed
kill -KILL $burning
wait $burning
check "killed, its settings are put back all the same" wait_for 30 as_before
check "its test has ended" equals $diag/tests/count "$tests"
check "unload" rmmod memdiag memsuite
done_testing
