#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# ended.sh TOOL	scripts/memsuite; the host's files are needed
# A command of the tool that a signal ends leaves no test running and nothing tracked.
#
# kernels: newest
# options: --root host --mem 768M
# arguments: $TOP/scripts/memsuite
. "$(dirname "$0")/ktap.sh"
tool=$1
range=$suite/memdiag/range

ends() { # SIGNAL STATUS
	kill -s "$1" $command
	wait $command
	status=$?
	[ $status = "$2" ] || { note "status $status"; cat /tmp/said; false; }
}
begin() {
	# A shell would have it ignore SIGINT.
	python3 -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])' \
		"$tool" "$@" >/tmp/said 2>&1 &
	command=$!
}

modprobe memdiag && modprobe mrc && echo 1 >$suite/mrc/enabled || exit 1
tracked() { grep -q "^$program$" $suite/mrc/add; }
none_tracked() { [ ! "$(cat $suite/mrc/add)" ]; }
for signal in INT TERM HUP; do
	begin diag test 0-640M
	check "a test runs" wait_for 60 grep -q running $range/status
	check "SIG$signal ends the command" ends $signal 32
	check "and the test" grep -q cancelled $range/status
	check "nothing is held" equals $suite/pages/held_pages 0
	sleep 300 &
	program=$!
	begin mrc record $program --seconds 300 -o /tmp/record
	check "a program is tracked" wait_for 60 tracked
	check "SIG$signal ends the record" sh -c "kill -s $signal $command"
	wait $command
	check "it is tracked no more" none_tracked
	check "and nothing went wrong" sh -c "! grep Traceback /tmp/said"
	kill $program
done
check "a whole test of what is not there" sh -c "'$tool' diag test 1T-1025G 2>/dev/null; [ \$? = 1 ]"
"$tool" diag test 256M-260M >/tmp/said
note "status $?: $(cat /tmp/said)"
done_testing
