#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Many targets cost no more than what is set for all of them, each is looked at in its turn, and
# a new one has its curve at once all the same.
#
# The debug kernel does not tell how long threads have run.
#
# kernels: none; soak: stock
# options: --mem 512M --icount
. "$(dirname "$0")/ktap.sh"
mrc=$suite/mrc
many=50

ladders_of() { sed -n 's/^ladders \([0-9]*\)$/\1/p' "$debug/mrc/$1/stats"; }
has_ladders() { [ "$(ladders_of "$1")" -ge "$2" ]; }
all_have_ladders() { # all_have_ladders HOW_MANY
	for pid in $pids; do
		has_ladders "$pid" "$1" || return 1
	done
}

modprobe mrc || exit 1
check "a hundredth of a CPU for all is the default" equals $mrc/total_cpu_permille 10
echo 500 >$mrc/ladder_ms
pids=
for i in $(seq $many); do
	"$here/loop" 1024 3000 >/dev/null &
	pids="$pids $!"
done
sleep 3
for pid in $pids; do
	kill -STOP "$pid"
	echo "$pid" >$mrc/add
done
echo 1 >$mrc/enabled
check "each has a ladder soon" wait_for 30 all_have_ladders 1
check "credit is used up" wait_for 200 all_have_ladders 4
sleep 20
began=$(threads_ns mrc/)
sleep 40
share=$((($(threads_ns mrc/) - began) / 40000))
note "$many targets take $share millionths of a CPU"
check "all together keep to what is set" [ $share -le 13000 ]
first=$(ladders_of "$(echo $pids | cut -d' ' -f1)")
last=$(ladders_of "$pid")
note "ladders of the first $first, of the last $last"
check "each in its turn" [ $((first - last)) -le 2 ]
check "none more often than others" [ $((last - first)) -le 2 ]
"$here/loop" 1024 3000 >/dev/null &
new=$!
echo $new >$mrc/add
check "a new one does not wait" wait_for 10 has_ladders $new 1
kill -CONT $pids
kill $pids $new
wait $pids $new 2>/dev/null
check "unload" sh -c "echo 0 >$mrc/enabled; rmmod mrc memsuite"
done_testing
