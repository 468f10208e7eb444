#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Memory divided by miss ratio curves: paper 001, Table 2. An interactive program beside one that computes, with less
# memory than both want and a slow disk to swap to; without, and with. Prints a line of JSON for each run.
#
# The disk, vda, is that of tests/mrc_mm.py: the programs and what they work on, and what is swapped to. It is copied to
# one in memory that takes 2 ms for each request, one at a time, by the guest's own clock. Boot with --append
# rootfstype=ramfs: files of a tmpfs are swapped out when memory gets short, and then there is more of it than
# AVAILABLE_MIB.
#
#   mrc-mm.sh AVAILABLE_MIB DISK_MIB SWAP_MIB intr|apache linear|gcc|gzip stock|mrc...	a run for each of these words
. "$(dirname "$0")/ktap.sh"
available=$1
size=$2
swap=$3
front=$4
back=$5
shift 5
mrc=$suite/mrc
division=$mrc/division
disk=/disk

fail() {
	echo "mrc-mm: $*" >&2
	exit 1
}

# A head that is at one place at a time, and a queue in front of it, as that of a disk with NCQ. Full from the start: it
# takes no memory later.
make_disk() {
	slow=/sys/kernel/config/nullb/nullb0
	modprobe null_blk nr_devices=0 && mount -t configfs none /sys/kernel/config && mkdir $slow || return
	for setting in size=$size blocksize=4096 memory_backed=1 queue_mode=2 irqmode=2 completion_nsec=2000000 \
		       submit_queues=1 hw_queue_depth=1 power=1; do
		echo "${setting#*=}" >$slow/"${setting%=*}" || return
	done
	echo mq-deadline >/sys/block/nullb0/queue/scheduler
	echo 64 >/sys/block/nullb0/queue/nr_requests
	echo 1 >/sys/block/nullb0/queue/rotational
	dd if=/dev/vda of=/dev/nullb0 bs=1M count=$((size - swap)) oflag=direct 2>/dev/null &&
		dd if=/dev/zero of=/dev/nullb0 bs=1M seek=$((size - swap)) count=$swap oflag=direct 2>/dev/null &&
		blockdev --rereadpt /dev/nullb0
}

available_kib() { awk '/^MemAvailable/ { print $2 }' /proc/meminfo; }

# leave KIB: what is too much is taken by a file that cannot be swapped out. Some comes free late, and some it takes beside.
leave() {
	has=0 more=$1
	for _ in $(seq 30); do
		# A processor keeps pages that were freed for some time.
		sleep 10
		more=$(($(available_kib) - $1))
		[ $more -lt -256 ] || [ $more -gt 256 ] || return 0
		if [ $more -gt 0 ]; then
			dd if=/dev/zero of=/ballast/file bs=1k seek=$has count=$more 2>/dev/null
		else
			truncate -s $((has + more))k /ballast/file
		fi
		has=$((has + more))
	done
	fail "$(available_kib) KiB are available"
}

prepare() {
	grep -q rootfstype=ramfs /proc/cmdline || fail "the files of the guest can be swapped out"
	modprobe crc32c_generic 2>/dev/null
	modprobe ext4 2>/dev/null
	mkdir -p $disk /ballast
	make_disk || fail "no slow disk"
	mount -t ext4 -o ro,noatime /dev/nullb0p1 $disk || fail "cannot mount the disk"
	mount -o bind /dev $disk/dev && mount -o bind /tmp $disk/tmp || fail "cannot mount in the disk"
	mkswap /dev/nullb0p2 >/dev/null && swapon /dev/nullb0p2 || fail "cannot swap"
	# Base pages, as there were then.
	echo never >/sys/kernel/mm/transparent_hugepage/enabled
	# What the kernel keeps free is that of a machine of 128 MiB. mrc is as it is when loaded.
	echo 1448 >/proc/sys/vm/min_free_kbytes
	modprobe mrc || fail "cannot load mrc"
	mount -t ramfs ballast /ballast || fail "cannot mount a ramfs"
	sync
	echo 3 >/proc/sys/vm/drop_caches
	leave $((available * 1024))
	note "$(grep -E '^Mem|^SwapFree|^Cached' /proc/meminfo | tr -s ' \n' ' ')"
}

