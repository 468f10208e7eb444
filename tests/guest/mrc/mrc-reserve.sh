#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Memory is divided, as it is when mrc is loaded, in a guest in which little is available, but enough: nothing is
# evicted, and answers come as before. A reserve that is set too high makes it evict what comes back: that is undone
# within seconds. Once another program wants more than there is, mrc evicts; and of a loop that does not fit, so that
# the kernel takes hardly any page of the program that rests. The memory that programs have is a small part of the machine's.
#
# kernels: oldest newest; soak: stock
# options: --icount --append rootfstype=ramfs
. "$(dirname "$0")/ktap.sh"
mrc=$suite/mrc
division=$mrc/division
AVAILABLE_KIB=$((96 << 10))
SPARE_KIB=$((8 << 10)) # with what mrc takes, and 4 MiB that only DMA uses

available_kib() { awk '/^MemAvailable/ { print $2 }' /proc/meminfo; }

# What is too much is taken by a file that can be neither swapped out nor dropped. Some comes free late.
leave() {
	mkdir -p /ballast && mount -t ramfs ballast /ballast || return
	has=0
	for _ in $(seq 20); do
		more=$(($(available_kib) - AVAILABLE_KIB))
		[ $more -gt 2048 ] || break
		dd if=/dev/zero of=/ballast/file bs=1k seek=$has count=$more 2>/dev/null
		has=$((has + more))
		echo 3 >/proc/sys/vm/drop_caches
		sleep 10
	done
	kib=$(available_kib)
	pages=$(((kib - SPARE_KIB) / 4))
	note "$kib KiB available, for $pages pages"
	[ $kib -gt $((64 << 10)) ] && [ $kib -lt $((112 << 10)) ]
}

swapped_out() { awk '/^pswpout/ { print $2 }' /proc/vmstat; }
evicted() { echo $(($(cat $division/evicted_pages) + $(cat $division/replaced_pages))); }
field() { sed -n "s/.* $1 \([0-9.]*\).*/\1/p" /tmp/intr; }

# answer: mean_us of a round, and its major faults.
answer() {
	: >/tmp/intr
	"$here/rivals" intr $pages 20000 100 0 >/tmp/intr &
	intr=$!
	wait_for 60 grep -q ready /tmp/intr || return
	[ "$1" = stock ] || echo $intr >$mrc/add
	if [ "$1" = undone ]; then
		check "what does not help is undone" wait_for 60 at_least $division/undone 1
		check "the guard says so" equals $division/guard undone
	fi
	sleep 5
	kill -USR1 $intr
	before=$(swapped_out)
	sleep 10
	# While it lives: counts are of present targets.
	left_kib=$(available_kib) taken=$(evicted)
	note "$1: $left_kib KiB available, $taken pages evicted"
	written=$(($(swapped_out) - before))
	[ "$1" = short ] && return
	kill -TERM $intr
	wait $intr
	mean_us=$(field mean_ms | awk '{ print int($1 * 1000) }') major=$(field major)
	note "$1: $mean_us us an answer, $major major faults, $written pages written"
}

modprobe zram && echo 256M >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null && swapon /dev/zram0 || exit 1
echo never >$thp/enabled
modprobe mrc || exit 1
sync
echo 3 >/proc/sys/vm/drop_caches
check "little is left" leave

answer stock
stock_us=$mean_us
check "it is enough for the kernel" [ "$major$written" = 00 ]
check "and hardly more" [ "$left_kib" -le $((2 * SPARE_KIB)) ]
echo 1 >$mrc/enabled
echo 1 >$division/enforce
answer mrc
check "nothing is evicted" [ "$taken" = 0 ]
check "no answer waits for a page" [ "$major$written" = 00 ]
check "answers come as before" [ $mean_us -le $((stock_us * 103 / 100)) ]

echo $((64 << 10)) >$division/reserve_kib
answer undone
check "answers come again as before" [ $mean_us -le $((stock_us * 103 / 100)) ]
echo 0 >$division/enforce
echo 0 >$division/reserve_kib
echo 1 >$division/enforce
check "enforced anew, it is not" equals $division/guard watch

# Both come back to all that they have.
answer short
"$here/loop" --pattern uniform --rest 100 12000 300 >/tmp/loop &
loop=$!
echo $loop >$mrc/add
is_evicted() { [ "$(evicted)" -ge 1000 ]; }
check "where it is too little, some is evicted" wait_for 60 is_evicted
note "$(evicted) pages evicted, $(swapped_out) pages written"
kill $loop
wait $loop

# The one that answers has what it needs; the other never has.
"$here/loop" 26000 300 >/tmp/loop &
loop=$!
echo $loop >$mrc/add
stolen() { awk '/^pgsteal_anon/ { print $2 }' /proc/vmstat; }
sleep 20
stolen=$(stolen) taken=$(evicted)
sleep 20
stolen=$(($(stolen) - stolen)) taken=$(($(evicted) - taken))
note "beside a loop that does not fit, the kernel took $stolen pages, and mrc $taken"
check "mrc takes what has to go" [ $taken -ge 1000 ]
check "and the kernel hardly any" [ $stolen -lt $((taken / 20)) ]
kill $intr $loop
wait
check "unload" rmmod mrc
swapoff /dev/zram0
done_testing
