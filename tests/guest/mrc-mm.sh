#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Memory divided by miss ratio curves: paper 001, Table 2. An interactive program beside one that computes, with less
# memory than both want and a slow disk to swap to; without, and with. Prints a line of JSON for each run.
#
# The disk is that of tests/mrc_mm.py: the programs and what they work on (vda1), and what is swapped to (vda2). Boot
# with --append rootfstype=ramfs: files of a tmpfs are swapped out when memory gets short, and then there is more of it
# than AVAILABLE_MIB.
#
#   mrc-mm.sh AVAILABLE_MIB intr|apache linear|gcc|gzip stock|mrc...	a run for each of these words
. "$(dirname "$0")/ktap.sh"
available=$1
front=$2
back=$3
shift 3
mrc=$suite/mrc
division=$mrc/division
disk=/disk

fail() {
	echo "mrc-mm: $*" >&2
	exit 1
}

available_kib() { awk '/^MemAvailable/ { print $2 }' /proc/meminfo; }
# What is too much is taken by files that cannot be swapped out.
prepare() {
	grep -q rootfstype=ramfs /proc/cmdline || fail "the files of the guest can be swapped out"
	modprobe crc32c_generic 2>/dev/null
	modprobe ext4 2>/dev/null
	mkdir -p $disk /ballast
	mount -t ext4 -o ro,noatime /dev/vda1 $disk || fail "cannot mount the disk"
	mount -o bind /dev $disk/dev && mount -o bind /tmp $disk/tmp || fail "cannot mount in the disk"
	mkswap /dev/vda2 >/dev/null && swapon /dev/vda2 || fail "cannot swap"
	# Base pages, as there were then.
	echo never >/sys/kernel/mm/transparent_hugepage/enabled
	modprobe mrc || fail "cannot load mrc"
	echo 1000 >$mrc/ladder_ms
	echo 50 >$mrc/max_cpu_permille
	mount -t ramfs ballast /ballast || fail "cannot mount a ramfs"
	echo 3 >/proc/sys/vm/drop_caches
	dd if=/dev/zero of=/ballast/file bs=1k count=$(($(available_kib) - available * 1024)) 2>/dev/null
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

command_of() {
	case $1 in
	linear) echo "$here/rivals linear 36000 2" ;;
	gcc) echo "chroot $disk cc1 -quiet -fpreprocessed -w -O1 -o /dev/null /data/in.i" ;;
	gzip) echo "chroot $disk zipper /data/picture 40 5" ;;
	esac
}

show() {
	sed 's/^/# /' $debug/mrc/plan
	note "$(grep . $division/*_pages | sed 's,.*/,,' | tr '\n' ' ')"
}

# run stock|mrc: for as long as the one that computes does.
run() {
	echo 3 >/proc/sys/vm/drop_caches
	start_$front
	if [ "$1" = mrc ]; then
		echo 1 >$mrc/enabled
		echo "$interactive" >$mrc/add
		echo "$interactive 10 1024" >$division/set
		echo 1 >$division/enforce || fail "cannot enforce"
	fi
	sleep 10
	begin_$front
	# shellcheck disable=SC2016	# $$ is the command's own
	"$here/rivals" run sh -c 'echo $$ >$0 && exec "$@"' "$([ "$1" = mrc ] && echo $mrc/add || echo /dev/null)" \
		$(command_of "$back") >/tmp/back &
	runner=$!
	sleep 20
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
