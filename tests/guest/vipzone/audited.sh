# SPDX-License-Identifier: GPL-2.0-only
# What tests of programs whose pages the audit moves share. Source it after ktap.sh: vipzone may be
# loaded later.
# shellcheck shell=sh disable=SC2034,SC2154

zone=$suite/vipzone
audit=$zone/audit

[ ! -e /proc/sys/kernel/numa_balancing ] || echo 0 >/proc/sys/kernel/numa_balancing

say() { echo "$3" >"$suite/regions/$1/$2"; } # REGION FILE NUMBER
started() { # started POLICY PROGRAM [ARGUMENT...]: under it from the first page on; sets pid and dir
	: >/tmp/out
	what=$1
	shift
	sh -c 'echo "$$ $0" >"$1" || exit 1; shift; exec "$@"' "$what" $zone/add "$@" >/tmp/out &
	pid=$!
	wait_for 60 grep -q ready /tmp/out
	dir=$(grep -lx $pid $zone/policies/*/who | sed 's,/who,,')
}
ask() { # SIGNAL: sets what it says
	lines=$(wc -l </tmp/out)
	kill -"$1" $pid
	# In a shell of its own: its limit is not that of who waits for what it says.
	(wait_for 60 sh -c "[ \$(wc -l </tmp/out) -gt $lines ]")
	said=$(tail -n 1 /tmp/out)
}
ends_well() {
	kill -TERM $pid
	wait $pid
	status=$?
	note "$(tail -n 1 /tmp/out)"
	[ $status = 0 ]
}
count() { cat "$dir/$1"; }
audits() { echo "$1" >$audit/interval_ms; } # 0: no more
