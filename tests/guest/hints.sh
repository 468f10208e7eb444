#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Hints from programs: tags of address ranges, through munmap, mremap, fork, exec
# and exit.
. "$(dirname "$0")/ktap.sh"
zone=$suite/vipzone

modprobe vipzone || exit 1
check "everybody may open the device" [ "$(stat -c %a /dev/vipzone)" = 666 ]
for name in tags joins refuses defaults unmaps stays moves shrinks forks execs many limit threads; do
	check "$name" "$here/hints" $name
done
check "mremap is followed" equals $suite/hooks/mremap.move/state armed
check "tags go with their process" wait_for 10 equals $zone/tagged_processes 0
check "no tag was lost" equals $zone/lost_tags 0

for i in 1 2 3; do
	rm -f /tmp/ready
	"$here/hints" lingers >/tmp/ready &
	pid=$!
	wait_for 10 grep -q ready /tmp/ready
	check "a process with tags is counted" at_least $zone/tagged_processes 1
	check "unload under it" rmmod vipzone
	check "nothing is hooked" sh -c "! grep -l armed $suite/hooks/*/state"
	modprobe vipzone
	kill $pid
	wait $pid 2>/dev/null
done
check "unload" rmmod vipzone memsuite
done_testing
