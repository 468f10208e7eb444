#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# store-shared.sh: a store and memory share a PRAM. Needs an NVDIMM of 128 MiB, and
# the host's files, for dmsetup.
#
# kernels: none; soak: 6.1+ debug
# options: --mem 512M --nvdimm 128M --root host
# timeout: 1500
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/storepram.sh"
sectors=131072		# 64 MiB
namespace=/sys/bus/nd/devices/namespace0.0
start=$(($(cat $namespace/resource)))
end=$((start + $(cat $namespace/size)))
driver=/sys/bus/nd/drivers/nd_pmem
mib=40			# that is written: more than the store keeps, less than it may have

create() { dmsetup create vs --table "0 $sectors vstore $loop $start-$end $1" 2>/dev/null; }
refused() { ! create "$@"; }
storage_at_most() { [ $(($(field pages) - $(field lent))) -le $(($(field pages) * $1 / 100)) ]; }
storage_at_least() { [ $(($(field pages) - $(field lent))) -ge $(($(field pages) * $1 / 100)) ]; }
total() { awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo; }
available() { awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo; }
grown() { [ "$(total)" = $((total + $(field lent) * 4)) ]; }
is_total() { [ "$(total)" = "$total" ]; }
bind() { echo namespace0.0 2>/dev/null >$driver/bind; }
lent_names() { grep -q 'System RAM (dm-vstore)' /proc/iomem; }
same() { dd if=$vs bs=1M count=$mib iflag=direct 2>/dev/null | cmp -s - /tmp/written; }
write_all() { dd if=/tmp/written of=$vs bs=32k oflag=direct 2>/dev/null; }
# Writes again until it holds: how much storage grows meanwhile depends on who is faster.
written_until() {
	for _ in 1 2 3 4 5; do
		! "$@" || return 0
		write_all
		wait_for 2 "$@" && return 0
	done
	return 1
}
# tests/bench-store-shared reads these.
shares() {
	note "at $(cut -d ' ' -f 1 /proc/uptime) s, $1: $(dmsetup status vs | awk '{
		for (i = 4; i < NF; i++)
			is[$i] = $(i + 1)
		printf "memory has %d pages of PRAM, storage %d dirty, %d clean, %d free; %d writes so far",
			is["lent"], is["dirty"], is["clean"], is["free"], is["write_pram"] + is["write_disk"]
	}')"
}
writes() { echo $(($(field write_pram) + $(field write_disk))); }
writes_at_least() { [ "$(writes)" -ge "$1" ]; }
# What a "keep" tells in its file, asked by the signal.
told() { kill -USR1 "$1" && wait_for 20 grep -q '^pages' "$2" && cat "$2"; }
in_pram() { told "$1" "$2" | awk '$1 == "pages" { n = $4 } END { exit !(n >= 1000) }'; }
hogs=
hog() { # PAGES
	: >/tmp/hog
	"$here/keep" "$1" --rest 100 >/tmp/hog &
	hogs="$hogs $!"
	wait_for 60 grep -q ready /tmp/hog
}
ends_well() { kill -TERM "$1" && wait "$1"; }

modprobe loop 2>/dev/null
modprobe dm-mod 2>/dev/null
check "load dm-vstore" modprobe dm-vstore
# It is in memory: all of it now, or moving blocks to it would take as much as it gives.
dd if=/dev/zero of=/tmp/shared-disk bs=1M count=$((sectors / 2048)) 2>/dev/null
loop=$(losetup -f --show /tmp/shared-disk)
dd if=/dev/zero of=/dev/pmem0 bs=1M count=2 oflag=direct 2>/dev/null
dd if=/dev/urandom of=/dev/pmem0 bs=4k seek=300 count=1 oflag=direct 2>/dev/null
dd if=/dev/urandom of=/tmp/written bs=1M count=$mib 2>/dev/null

