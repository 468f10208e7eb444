#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# mrc in mode samples: curves from the addresses that a performance event reports.
# This machine's processor has none that does, and says so; the kernel's own event
# for page faults does, and a program that gives each page back after its touch
# faults each time. On one processor, curves; on more, they come and go. KTAP.
#
# boot: shared
# case: mrc-samples
# kernels: newest; soak: all
# case: mrc-samples, curves
# kernels: none; soak: all
# options: --icount
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/tracked.sh"

out=/tmp/loop

ratio_at() { awk -v size="$1" '!/^#/ && $1 <= size { r = $3 } END { print int(r * 1000) }' "$debug/mrc/$pid/curve"; }

check "an event is set" equals $control/sample_event 4:0x81d0:0x0
check "a processor without it is told" refused mode samples EOPNOTSUPP
check "and the log says why" sh -c "dmesg | grep -q 'mode samples: this machine does not sample addresses'"
for text in 4 4: 4:x 4:1:2:3 "4:1 5:1" 1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21:22:23:24:25; do
	check "event '$text' refused" refused sample_event "$text" EINVAL
done
check "event 4294967296:1 refused" refused sample_event 4294967296:1 ERANGE
check "period 0" refused sample_period 0 ERANGE
check "period 100000001" refused sample_period 100000001 ERANGE

check "an event of the kernel, page faults" sh -c "echo 1:2 >$control/sample_event"
check "reads back" equals $control/sample_event 1:0x2:0x0
set_to sample_period 1
set_to group_pages 16
check "mode samples" set_to mode samples
echo 1 >$control/enabled

begin() { # PERIOD LOOP-ARGUMENT...
	set_to sample_period "$1"
	shift
	: >$out
	"$here/loop" --fresh "$@" >$out &
	pid=$!
	wait_for 30 grep -q ready $out
	echo $pid >$control/add
	wait_for 60 stat_least ladders 1
	then=$(faults) since=$(now_ms)
	wait_for 60 stat_least ladders 4
}
accesses() { awk '!/^#/ { print $1 }' "$debug/mrc/$pid/accesses"; }
faults() { awk '{ print $10 }' "/proc/$pid/stat"; }
now_ms() { awk '{ print int($1 * 1000) }' /proc/uptime; }
# Of the time that the curve is of, but for its first second.
finish() {
	sampled=$(accesses)
	did=$((($(faults) - then) * 1000 / ($(now_ms) - since)))
	check "$1: accesses are told by samples" grep -q ' samples$' "$debug/mrc/$pid/accesses"
	check "$1: as many as there are" between "$sampled" $((did * 8 / 10)) $((did * 12 / 10))
	kill $pid
	wait $pid 2>/dev/null
	wait_for 10 test ! -e "$debug/mrc/$pid"
}

cpu=/sys/devices/system/cpu/cpu1/online
curves() {
	for period in 1 7; do
		name="every fault sampled"
		[ $period = 1 ] || name="one in $period"
		begin $period 1500 60
		check "$name: event is kept while it is sampled" refused sample_event 1:6 EBUSY
		check "$name: cliff of a loop over 1500 pages" between "$(cliff_of)" $((1500 - 48)) $((1500 + 80))
		note "faults_lost $(stat_of faults_lost), samples $(stat_of samples), cpu_ns $(stat_of cpu_ns) of $(stat_of enabled_ns)"
		finish "$name, a loop"
		begin $period --pattern uniform 1500 60
		check "$name: half of random touches hit in half of the pages" between "$(ratio_at 750)" 450 550
		check "$name: a quarter miss in three quarters" between "$(ratio_at 1125)" 200 300
		finish "$name, at random"
	done
}
come_and_go() {
	check "a CPU goes while it is sampled" sh -c "echo 0 >$cpu"
	ladders=$(stat_of ladders)
	check "and others are sampled on" wait_for 20 stat_least ladders $((ladders + 2))
	check "it comes back" sh -c "echo 1 >$cpu"
	ladders=$(stat_of ladders)
	check "and is sampled, too" wait_for 20 stat_least ladders $((ladders + 2))
	check "a CPU that is back at once" sh -c "echo 0 >$cpu; echo 1 >$cpu; taskset -p 2 $pid >/dev/null"
	ladders=$(stat_of ladders)
	wait_for 30 stat_least ladders $((ladders + 5))
	check "is sampled as before" [ "$(accesses)" -ge 500 ]
	note "$(accesses) accesses a second"
}

[ -e $cpu ] || curves

# Whoever is sampled may go on while nobody looks.
"$here/loop" --fresh 1500 120 >$out &
pid=$!
wait_for 30 grep -q ready $out
echo $pid >$control/add
wait_for 30 stat_least ladders 1
set_to mode ladder
check "from samples to the ladder" wait_for 20 stat_least ladders 2
check "where accesses are touches" grep -q ' touches$' "$debug/mrc/$pid/accesses"
set_to mode samples
check "and back" wait_for 20 grep -q ' samples$' "$debug/mrc/$pid/accesses"
[ ! -e $cpu ] || come_and_go
check "unload while it is sampled" rmmod mrc
kill $pid
done_testing
