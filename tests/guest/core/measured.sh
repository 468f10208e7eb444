#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# memsuite bench: it loads and enables the modules, measures what they cost, and leaves the machine as it was, also where
# a signal ends it. In instruction time, so that times are counts. KTAP.
#
#   measured.sh TOOL	scripts/memsuite; the host's files are needed
#
# kernels: newest
# options: --root host --mem 1G --smp 1 --icount
# arguments: $TOP/scripts/memsuite
# timeout: 1800
. "$(dirname "$0")/ktap.sh"

tool=$1
cd /tmp || exit 1
figure() { # NAME KEY
	python3 -c 'import json, sys
rows = [row for row in json.load(open("/tmp/told"))["figures"] if row["figure"] == sys.argv[1] and row["unit"] != "cycles"]
print(rows[0][sys.argv[2]])' "$@"
}
within() { # NAME KEY LEAST MOST
	value=$(figure "$1" "$2") || return
	note "$1 $2 $value"
	awk -v value="$value" -v least="$3" -v most="$4" \
		'BEGIN { exit !(value != "None" && value + 0 >= least && value + 0 <= most) }'
}
no_module() { [ ! -e $suite ]; }
# What is set: test_lifetime_s is not, while memdiag computes it.
settings() { "$tool" dump; }
as_before() {
	settings >after
	cmp -s before after || { diff before after | sed 's/^/# /'; false; }
}
measure() { "$tool" bench --yes --json >/tmp/told; }
refused() {
	"$tool" bench </dev/null 2>why
	[ $? = 1 ] && grep -q -- --yes why
}
# A shell has what runs in the background ignore SIGINT.
ended() { # SIGNAL SWITCH: once that is on
	env --default-signal=INT "$tool" bench --yes >/dev/null 2>why &
	pid=$!
	wait_for 60 turned_on "$2" || { cat why; return 1; }
	kill "-$1" $pid
	wait $pid
	status=$?
	note "$1: $status $(cat why)"
	[ $status = 32 ]
}
turned_on() { [ "$(cat "$suite/$1" 2>/dev/null)" = 1 ]; }
nothing_steered() { [ -z "$(ls $suite/vipzone/policies)" ]; }

check "nobody can be asked here" refused
check "and nothing was loaded" no_module
check "it measures" measure
check "and unloads what it has loaded" no_module
python3 -c 'import json
for row in json.load(open("/tmp/told"))["figures"]:
    print("#", row["figure"], row["median"], row["unit"], row["noise_pct"], row["ratio"], row["why"] or "")'
check "loaded" within fault_loaded ratio 0.97 1.03
check "tested pages" within fault_tested ratio 0.5 0.9
check "a process that is steered" within fault_steered ratio 0.5 0.9
check "another process" within fault_bystander ratio 0.97 1.03
check "an emulator's latency is not told" [ "$(figure latency_read_node0 median)" = None ]
check "SIGINT ends it" ended INT vipzone/enabled
check "and it unloads what it has loaded" no_module
modprobe -a memdiag vipzone
settings >before
for signal in INT TERM HUP; do
	switch=memdiag/enabled
	[ $signal = TERM ] && switch=vipzone/enabled
	check "SIG$signal ends it" ended $signal $switch
	check "and all is as before" as_before
	check "and nobody is steered" nothing_steered
done
check "as a page" "$tool" bench --no -o /tmp/page.html
check "which tells the figures" grep -q "page fault, the suite off" /tmp/page.html
check "unload" rmmod vipzone memdiag memsuite
done_testing
