#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The audit comes to all of a process whose threads change its address space all the time, and to all processes while
# others end; and a round costs what it may, however much page tables there are with nothing in them.
#
# kernels: newest; soak: all
# options: --icount --numa 512M,cpus=0 --numa 512M
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/audited.sh"

modprobe vipzone || exit 1
echo 1 >$zone/enabled || exit 1
echo 262144 >$audit/quota_kib_s
node1() { cat "$suite/regions/node1/$1"; }
starts() { # NAME AREAS PAGES MIB: sets pid
	: >/tmp/$1
	"$here/contend" "$2" "$3" "$4" "$(node1 start)" "$(node1 end)" >/tmp/$1 &
	pid=$!
	wait_for 120 test -s /tmp/$1
}
all_there() { awk 'END { exit !($1 == $3) }' /tmp/$1; }
cost_us() { # of a round
	rounds=$(cat $audit/rounds)
	began=$(cat $audit/cpu_ns)
	sleep 5
	echo $((($(cat $audit/cpu_ns) - began) / 1000 / ($(cat $audit/rounds) - rounds)))
}

# A thread of its own has mmap_lock most of the time.
check "a process" starts busy 64 128 0
busy=$pid
kill -USR1 $busy
sleep 2
echo "$busy region:node1" >$zone/add
audits 50
check "all of it is where its policy says" wait_for 60 all_there busy
note "$(tail -n 1 /tmp/busy)"
kill $busy
audits 0

# The last of many, of which each second one ends.
n=0
pids=
while [ $n -lt 40 ]; do
	sleep 1000 &
	pids="$pids $!"
	n=$((n + 1))
done
check "the last process" starts last 16 1024 0
echo machine region:node1 >$zone/add
echo 512 >$audit/sample_pages
for n in $pids; do
	kill "$n"
	sleep 0.2
done &
ender=$!
audits 20
check "it is visited nevertheless" wait_within 5 all_there last
note "$(tail -n 1 /tmp/last)"
audits 0
wait $ender
kill $pid
echo machine >$zone/remove

# What there is none of.
starts small 1 16 16
echo "$pid region:node1" >$zone/add
audits 20
small=$(cost_us)
audits 0
kill $pid
starts large 1 16 4096
echo "$pid region:node1" >$zone/add
audits 20
large=$(cost_us)
note "a round takes $small us with tables for 16 MiB, $large with those for 4 GiB"
check "a round costs no more for empty page tables" [ "$large" -le $((small * 2)) ]
kill $pid
check "unload" rmmod vipzone memsuite
done_testing
