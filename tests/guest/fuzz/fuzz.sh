#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# fuzz.sh SEED SECONDS DIRECTORY KIND[:FROM-TO]...: workers of these kinds throw
# calls at the suite, beside programs that check their memory. tests/fuzz runs it.
# DIRECTORY gets the workers' logs. Afterwards the modules unload, the
# programs' memory is unchanged, and free memory is what it was.
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/storepram.sh"
seed=$1 seconds=$2 directory=$3
shift 3
kinds=$*
suite_modules="mrc vipzone memdiag dm_vstore memsuite"
processes=/run/fuzz.processes
FUZZ_BLOCKS=$(grep -lx offline /sys/devices/system/memory/memory*/state | tr '\n' ' ')
# The part of memory that memmap= has made persistent, and that no driver has.
FUZZ_RANGE=$(awk '/Persistent Memory \(legacy\)/ { sub(/ :.*/, ""); sub("-", " "); print "0x" $1, "0x" $2 }' /proc/iomem |
	head -n 1 | while read -r first last; do printf '0x%x-0x%x\n' "$((first))" "$((last + 1))"; done)
export FUZZ_BLOCKS FUZZ_RANGE

modprobe loop 2>/dev/null
modprobe dm-mod 2>/dev/null
for number in 0 1 2; do
	dd if=/dev/zero of=/tmp/disk$number bs=1M count=16 2>/dev/null
	losetup /dev/loop$number /tmp/disk$number
done
check "the NVDIMM has DAX" pmem_with_dax
dd if=/dev/zero of=/dev/pmem0 bs=1M count=4 conv=fsync 2>/dev/null
if modprobe zram 2>/dev/null; then
	echo 128M >/sys/block/zram0/disksize
	mkswap /dev/zram0 >/dev/null && swapon /dev/zram0
fi

load_all() { modprobe memdiag && modprobe vipzone && modprobe mrc && modprobe dm-vstore; }
# Who has a file of debugfs open keeps the module for so long.
unload_all() {
	for module in $suite_modules; do
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			[ -e /sys/module/$module ] && ! rmmod $module 2>/dev/null || break
			sleep 0.5
		done
		[ ! -e /sys/module/$module ] || { rmmod $module; return 1; }
	done
}
# What is allocated once and for all comes first.
warm_up() {
	load_all || return 1
	echo "r9 128M-256M" >$suite/regions/add
	"$here/touch" 2000 >/dev/null &
	echo "$! region:r9" >$suite/vipzone/add
	echo "$!" >$suite/mrc/add
	for module in memdiag vipzone mrc; do
		echo 1 >$suite/$module/enabled || return 1
	done
	wait $!
	unload_all
}
worker() { # PROGRAM KIND NUMBER FROM TO
	program=$1
	shift
	"$here/$program" "$1" "$2" "$seed" "$3" "$4" "$seconds" "$directory" &
	workers="$workers $!"
	echo -500 >/proc/$!/oom_score_adj
}
# begin KIND FROM TO: its workers.
begin() {
	case $1 in
	regions | vipzone | memdiag | mrc | control)
		worker fuzz-control "$1" 0 "$2" "$3" ;;
	hints)
		for number in 0 1; do worker fuzz-hints "$1" $number "$2" "$3"; done ;;
	store | io)
		for number in 0 1; do FUZZ_DISK=$number worker "fuzz-$1" "$1" $number "$2" "$3"; done ;;
	loan)
		[ -n "$FUZZ_RANGE" ] || return 0
		FUZZ_DISK=2 worker fuzz-store loan 0 "$2" "$3"
		FUZZ_DISK=2 worker fuzz-io io 2 "$2" "$3" ;;
	forks | pressure | cpus | blocks | modules)
		worker fuzz-storm "$1" 0 "$2" "$3" ;;
	*)
		note "no kind $1"
		return 1 ;;
	esac
}
# Whether a worker is at it still; a zombie has no memory.
running() {
	for worker in $workers; do
		! grep -q '^VmSize' "/proc/$worker/status" 2>/dev/null || return 0
	done
	return 1
}
# They end by themselves: with 0, unless something was not as it has to be.
workers_end() {
	result=0
	limit=$(($(uptime_ms) + (seconds + 180) * 1000))
	while running; do
		sleep 2
		[ "$(uptime_ms)" -lt $limit ] || break
	done
	if running; then
		for worker in $workers; do
			[ ! -e "/proc/$worker/cmdline" ] || note "$(tr '\0' ' ' <"/proc/$worker/cmdline" | cut -c 1-60)" \
				"in $(cat "/proc/$worker/wchan")"
		done
		# Who waits where goes to the kernel's log.
		echo w >/proc/sysrq-trigger
		return 1
	fi
	for worker in $workers; do
		wait "$worker" || result=1
	done
	return $result
}
ends_well() { kill -TERM "$1" && wait "$1"; }
# Bad pages that were made up go back where that is possible.
unretire() {
	load_all || return 1
	echo 1 >$suite/memdiag/inject/clear
	[ ! -e $debug/memdiag/bad_pages ] ||
		awk '!/^#/ { print $1 }' $debug/memdiag/bad_pages | while read -r address; do
			echo "$address" >$suite/memdiag/unretire
		done 2>/dev/null
	note "retired pages left: $(cat $suite/pages/retired_pages)"
}
corrupted_kib() { awk '$1 == "HardwareCorrupted:" { print $2 }' /proc/meminfo; }
offline_again() {
	for block in $FUZZ_BLOCKS; do
		[ "$(cat "$block")" = offline ] || echo offline >"$block" || return 1
	done
}

check "load and unload" warm_up
before=$(free_kib)
load_all
keepers=
for how in "" --churn --huge; do
	# shellcheck disable=SC2086
	"$here/keep" 2048 --rest 300 $how >/tmp/keep.$how &
	keepers="$keepers $!"
	echo -1000 >/proc/$!/oom_score_adj
done
echo "$keepers $$" | tr ' ' '\n' | sed '/^$/d' >$processes
workers=
for kind in $kinds; do
	range=0-1000000000
	case $kind in *:*) range=${kind#*:} ;; esac
	begin "${kind%%:*}" "${range%-*}" "${range#*-}" || exit 2
done
check "all workers end" workers_end
for keeper in $keepers; do
	check_data "a program's memory is unchanged" ends_well "$keeper"
done
check "bad pages go back" unretire
check "unload" unload_all
check "plugged memory goes offline" offline_again
check "the directory is gone" [ ! -e $suite ]
[ ! -e /dev/zram0 ] || swapoff /dev/zram0
rmdir /sys/fs/cgroup/f[0-3] 2>/dev/null
echo +memory >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null
after=$(free_kib)
note "free before $before KiB, after $after KiB, corrupted $(corrupted_kib) KiB"
check "no page lost" [ $((before - after - $(corrupted_kib))) -lt $((before / 100 + 4096)) ]
done_testing
