#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# unload.sh TIMES: the modules go while what they hear of goes on, each kind by itself, and all at once:
# memory and CPUs come and go, processes are forked, executed and end, control groups
# are removed, debugfs is mounted, files are read, the machine sleeps. Freed memory is
# poisoned: who still uses it is seen.
#
# kernels: newest; soak: all
# options: --dimm 256M --append "slub_debug=FZPU no_console_suspend suspend.pm_test_delay=1"
# arguments: 1; soak: 100; soak debug: 10
. "$(dirname "$0")/ktap.sh"
times=${1:-2}
blocks=$(grep -lx offline /sys/devices/system/memory/memory*/state)
cpu=/sys/devices/system/cpu/cpu1/online
cgroup=/sys/fs/cgroup
echo freezer >/sys/power/pm_test 2>/dev/null

# Each storm is a loop that ends when /tmp/storm is gone. It leaves the processors time for what it is a storm beside.
blows() { [ -e /tmp/storm ] && sleep 0.1; }
memory_storm() {
	while blows; do
		for state in online_movable offline; do
			for block in $blocks; do echo $state >"$block"; done
		done
	done 2>/dev/null
}
cpu_storm() {
	while blows; do
		echo 0 >$cpu
		echo 1 >$cpu
	done
}
process_storm() {
	while blows; do
		# shellcheck disable=SC2034
		for i in 1 2 3 4; do sh -c "$here/touch 200; exec $here/touch 300" & done
		wait
	done >/dev/null 2>&1
}
cgroup_storm() {
	while blows; do
		mkdir -p $cgroup/storm
		sh -c "echo \$\$ >$cgroup/storm/cgroup.procs; exec $here/touch 200"
		rmdir $cgroup/storm
	done >/dev/null 2>&1
}
debugfs_storm() {
	mkdir -p /tmp/debugfs
	while blows; do
		mount -t debugfs none /tmp/debugfs
		find /tmp/debugfs/memsuite -type f -exec cat {} +
		umount /tmp/debugfs
	done >/dev/null 2>&1
}
reader_storm() {
	while blows; do find $suite -type f -exec cat {} +; done >/dev/null 2>&1
}
sleep_storm() {
	while blows; do
		echo freeze >/sys/power/state
	done >/dev/null 2>&1
}

load_all() {
	modprobe memdiag && modprobe vipzone && modprobe mrc || return 1
	echo "low 128M-256M" >$suite/regions/add || return 1
	"$here/touch" 3000 --rounds 1000 >/dev/null &
	steered=$!
	echo "$steered region:low children" >$suite/vipzone/add || return 1
	echo "$steered children" >$suite/mrc/add || return 1
	mkdir -p $cgroup/kept $cgroup/storm
	echo "cgroup:/kept region:low" >$suite/vipzone/add || return 1
	echo "cgroup:/kept" >$suite/mrc/add || return 1
	# This one may be gone, or busy.
	echo "cgroup:/storm region:low" >$suite/vipzone/add 2>/dev/null
	echo "cgroup:/storm" >$suite/mrc/add 2>/dev/null
	echo 1 >$suite/memdiag/test_new_memory || return 1
	for module in memdiag vipzone mrc; do
		echo 1 >$suite/$module/enabled || return 1
	done
}
# Who has a file of debugfs open keeps the module for so long.
unload() {
	tries=0
	until rmmod "$1" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 100 ] || { rmmod "$1"; return 1; }
		sleep 0.1
	done
}
unload_all() {
	unload mrc && unload vipzone && unload memdiag && unload memsuite
	unloaded=$?
	kill $steered
	wait $steered 2>/dev/null
	return $unloaded
}
# unload_beside STORM[+STORM]...: they go on before and after.
unload_beside() {
	: >/tmp/storm
	storms=
	for one in $(echo "$1" | tr + ' '); do
		"${one}_storm" &
		storms="$storms $!"
	done
	nr=0
	while [ $nr -lt "$times" ]; do
		nr=$((nr + 1))
		load_all || { note "loading failed"; break; }
		sleep 1
		unload_all || { note "unloading failed"; break; }
		sleep 0.3
		nr_done=$nr
	done
	rm /tmp/storm
	# shellcheck disable=SC2086	# a list of words
	wait $storms
	[ "$nr_done" = "$times" ]
}

check "there is memory to plug in" [ -n "$blocks" ]
# All at once takes minutes.
all=memory+cpu+process+cgroup+debugfs+reader
for storm in memory cpu process cgroup debugfs reader sleep memory+reader $([ "$times" = 1 ] || echo $all); do
	nr_done=0
	check "unload beside a $storm storm" unload_beside $storm
done
rmdir $cgroup/kept $cgroup/storm 2>/dev/null
check "the directory is gone" [ ! -e $suite ]
done_testing
