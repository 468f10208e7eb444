#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The ledger by what processors count. This machine's has no such events: the ledger
# goes by touches, and says so. The kernel's own event for page faults stands for
# them, with a program whose page faults are known: those of the programs under a
# policy are counted, of threads that begin, exec, exit and change CPUs, and of
# nobody else; divided among regions, by no more off than is said; and charged.
# Boot with two nodes, the processors on the first.
#
# boot: shared
# kernels: newest; soak: all
# options: --numa 512M,cpus=0-1 --numa 512M
. "$(dirname "$0")/ktap.sh"
zone=$suite/vipzone
audit=$zone/audit
accesses=$zone/accesses

modprobe vipzone || exit 1
mount -t debugfs none /sys/kernel/debug 2>/dev/null
[ ! -e /proc/sys/kernel/numa_balancing ] || echo 0 >/proc/sys/kernel/numa_balancing
say() { echo "$3" >"$suite/regions/$1/$2"; } # REGION FILE NUMBER
for node in node0 node1; do
	say $node read_energy_fj_per_bit 50000
	say $node write_energy_fj_per_bit 500000
	say $node read_latency_ns 50
	say $node write_latency_ns 1000
done
echo 1 >$zone/enabled || exit 1
refused() { # FILE TEXT ERROR
	before=$(cat "$accesses/$1")
	answer=$("$here/poke" "$accesses/$1" "literal:$2")
	[ "$answer" = "$3" ] && [ "$(cat "$accesses/$1")" = "$before" ] || { note "$1 $2: $answer"; false; }
}
set_to() { echo "$2" >"$accesses/$1"; } # FILE TEXT

check "without a PMU, accesses are touches" equals $accesses/source touches
check "an event for reads" equals $accesses/read_event 3:0x10002:0x0
check "an event for writes" equals $accesses/write_event 3:0x10102:0x0
check "a processor without them is told" refused source pmu EOPNOTSUPP
check "and the log says why" sh -c "dmesg | grep -q 'accesses: this machine does not count event 3:0x10002:0x0'"
check "a source that there is not" refused source tea EINVAL
for file in read_event write_event; do
	for text in 4 4: 4:x 4:1:2:3 "4:1 5:1" 1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21:22:23:24:25; do
		check "$file '$text' refused" refused $file "$text" EINVAL
	done
	check "$file 4294967296:1 refused" refused $file 4294967296:1 ERANGE
done
check "no event for reads refused" refused read_event none EINVAL
check "an event of the kernel, page faults" set_to read_event 1:2
check "reads back" equals $accesses/read_event 1:0x2:0x0
check "and none for writes" set_to write_event none
check "reads back" equals $accesses/write_event none
check "are counted by" set_to source pmu
check "and those that there are not, not" refused read_event 3:0x10002 EOPNOTSUPP

