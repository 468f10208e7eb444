#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# How soon mrc has a curve, with what is set when it is loaded: of a program within three
# seconds, and of one that runs on as the child of another every five. KTAP.
#
# Time is that of instructions, so that a busy machine takes none of it.
#
# case: mrc-soon
# kernels: newest
# options: --icount --smp 1
# timeout: 600
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/tracked.sh"

now_cs() { tr -d . </proc/uptime | cut -d' ' -f1; }
ladders() { sed -n 's/^ladders //p' "$debug/mrc/$1/stats" 2>/dev/null; }
# curves_within SECONDS TARGET NUMBER
curves_within() {
	end=$(($(now_cs) + 100 * $1))
	while [ "$(now_cs)" -lt $end ]; do
		[ "$(ladders "$2")" -ge "$3" ] 2>/dev/null && break
		sleep 0.1
	done
	note "$(ladders "$2") curves of $2 after $(($(now_cs) - end + 100 * $1)) hundredths of a second"
	[ "$(ladders "$2")" -ge "$3" ]
}

echo 1 >$control/enabled
# A hundred turns a second, over pages of which some are touched seldom.
"$here/loop" --pattern two --rest 10 20000 300 >/tmp/soon &
pid=$!
wait_for 60 grep -q ready /tmp/soon
echo $pid >$control/add
check "a program has its first curve within 3 s" curves_within 3 $pid 1
kill $pid
wait $pid 2>/dev/null

# Both are there before, as when a program is looked at that runs.
: >/tmp/soon
sh -c "$here/loop --pattern two --rest 10 20000 300 >/tmp/soon & echo \$! >/tmp/child; wait" &
root=$!
wait_for 60 grep -q ready /tmp/soon
sleep 3
pid=$(cat /tmp/child)
echo "$root children" >$control/add
check "a child has its first curve within 4 s" curves_within 4 "$pid" 1
check "and one every 5 s" curves_within 25 "$pid" 6
note "$(($(stat_of cpu_ns) / 1000)) us of $(($(stat_of enabled_ns) / 1000)), $(stat_of samples) samples"
kill "$pid" $root
wait
check "unload" rmmod mrc
done_testing