# The disk is slow, and other runs have left their pages behind.
ready_or_dead() { grep -q ready "$1" || ! kill -0 $! 2>/dev/null; }
wait_ready() { wait_for 300 ready_or_dead "$1" && grep -q ready "$1" || fail "$front is not ready: $(tail -3 /tmp/errors)"; }

start_intr() {
	"$here/rivals" intr 24000 2400 300 0 >/tmp/front &
	interactive=$!
	wait_ready /tmp/front
}

start_apache() {
	rm -f /tmp/answers /tmp/flood
	chroot $disk apache2 -f /apache.conf
	wait_for 60 test -s /tmp/apache.pid || fail "no apache: $(cat /tmp/errors)"
	"$here/flood" 80 1000 4 50 >/tmp/flood &
	flood=$!
	wait_ready /tmp/flood
	# All that it serves is the child's.
	interactive=$(cat "/proc/$(cat /tmp/apache.pid)/task/$(cat /tmp/apache.pid)/children" | tr -d ' ')
}

major() { awk '{ print $12 }' "/proc/$interactive/stat"; }

begin_intr() { kill -USR1 $interactive; }

begin_apache() {
	before=$(wc -l </tmp/answers)
	faults=$(major)
}

# Each leaves answers, mean_ms, max_ms and faults.
field() { sed -n "s/.* $2 \([0-9.]*\).*/\1/p" "$1"; }
end_intr() {
	kill -TERM $interactive
	wait $interactive
	answers=$(field /tmp/front rounds) mean_ms=$(field /tmp/front mean_ms) max_ms=$(field /tmp/front max_ms)
	faults=$(field /tmp/front major)
}

end_apache() {
	faults=$(($(major) - faults))
	# shellcheck disable=SC2046	# three words
	set -- $(tail -n +$((before + 1)) /tmp/answers | awk '{ sum += $1; if ($1 > most) most = $1 }
		END { print NR, sum / NR / 1000, most / 1000 }')
	answers=$1 mean_ms=$2 max_ms=$3
	kill $flood
	wait $flood
	kill "$(cat /tmp/apache.pid)"
	wait_for 60 test ! -e /tmp/apache.pid
}

# Of gcc, as it is on a machine of 128 MiB; it goes by the memory that it finds.
collector="--param ggc-min-expand=38 --param ggc-min-heapsize=16384"
command_of() {
	case $1 in
	linear) echo "$here/rivals linear 36000 2" ;;
	gcc) echo "chroot $disk cc1 -quiet -fpreprocessed -w -O0 $collector -o /dev/null /data/in.i" ;;
	gzip) echo "chroot $disk zipper /data/picture 60 1" ;;
	esac
}

show() {
	sed 's/^/# /' $debug/mrc/plan
	note "$(grep -E '^Mem[FA]|^SwapCached|^Mapped|^Cached' /proc/meminfo | tr -s ' \n' ' ')"
	note "$(grep . $division/*_pages | sed 's,.*/,,' | tr '\n' ' ')"
}

# run stock|mrc: for as long as the one that computes does.
run() {
	echo 3 >/proc/sys/vm/drop_caches
	start_$front
	if [ "$1" = mrc ]; then
		echo 1 >$mrc/enabled
		echo "$interactive" >$mrc/add
		echo 1 >$division/enforce || fail "cannot enforce"
	fi
	sleep 10
	begin_$front
	# shellcheck disable=SC2016	# $$ is the command's own
	"$here/rivals" run sh -c 'echo $$ >$0 && exec "$@"' "$([ "$1" = mrc ] && echo $mrc/add || echo /dev/null)" \
		$(command_of "$back") >/tmp/back &
	runner=$!
	sleep 5
	[ "$1" = mrc ] && show
	wait $runner
	end_$front
	echo 0 >$division/enforce
	echo 0 >$mrc/enabled
	sed 's/^/# /' /tmp/back
	echo "{\"run\": \"$1\", \"release\": \"$(uname -r)\", \"answers\": $answers, \"mean_ms\": $mean_ms," \
		"\"max_ms\": $max_ms, \"answering_faults\": $faults, \"seconds\": $(field /tmp/back seconds)," \
		"\"computing_faults\": $(field /tmp/back major), \"status\": $(field /tmp/back status)}"
}

prepare
for configuration in "$@"; do
	run "$configuration"
done
rmmod mrc || fail "cannot unload"
