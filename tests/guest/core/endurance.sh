#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# endurance.sh SECONDS: all three modules at work, on two nodes, beside stress-ng, whose programs are under a policy, tracked,
# tested and moved. What they wrote is what they read, and nothing is left over: no page that nobody accounts for, no address
# space, no task, no slab cache. In a guest that has the host's files.
#
# kernels: newest; soak: all
# options: --numa 768M,cpus=0-1 --numa 768M --root host
# arguments: 40; soak: 3600
# timeout: 960; soak: 6000
. "$(dirname "$0")/ktap.sh"
seconds=${1:-40}
zone=$suite/vipzone
mount -t tmpfs none /tmp
cd /tmp || exit 1

# under POLICY SECONDS STRESSOR...: stress-ng, under the policy where there is one.
under() {
	what=$1 for_s=$2
	shift 2
	sh -c '[ "$1" ] && [ -e $2/add ] && echo "$$ $1" >$2/add; shift 2; exec "$@"' sh "$what" "$zone" \
		stress-ng --verify --temp-path /tmp --timeout "$for_s" --oom-avoid-bytes 20% "$@" >"/tmp/said.$what" 2>&1
	status=$?
	[ $status = 0 ] || { echo "exit status $status"; cat "/tmp/said.$what"; } | while read -r line; do note "$line"; done
	return $status
}
stressed() { # SECONDS
	under "region:some+node0 children" "$1" --vm 1 --vm-bytes 15% --vm-method all --mremap 1 --mremap-bytes 2% --fork 1 \
		--pagemove 1 --pagemove-bytes 8M --pthread 1 --vm-splice 1 --malloc 1 --malloc-bytes 16M --shm-sysv 1 --shm-sysv-bytes 4M &
	other=$!
	under "region:node1+node0 children heat" "$1" --vm 1 --vm-bytes 10% --vm-method all --vm-keep --mmap 1 --mmap-bytes 5% \
		--munmap 1 --mprotect 1 --msync 1 --memfd 1 --memfd-bytes 16M --userfaultfd 1 --userfaultfd-bytes 4M --vm-rw 1 \
		--rmap 1 --vm-segv 1
	both=$?
	wait $other && [ $both = 0 ]
}
# As the kernel counts them, in KiB: what is not free, and is not said to be anything.
unaccounted_kib() {
	awk -v free="$(free_kib)" '
	{ kib[$1] = $2 }
	END {
		print kib["MemTotal:"] - free - kib["Active:"] - kib["Inactive:"] - kib["Unevictable:"] - kib["Slab:"] - \
			kib["PageTables:"] - kib["Percpu:"] - kib["VmallocUsed:"] - kib["Buffers:"]
	}' /proc/meminfo
}
objects() { # CACHE
	echo 1 >"/sys/kernel/slab/$1/shrink"
	sed 's/ .*//' "/sys/kernel/slab/$1/objects"
}
isolated() { awk '$1 ~ /^nr_isolated/ { sum += $2 } END { print sum }' /proc/vmstat; }
isolated_blocks() { awk '/^Number of blocks/ { for (i = 1; i <= NF; i++) if ($i == "Isolate") at = i - 3 } /^Node .*, zone/ && NF < 12 { sum += $(at + 4) } END { print sum + 0 }' /proc/pagetypeinfo; }
at_work() {
	modprobe memdiag && modprobe vipzone && modprobe mrc || return 1
	echo "some 64M-192M" >$suite/regions/add
	echo 10 >$suite/memdiag/test_lifetime_s
	echo 200 >$suite/memdiag/move_interval_ms
	for module in memdiag vipzone mrc; do
		echo 1 >$suite/$module/enabled || return 1
	done
	# What lies on node1 is cheaper while it is idle, and dearer once it is written to.
	echo 1000 >$suite/regions/node0/idle_power_mw
	echo 500000 >$suite/regions/node1/write_energy_fj_per_bit
	echo 1000 >$suite/regions/node1/write_latency_ns
	echo 500 >$zone/audit/interval_ms
	echo 2 >$zone/audit/hot_looks
	echo 4 >$zone/audit/idle_looks
	echo 65536 >$zone/audit/quota_kib_s
	# All that this shell starts from now on.
	echo "$$ children" >$suite/mrc/add
}
rest() { rmmod mrc vipzone memdiag memsuite; }
# Of all policies: they go with the last of their processes.
sums() { cat "$zone"/policies/*/"$1" | awk '{ sum += $1 } END { print sum + 0 }'; }

# What is allocated once and for all comes first.
stressed 10
at_work && rest || exit 1
stressed 10
unaccounted=$(unaccounted_kib)
mms=$(objects mm_struct) tasks=$(objects task_struct)
note "before: $unaccounted KiB not accounted for, $mms address spaces, $tasks tasks"
check "all at work" at_work
(
	sleep $((seconds * 3 / 4))
	sums moved_pages >/tmp/moved
	sums mmap_pages >/tmp/steered
) &
check_data "patterns read back as they were written" stressed "$seconds"
note "$(cat $suite/memdiag/tested_pages) pages tested, $(cat $suite/memdiag/moves/moved_pages) moved to be tested," \
	"$(cat /tmp/moved) by the audit in $(cat $zone/audit/rounds) looks, $(cat /tmp/steered) steered, $(cat $suite/memdiag/passes) sweeps"
check "free memory was tested" [ "$(cat $suite/memdiag/tested_pages)" -gt 5000 ]
check "memory in use was moved" [ "$(cat $suite/memdiag/moves/moved_pages)" -gt 100 ]
check "pages were steered" at_least /tmp/steered 5000
# It makes room for whoever works: in a minute it may not come to that.
[ "$seconds" -lt 600 ] || check "and moved by the audit" at_least /tmp/moved 100
check "nothing is called bad" equals $suite/memdiag/bad_page_count 0
check "unload" rest
is_near() { # BEFORE AFTER MOST
	note "before $1, after $2"
	[ $(($2 - $1)) -le "$3" ]
}
check "no page that nobody accounts for" is_near "$unaccounted" "$(unaccounted_kib)" 1024
# What each CPU has at hand counts as well.
most=$((8 * $(grep -c ^processor /proc/cpuinfo)))
check "no address space" is_near "$mms" "$(objects mm_struct)" $most
check "no task" is_near "$tasks" "$(objects task_struct)" $most
check "no page is isolated" [ "$(isolated)" = 0 ]
check "nor a block" [ "$(isolated_blocks)" = 0 ]
no_cache() {
	for cache in /sys/kernel/slab/*memsuite*/ /sys/kernel/slab/*memdiag*/ /sys/kernel/slab/*vipzone*/ /sys/kernel/slab/mrc*/; do
		[ ! -d "$cache" ] || { note "$cache"; return 1; }
	done
}
check "no slab cache" no_cache
done_testing
