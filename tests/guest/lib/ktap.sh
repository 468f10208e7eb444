# SPDX-License-Identifier: GPL-2.0-only
# KTAP for the scripts that run in a guest. Source it, call check for each
# expectation, and done at the end.
# shellcheck shell=sh disable=SC2034

suite=/sys/kernel/memsuite
debug=/sys/kernel/debug/memsuite
here=$(dirname "$0")
ktap_nr=0
ktap_failed=0

echo "KTAP version 1"

# check NAME COMMAND...: one result.
check() {
	ktap_name=$1 ktap_directive=''
	shift
	ktap_result "$@"
}
# check_data NAME COMMAND...: likewise, of what compares data. If it fails, the
# case is not tried again: tests/run knows it by the directive.
check_data() {
	ktap_name=$1 ktap_directive=' # wrong data'
	shift
	ktap_result "$@"
}
ktap_result() {
	ktap_nr=$((ktap_nr + 1))
	if "$@"; then
		echo "ok $ktap_nr $KTAP_PREFIX$ktap_name"
	else
		echo "not ok $ktap_nr $KTAP_PREFIX$ktap_name$ktap_directive"
		ktap_failed=$((ktap_failed + 1))
	fi
}

note() { echo "# $*"; }

# How a KTAP stream ends: the plan may come last.
done_testing() {
	echo "1..$ktap_nr"
	exit $((ktap_failed > 0))
}

thp=/sys/kernel/mm/transparent_hugepage
# khugepaged gathers nothing any more.
khugepaged_rests() {
	echo 0 >$thp/khugepaged/pages_to_scan 2>/dev/null || echo 100000 >$thp/khugepaged/scan_sleep_millisecs
}

# wait_for SECONDS COMMAND...: until it succeeds. This is for what comes: a limit
# only ends what hangs, and is a minute at least, for a guest may get a small
# part of a busy machine.
wait_for() {
	ktap_seconds=$1
	shift
	[ "$ktap_seconds" -ge 60 ] || ktap_seconds=60
	wait_within "$ktap_seconds" "$@"
}
# wait_within SECONDS COMMAND...: likewise, for what may as well not come.
wait_within() {
	ktap_left=$(($1 * 5))
	shift
	until "$@"; do
		ktap_left=$((ktap_left - 1))
		[ "$ktap_left" -gt 0 ] || return 1
		sleep 0.2
	done
}

# threads_ns PREFIX...: how long all threads that are called so have run.
threads_ns() {
	ktap_ns=0
	for ktap_dir in /proc/[0-9]*; do
		read -r ktap_comm 2>/dev/null <"$ktap_dir/comm" || continue
		for ktap_prefix in "$@"; do
			case $ktap_comm in
			"$ktap_prefix"*) read -r ktap_ran _ 2>/dev/null <"$ktap_dir/schedstat" && ktap_ns=$((ktap_ns + ktap_ran)) ;;
			esac
		done
	done
	echo "$ktap_ns"
}

at_least() { [ "$(cat "$1")" -ge "$2" ]; }
between() { # NUMBER LEAST MOST
	[ "$1" -ge "$2" ] && [ "$1" -le "$3" ] || { note "$1, of $2 to $3"; false; }
}
differs() { [ "$(cat "$1")" != "$2" ]; }
# A kernel without NUMA has no function to choose a page in.
can_steer() { ! grep -q unsupported $suite/hooks/fault.alloc/state; }
# flag FRAME BIT: of /proc/kpageflags.
flag() { echo $(($(dd if=/proc/kpageflags bs=8 skip="$1" count=1 2>/dev/null | od -An -tu8) >> $2 & 1)); }
equals() { [ "$(cat "$1")" = "$2" ]; }
# What memdiag tests in 10 s, by the guest's clock: a busy machine sleeps longer.
tested_in_10_s() {
	ktap_pages=$(cat $suite/memdiag/tested_pages) ktap_began=$(uptime_ms)
	sleep 10
	ktap_pages=$(($(cat $suite/memdiag/tested_pages) - ktap_pages))
	tested=$((ktap_pages * 10000 / ($(uptime_ms) - ktap_began)))
}
# So many pages in 10 s, or a quarter of what a thread can test in that time where
# a busy machine makes that less.
at_speed() { # PAGES
	ktap_pages=$(($(cat $suite/memdiag/control/bandwidth_pages_s) * 10 / 4))
	[ "$ktap_pages" -lt "$1" ] || ktap_pages=$1
	[ "$ktap_pages" -ge 200 ] || ktap_pages=200 # some, in any case
	echo "$ktap_pages"
}
uptime_ms() { awk '{ printf "%d", $1 * 1000 }' /proc/uptime; }
# Without a thread, testers test the block that they are at to its end.
no_test_goes_on() {
	ktap_pages=$(cat $suite/memdiag/tested_pages)
	sleep 3
	equals $suite/memdiag/tested_pages "$ktap_pages"
}

# Free memory in KiB, with what the CPUs keep in their own lists: tens of MiB on
# the newer kernels, which MemFree does not count. Shrinking a slab cache also
# empties its part of KASAN's quarantine, where freed objects pile up.
free_kib() {
	echo 3 >/proc/sys/vm/drop_caches
	# With a slash, no link to a cache that has gone.
	for ktap_cache in /sys/kernel/slab/*/; do
		echo 1 >"$ktap_cache/shrink"
	done
	echo 1 >/proc/sys/vm/compact_memory 2>/dev/null
	sleep 1
	awk '$1 == "nr_free_pages" || $1 == "count:" { pages += $2 } END { print pages * 4 }' /proc/zoneinfo
}

page_flags() { dd if=/proc/kpageflags bs=64k 2>/dev/null | od -An -v -tu8 -w8; }
# free_page [FROM]: address of a page amid a large stretch of free ones, which nobody
# takes so soon, from that address on. A free page has bit 10 and no other.
free_page() {
	printf '0x%x\n' $(($(page_flags | awk -v from=$((${1:-0} / 4096)) '{
		free = $1 == 1024 && NR > from ? free + 1 : 0
		if (free == 1024) {
			print NR - 512
			exit
		}
	}') * 4096))
}

# free_range MIB BEHIND END: where, in MiB, the stretch of that size begins that has the most
# free pages between two addresses in MiB. Others' memory lies anywhere, and compaction moves it.
free_range() {
	page_flags | awk -v size="$1" -v from="$2" -v to="$3" '
	{ mib = int((NR - 1) / 256) }
	mib >= to { exit }
	mib >= from && $1 == 1024 {
		free[mib]++
		sum++
	}
	mib >= from && NR % 256 == 0 {
		sum -= free[mib - size]
		if (mib >= from + size - 1 && sum > most) {
			most = sum
			start = mib - size + 1
		}
	}
	END { print start }'
}

# make_disk MIB: an ext4 file system at /tmp/disk, whose pages are a disk's; those
# of a file on a tmpfs, as the root is, have a NUMA policy of their own.
disk=/dev/loop0
make_disk() {
	modprobe loop 2>/dev/null
	modprobe crc32c_generic 2>/dev/null
	modprobe ext4 2>/dev/null
	dd if=/dev/zero of=/tmp/image bs=1M count="$1" 2>/dev/null
	losetup $disk /tmp/image && mke2fs -b 4096 $disk >/dev/null 2>&1 && mkdir /tmp/disk && mount_disk
}
mount_disk() { mount -t ext4 -o noatime $disk /tmp/disk; }