rounds_pass() { # NUMBER
	rounds=$(($(cat $audit/rounds) + $1))
	wait_for 30 at_least $audit/rounds $rounds
}
# started WHO COMMAND...: under a policy; sets pid and dir
started() {
	who=$1
	shift
	: >/tmp/out
	sh -c 'echo "${1:-$$} segment:heap=node0,mmap=node1 $2" >"$0" || exit 1; shift 2; exec "$@"' \
		$zone/add "${who#process}" "$([ "$who" = process ] && echo children)" "$@" >/tmp/out &
	pid=$!
	wait_for 30 grep -q ready /tmp/out
	who=${who#process}
	dir=$(grep -lx "${who:-$pid}" $zone/policies/*/who | sed 's,/who,,')
	rounds_pass 2
}
count() { cat "$dir/$1"; }
ledger() { cat $zone/ledger/"$1"/"$2"; } # REGION FILE
counted() { echo $(($(ledger "$1" counted_reads) + $(ledger "$1" counted_writes))); }
# Of it and of children that it has waited for. Before what a name in parentheses has.
faults() { awk '{ print $10 + $11 }' /proc/$pid/stat; }
policy_counted() { echo $(($(count counted_reads) + $(count counted_writes))); }
# Of all processes of a policy, or of one.
billed() { # [PID]: accesses counted
	awk -v policy="${dir##*/}" -v pid="$1" '$2 == policy && (!pid || $1 == pid) { sum += $6 + $7 } END { print sum + 0 }' $debug/vipzone/ledger
}
# Once it is stopped, all that it did is counted and divided.
settled() { kill -STOP $pid && rounds_pass 2; }
enough() { [ $(($(faults) - ${was%% *})) -ge 20000 ]; }
# measured [COMMAND...]: while it runs for so long, or until there is something to compare
measured() {
	settled
	was="$(faults) $(policy_counted) $(counted node0) $(counted node1)"
	errors="$(ledger node0 access_error_nj) $(ledger node1 access_error_nj)"
	kill -CONT $pid
	if [ $# -gt 0 ]; then "$@"; else wait_for 60 enough; fi
	settled
	# shellcheck disable=SC2086	# numbers
	set -- $was
	did=$(($(faults) - $1))
	told=$(($(policy_counted) - $2))
	in0=$(($(counted node0) - $3))
	in1=$(($(counted node1) - $4))
	# shellcheck disable=SC2086
	set -- $errors
	error0=$(($(ledger node0 access_error_nj) - $1))
	error1=$(($(ledger node1 access_error_nj) - $2))
	kill -CONT $pid
	note "$(uptime_ms) ms: $did page faults, $told counted: $in0 in node0, $in1 in node1, give or take $error0 and $error1 nJ"
}
ends() { kill -KILL $pid; wait $pid 2>/dev/null; wait_for 10 test ! -e "$dir"; }

echo 1 >$audit/sample_accesses
echo 50 >$audit/interval_ms
check "events are kept while they are counted" refused read_event 1:5 EBUSY

"$here/refault" 100 300 >/dev/null &
other=$!
# Short rounds: what is measured begins and ends amid one.
started process "$here/refault" 20 60
measured
check "as many as there were, and no one else's" between $told $((did * 99 / 100)) $((did * 101 / 100))
check "there were some" [ $did -ge 1000 ]
kill $other
check "a quarter in one region" between $in0 $((told * 23 / 100)) $((told * 27 / 100))
check "the rest in the other" between $in1 $((told * 73 / 100)) $((told * 77 / 100))
settled
check "regions add up" [ $(($(counted node0) + $(counted node1) + $(count counted_elsewhere))) = "$(policy_counted)" ]
check "all of it was this process's" between "$(billed $pid)" $(($(policy_counted) - 50)) "$(policy_counted)"
is_priced() { # REGION
	expected=$(awk -v r="$(ledger "$1" counted_reads)" -v w="$(ledger "$1" counted_writes)" "BEGIN { printf \"%d\", r * 25.6 + w * 256 }")
	between "$(ledger "$1" access_energy_nj)" $((expected - 1)) $((expected + 1))
}
check "energy of node0 is that of what was counted" is_priced node0
check "energy of node1 is, too" is_priced node1
check "and latency" [ "$(count access_latency_ns)" = $(($(count counted_reads) * 50 + $(count counted_writes) * 1000 - $(count counted_elsewhere) * 1000)) ]
check "they always ran" equals $accesses/running_pct 100
check "what is counted is more than what is touched" [ "$(count sampled_writes)" -lt "$(count counted_writes)" ]

change_cpus() {
	taskset -p 2 $pid >/dev/null
	echo 0 >/sys/devices/system/cpu/cpu1/online
	sleep 1
	echo 1 >/sys/devices/system/cpu/cpu1/online
	taskset -p 2 $pid >/dev/null
	sleep 2
}
measured change_cpus
# From where it is back on, to the next round, nobody counts.
check "of a CPU that goes and comes" between $told $((did * 90 / 100)) $((did * 101 / 100))
ends

started process "$here/refault" 100 300 --keep
measured
check "all went where a quarter of the touches were" between $told $((did * 99 / 100)) $((did * 101 / 100))
check "and the error of node0 says so" [ $error0 -ge $(((told - in0) * 256)) ]
check "and that of node1" [ $error1 -ge $((in1 * 256)) ]
ends

# shellcheck disable=SC2016
many='echo ready; while :; do "$0" 200 600 --rounds 0 >/dev/null; done'
started process sh -c "$many" "$here/refault"
measured
# What the kernel touches for them is not counted; and the parent has not waited for all.
are_counted() { between $told $((did * 92 / 100)) $((did * 101 / 100 + 1000)); }
check "children, from fork through exec to exit" are_counted
check "there were many" [ $did -ge 4000 ]
ends
mkdir -p /sys/fs/cgroup/unified
mount -t cgroup2 none /sys/fs/cgroup/unified 2>/dev/null
mkdir -p /sys/fs/cgroup/unified/batch
started cgroup:/batch sh -c 'echo $$ >/sys/fs/cgroup/unified/batch/cgroup.procs; eval "$1"' "$here/refault" "$many"
measured
check "those of a cgroup" are_counted
check "there were many, too" [ $did -ge 4000 ]
kill -KILL $pid
wait $pid 2>/dev/null
echo cgroup:/batch >$zone/remove
check "what no touches told of is not lost from sight" between "$(cat $accesses/undivided)" 0 20000
note "$(cat $accesses/undivided) undivided"

# Of two that one policy covers, each has its part.
was=0
started cgroup:/batch sh -c 'echo $$ >/sys/fs/cgroup/unified/batch/cgroup.procs
	"$0" 100 1 --keep >/dev/null & echo $! >/tmp/second; exec "$0" 300 1 --keep' "$here/refault"
second=$(cat /tmp/second)
measured
kill -STOP $second
settled
note "$(billed) billed of $(policy_counted): $(billed $pid) and $(billed $second)"
check "processes under a policy have all that it counted" between "$(billed)" $(($(policy_counted) * 95 / 100)) "$(policy_counted)"
check "each its part" [ "$(billed $second)" -gt 0 -a "$(billed $pid)" -gt "$(billed $second)" ]
kill -KILL $pid $second
wait $pid 2>/dev/null
echo cgroup:/batch >$zone/remove

echo 0 >$audit/interval_ms
check "reads and writes apart" set_to write_event 1:5
echo 50 >$audit/interval_ms
started process "$here/refault" 100 300
settled
reads=$(count counted_reads) writes=$(count counted_writes)
measured
check "both are counted" between $told $((did * 198 / 100)) $((did * 202 / 100))
settled
reads=$(($(count counted_reads) - reads)) writes=$(($(count counted_writes) - writes))
check "each as such" between $writes $((reads * 99 / 100)) $((reads * 101 / 100))
was=$(policy_counted)
touches=$(count sampled_writes)
check "by touches again" set_to source touches
kill -CONT $pid
rounds_pass 5
check "they are charged" [ "$(count sampled_writes)" -gt "$touches" ]
check "and nothing is counted" between $(($(policy_counted) - was)) 0 400
check "and back" set_to source pmu
rounds_pass 3
check "unload while they are counted" rmmod vipzone memsuite
kill $pid
done_testing
