#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# stretch.sh: the suite keeps interrupts or preemption off for no longer than 50 us of work, whatever it is asked to do:
# memory tested, huge pages faulted, regions drained, memory hotplug, policies changed, as many tags as there may be. The
# guest's clock counts instructions, 1 ns each, so that a stretch is as long as its work: tests/modules/stretchtest.c.
# On the kernel that has the tracepoints.
#
# kernels: none; soak: latency
# options: --icount --append movablecore=512M
# timeout: 3000
. "$(dirname "$0")/ktap.sh"
limit_ns=50000
stretches=/sys/kernel/debug/stretchtest
memory=/sys/devices/system/memory
regions=$suite/regions
zone=$suite/vipzone

# What the kernel calls with preemption or interrupts off, where no tracepoint tells of it.
calls=memsuite:memsuite_hook_ask_alloc_entry,memsuite:memsuite_hook_callback
calls=$calls,memsuite:memsuite_alloc_stats_listener,memsuite:stats_probe_free,memsuite:soft_offline_redirect
calls=$calls,vipzone:vipzone_process_forked,vipzone:vipzone_tags_forked,vipzone:probe_exec,vipzone:probe_exit
calls=$calls,vipzone:probe_collapse,vipzone:probe_switch,vipzone:probe_mkdir
calls=$calls,mrc:user_fault,mrc:on_fault,mrc:probe_fork,mrc:clear_young,mrc:test_young,mrc:on_sample

# The kernel's own stretches in calls of ours are for the record.
report() {
	sort -rn $stretches/worst >/tmp/worst
	sed 's/^/# /' /tmp/worst | cut -c 1-400 | grep -v '[0-9] below ' | head -n 12
	grep '[0-9] below ' /tmp/worst | sed 's/^/# /' | cut -c 1-300 | head -n 3
}
is_bounded() {
	report
	echo >$stretches/reset
	! awk -v limit=$limit_ns '$2 != "below" && $1 + 0 > limit { found = 1 } END { exit !found }' /tmp/worst
}
# step NAME COMMAND...: what it does goes well, and in short stretches.
step() {
	step_name=$1
	shift
	check "$step_name" "$@"
	check "$step_name: stretches of $limit_ns ns at most" is_bounded
}
# steered POLICY PAGES OPTION...: a program under a policy.
steered() {
	policy=$1
	shift
	rm -f /tmp/go
	"$here/touch" "$@" --wait /tmp/go >/tmp/out &
	pid=$!
	echo "$pid $policy" >$zone/add || return 1
	: >/tmp/go
	wait $pid
	note "$(cat /tmp/out)"
}
quiet() { "$@" >/dev/null 2>&1; }

modprobe -a memdiag vipzone mrc || exit 1
check "load the watch" modprobe stretchtest calls=$calls
[ $ktap_failed = 0 ] || done_testing
echo madvise >/sys/kernel/mm/transparent_hugepage/enabled
khugepaged_rests

regions_come() {
	echo "low 128M-256M" >$regions/add && echo "high 256M-384M" >$regions/add &&
		echo "xor xor=0x24000,0x48000,0x90000" >$suite/bank_maps/add &&
		echo "banks 128M-384M map=xor banks=0-1" >$regions/add
}
step "regions are added" regions_come
step "vipzone is enabled" sh -c "echo 1 >$zone/enabled"
step "small pages of a region" steered region:low 12000 --rounds 2
step "small pages of banks" steered region:banks 8000
no_pools() {
	for region in low high banks; do
		echo 0 >$regions/$region/pool_kib || return 1
	done
}
step "pools are emptied" no_pools
step "small pages without a pool" steered region:low+high 30000
step "small pages of banks without a pool" steered region:banks+low 24000
step "huge pages of a region" steered region:low+high 30000 --huge
step "more than the region has" steered region:low 40000
step "huge, more than the region has" steered region:low 40000 --huge
policies_change() {
	for order in low high low+high high+low; do
		echo "machine region:$order" >$zone/add && quiet "$here/touch" 2000 || return 1
	done
	echo "machine" >$zone/remove
}
step "policies change under load" policies_change

memdiag_tests() {
	echo 1 >$suite/memdiag/enabled && wait_for 300 at_least $suite/memdiag/tested_pages 20000
}
step "memdiag tests" memdiag_tests
step "small pages of a pool of tested ones" "$here/touch" 20000
echo 0 >$regions/node0/pool_kib
echo 1 >$suite/memdiag/test_lifetime_s
sleep 3
step "small pages tested on demand" steered region:low 20000
step "huge pages tested on demand" steered region:low+high 30000 --huge
echo 3600 >$suite/memdiag/test_lifetime_s
pools_come() {
	for region in low high banks; do
		echo 32768 >$regions/$region/pool_kib || return 1
	done
	wait_for 300 at_least $regions/low/pool_pages 4000
}
step "pools are filled" pools_come
step "regions are drained" sh -c "echo 16384 >$regions/low/container_kib && echo 0 >$regions/low/pool_kib"
step "the inspector leaves" sh -c "echo 0 >$suite/memdiag/ahead/enabled && echo 1 >$suite/memdiag/ahead/enabled"
hotplug() {
	for block in $memory/memory5 $memory/memory6; do
		wait_for 60 sh -c "echo offline >$block/state" || return 1
	done
	echo 1 >$suite/memdiag/test_new_memory
	for block in $memory/memory5 $memory/memory6; do
		echo online_movable >$block/state || return 1
	done
}
step "memory goes and comes" hotplug
step "memdiag is disabled" sh -c "echo 0 >$suite/memdiag/enabled"

tracked() {
	"$here/loop" --pattern cold 20000 20 >/tmp/loop &
	pid=$!
	wait_for 60 grep -q ready /tmp/loop
	echo 1 >$suite/mrc/enabled && echo $pid >$suite/mrc/add && sleep 10 &&
		echo 1 >$suite/mrc/division/enforce && sleep 5
	tracked_status=$?
	kill $pid
	wait $pid 2>/dev/null
	return $tracked_status
}
step "mrc tracks and divides" tracked
step "memory is short" quiet "$here/touch" "$(awk '$1 == "MemAvailable:" { print int($2 / 4 * 9 / 10) }' /proc/meminfo)"

for name in many limit full threads forks moves; do
	step "tags: $name" "$here/hints" $name
done
wait_for 60 equals $zone/tagged_processes 0
step "nobody has tags" equals $zone/tagged_processes 0
step "vipzone is disabled" sh -c "echo 0 >$zone/enabled"
check "no tag was lost" equals $zone/lost_tags 0
rmmod mrc vipzone memdiag memsuite
check "the watch has places left" sh -c "! grep '^#' $stretches/worst"
step "all is unloaded" sh -c "! lsmod | grep -q memsuite"
rmmod stretchtest
done_testing
