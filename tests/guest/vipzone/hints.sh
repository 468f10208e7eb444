#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Hints from programs: tags of address ranges, through munmap, mremap, fork, exec
# and exit, and what policies make of them; regions that programs choose.
#
# boot: shared
# kernels: oldest newest debug; soak: all
. "$(dirname "$0")/ktap.sh"
zone=$suite/vipzone

modprobe vipzone || exit 1
check "everybody may open the device" [ "$(stat -c %a /dev/vipzone)" = 666 ]
for name in tags joins refuses defaults unmaps stays moves shrinks forks leaves reaped execs many limit full threads; do
	check "$name" "$here/hints" $name
done
check "mremap is followed" equals $suite/hooks/mremap.move/state callback
check "tags go with their process" wait_for 10 equals $zone/tagged_processes 0
check "no tag was lost" equals $zone/lost_tags 0

# What becomes of them.
echo "low 256M-384M" >$suite/regions/add || exit 1
echo "high 640M-768M" >$suite/regions/add || exit 1
echo 1 >$zone/enabled || exit 1
echo "machine low-power-first:low+high,write=high+low" >$zone/add || exit 1
# From an empty pool the next region is served.
wait_for 20 at_least $suite/regions/low/pool_pages 2500
wait_for 20 at_least $suite/regions/high/pool_pages 2500
check "the policy places by tags" "$here/hints" places 0x10000000 0x18000000 0x28000000 0x30000000

# What programs may choose for themselves.
eperm=1 einval=22
refused() { # ERRNO POLICY
	"$here/hints" choose "$2"
	[ $? = "$1" ]
}
in_low() { # PAGES COMMAND...: how many of touch's pages are there at least
	least=$1
	shift
	"$@" "$here/touch" 1000 --range 0x10000000 0x18000000 >/tmp/out
	note "$(cat /tmp/out)"
	[ "$(sed 's/.* in \([0-9]*\) .*/\1/' /tmp/out)" -ge "$least" ]
}
check "low power first leaves no choice" refused $eperm mmap=low
echo "machine region:high+low" >$zone/add
check "nor does a policy that does not say so" refused $eperm mmap=low
echo "machine region:high+low programs" >$zone/add
check "a program chooses, and keeps it through exec" in_low 1000 "$here/hints" choose mmap=low
check "and its children" in_low 1000 "$here/hints" choose mmap=low /bin/sh -c '"$@"' sh
# keeps PROGRAM: a user's choice, through the exec of it.
keeps() {
	"$here/as" 1000 "$here/hints" choose mmap=low "$1" 10 --until /tmp/enough >/dev/null &
	pid=$!
	wait_for 10 sh -c "[ \"\$(readlink /proc/$pid/exe)\" = '$1' ]"
	sleep 1 # a policy goes after a grace period
	grep -q "^$pid .*segment:" $debug/vipzone/processes
	kept=$?
	kill $pid
	wait $pid 2>/dev/null
	return $kept
}
loses() { ! keeps "$1"; }
cp "$here/touch" /tmp/privileged && chmod 4755 /tmp/privileged
check "through an exec that gains no privileges" keeps "$here/touch"
check "but not through one that does" loses /tmp/privileged
check "and takes it back" sh -c "! '$here/hints' choose mmap=low '$here/hints' choose '' \
	'$here/touch' 1000 --range 0x10000000 0x18000000 | grep -q 'in 1000'"
check "a region of another policy" refused $eperm mmap=node0
check "not a policy" refused $einval mmap
check "no segment" refused $einval pile=low
"$here/hints" choose heap=low /bin/sleep 100 &
pid=$!
machine=$(ls $zone/policies)
check "it is told" wait_for 10 grep -qx "$pid $machine segment:heap=low" $debug/vipzone/processes
check "in no directory of its own" equals $zone/policies/*/who machine
echo "machine region:high" >$zone/add
check "it goes with the policy that allowed it" wait_for 10 sh -c "[ \$(wc -l <$debug/vipzone/processes) = 1 ]"
check "of which nothing is left" wait_for 10 sh -c "[ \$(ls $zone/policies | wc -l) = 1 ]"
kill $pid
wait $pid 2>/dev/null
echo machine >$zone/remove

for i in 1 2 3; do
	rm -f /tmp/ready
	"$here/hints" lingers >/tmp/ready &
	pid=$!
	wait_for 10 grep -q ready /tmp/ready
	check "a process with tags is counted" at_least $zone/tagged_processes 1
	check "unload under it" rmmod vipzone
	check "nothing is hooked" sh -c "! grep -lE 'direct|callback' $suite/hooks/*/state"
	modprobe vipzone
	kill $pid
	wait $pid 2>/dev/null
done
check "unload" rmmod vipzone memsuite
done_testing