check "a PRAM that a driver holds is refused" refused "2 shared format"
echo namespace0.0 >$driver/unbind
check "one that is not blank is refused" refused "2 shared format"
echo namespace0.0 >$driver/bind
dd if=/dev/zero of=/dev/pmem0 bs=1M count=2 oflag=direct 2>/dev/null
echo namespace0.0 >$driver/unbind
check "a range that is not PRAM is refused" sh -c \
	"! dmsetup create vs --table '0 $sectors vstore $loop 0x1000000-0x9000000 2 shared format' 2>/dev/null"

dmsetup create vs --notable
check "load a table" dmsetup load vs --table "0 $sectors vstore $loop $start-$end 2 shared format"
bind
check "its driver cannot have the range, though nothing is lent" [ ! -e /dev/pmem0 ]
dmsetup remove vs

# Memory blocks that do not come online at once. Not every kernel has what keeps them from it.
if modprobe memory-notifier-error-inject 2>/dev/null; then
	refusal=/sys/kernel/debug/notifier-error-inject/memory/actions/MEM_GOING_ONLINE/error
	echo -12 >$refusal
	check "create while no memory comes online" create "4 shared format storage_min 10"
	check "the log tells" wait_for 20 log_says "cannot be lent yet: -12"
	check "nothing is lent" field_is lent 0
	sleep 12
	check "it tells once, though it is tried again" [ "$(dmesg | grep -c 'cannot be lent yet')" = 1 ]
	check "write while it is" write_all
	echo 0 >$refusal
	check "it is lent later" wait_for 60 field_at_least lent 10000
	check_data "everything is there" same
	dmsetup message vs 0 flush
	check "remove" dmsetup remove vs
	rmmod memory-notifier-error-inject
fi

total=$(total)
check "create" create "8 shared format policy selective storage_max 60 storage_min 10"
shares "created"
check "most of it is lent" wait_for 20 field_at_least lent 28000
check "memory has grown by what is lent" wait_for 5 grown
check "no second store takes the range" sh -c \
	"! dmsetup create other --table '0 $sectors vstore $loop $start-$end 1 shared' 2>/dev/null"
bind
check "nor does its driver" [ ! -e /dev/pmem0 ]
shares "lent"
"$here/keep" 6000 --range $start $end --rest 100 >/tmp/keep1 &
keep=$!
wait_for 30 grep -q ready /tmp/keep1
check "a program's pages lie in PRAM" in_pram $keep /tmp/keep1

# Storage grows, and takes pages back.
check "write" write_all
check "units were claimed from memory" written_until field_at_least claims 4
shares "written"
check_data "everything is there" same
check "storage has no more than it may" storage_at_most 60
check "memory is what is lent" wait_for 5 grown
check "nobody else takes it offline" sh -c \
	"! echo offline >/sys/devices/system/memory/memory$((start >> 27))/state 2>/dev/null"
dmsetup message vs 0 storage_max 20
check "a lower limit takes effect" wait_for 30 storage_at_most 20
shares "at most 20%"
check_data "everything is there still" same
dmsetup message vs 0 storage_max 60
lent=$(field lent)
dmsetup load vs --table "0 $sectors vstore $loop $start-$end 5 shared policy selective storage_min 10" &&
	dmsetup suspend vs && dmsetup resume vs
check "a table replaced leaves lent what is" field_at_least lent $((lent - 1024))
check "and memory is what is lent" wait_for 5 grown
check "and it goes on" write_all
check_data "with everything there" same
check "storage has grown" written_until storage_at_least 27
shares "written again"

# Memory is short, and somebody writes all the time: storage gives way, and neither loses anything. Behind what was
# written so far, storecheck checks what it reads, and all in the end.
check "nothing has to give way so far" field_at_most lends 60
"$here/storecheck" $vs $((mib * 256)) $((sectors / 8 - mib * 256)) /tmp/state 1000000000 1 >/tmp/writer &
writer=$!
while sleep 5; do
	shares "writing"
done &
sampler=$!
check "a writer is at work" wait_for 60 writes_at_least $(($(writes) + 50))
for turn in first second; do
	lends=$(field lends) writes=$(writes)
	check "the $turn time, a program gets more memory than was available" hog $(($(available) / 4 + 3072))
	shares "a hog"
	# What the kernel does not call available, it may have nevertheless.
	until wait_within 15 field_at_least lends $((lends + 4)) || ! storage_at_least 20; do
		hog 1024 || break
		shares "one more hog"
	done
	shares "with hogs"
	check "storage gave way" field_at_least lends $((lends + 4))
	check "down to what it keeps" storage_at_least 10
	check_data "everything is there nevertheless" same
	if [ $turn = first ]; then
		check "and is after writing with memory short" write_all
		check_data "likewise" same
	fi
	check "the writer was at it meanwhile" wait_for 30 writes_at_least $((writes + 50))
	claims=$(field claims)
	for hog in $hogs; do
		check_data "a hog's memory is unharmed" ends_well "$hog"
	done
	hogs=
	shares "without hogs"
	check "storage takes from memory again, for two writers" written_until field_at_least claims $((claims + 4))
	shares "two writers"
done
kill $sampler
check_data "the writer finds all that it wrote" ends_well $writer
sed 's/^/# /' /tmp/writer
check "memory never ran out" sh -c "! dmesg | grep -q 'Out of memory'"

# A disk that becomes read-only: neither it nor what PRAM has for it changes, and memory keeps what it has of PRAM.
counts() { for name in nodes dirty merged clean moved evicted shifted; do field $name; done; }
quiet dd if=/tmp/written of=$vs bs=4k count=200 oflag=direct conv=notrunc
check "there is something for the disk" field_at_least dirty 100
blockdev --setro "$loop"
sleep 2 # what was on its way
counts >/tmp/counts
md5sum /tmp/shared-disk >/tmp/sum
check "a write to a disk that is read-only by now fails" fails dd if=/dev/zero of=$vs bs=4k count=1 oflag=direct conv=notrunc
check "flush says that it cannot" sh -c "dmsetup message vs 0 flush 2>&1 | grep -q 'Read-only'"
dmsetup message vs 0 storage_max 20
quiet dd if=/tmp/shared-disk of=/dev/null bs=1M
check "a program gets what memory is available" hog $(($(available) / 4 - 2048))
# The kernel's workers: what they took so far.
worked_ms() {
	for comm in $(grep -l '^kworker' /proc/[0-9]*/comm); do cat "${comm%comm}schedstat"; done 2>/dev/null |
		awk '{ sum += $1 } END { printf "%d", sum / 1000000 }'
}
worked=$(worked_ms)
sleep 5
worked=$(($(worked_ms) - worked))
note "the kernel's workers took $worked ms in 5 s"
check "nobody tries over and over" [ $worked -lt 1000 ]
check_data "all is read" same
check_data "the program's memory is unharmed" ends_well "${hogs#* }"
hogs=
counts >/tmp/counts-later
check "what PRAM has for it has not changed" cmp -s /tmp/counts /tmp/counts-later
dmsetup message vs 0 storage_max 60
check "a table replaced is refused" fails dmsetup load vs --table "0 $sectors vstore $loop $start-$end 1 shared"
dmsetup suspend vs
check "it is not taken up again as if it were not" fails dmsetup resume vs
sleep 2
check "memory is what is lent" grown
check_data "the disk has not changed" sh -c "md5sum /tmp/shared-disk | cmp -s - /tmp/sum"
blockdev --setrw "$loop"
dmsetup resume vs
check "it goes on when it may" write_all
check_data "with everything there" same
check "and shares" written_until storage_at_least 20
check_data "the other program's, too" ends_well $keep

check "remove" dmsetup remove vs
check "memory is what it was" is_total
check "the range is nobody's" sh -c "! grep -q dm-vstore /proc/iomem"
echo namespace0.0 >$driver/bind
check "its driver can have it again" [ -b /dev/pmem0 ]
echo namespace0.0 >$driver/unbind
check "open again" create "1 shared"
check_data "everything is there after that" same
wait_for 20 lent_names
check "flush" dmsetup message vs 0 flush
check "remove again" dmsetup remove vs
check_data "the disk has everything" sh -c "dd if=$loop bs=1M count=$mib 2>/dev/null | cmp -s - /tmp/written"
check "unload" modprobe -r dm-vstore
done_testing
