#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# store-storm.sh SECONDS: a store under load is suspended, has its table replaced and is removed, its disk fails while PRAM
# is full, and discards come faster than anything else. Each time all data are looked at. Needs an NVDIMM and the host's
# files, for dmsetup.
#
# kernels: none; soak: all
# options: --nvdimm 128M --root host
# arguments: 15; soak stock: 60
# timeout: 1800
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/storepram.sh"
seconds=$1
blocks=16384		# 64 MiB
sectors=$((blocks * 8))
quarter=$((blocks / 4))
mib=2048		# in sectors

table() { echo "0 ${size:-$sectors} vstore /dev/mapper/disk /dev/mapper/pram $1"; }
create() { dmsetup create vs --table "$(table "$1")" 2>/tmp/said; }
said() { dmesg | tail -n 5 | grep -q "$1"; }
# pram_of MIB: another one, blank, and a disk that no store has sealed.
pram_of() {
	dd if=/dev/zero of=/dev/mapper/disk bs=4k count=1 oflag=direct conv=notrunc 2>/dev/null
	quiet dmsetup remove pram
	dmsetup create pram --table "0 $(($1 * mib)) linear /dev/pmem0 0" &&
		dd if=/dev/zero of=/dev/mapper/pram bs=1M count="$1" oflag=direct 2>/dev/null
}
# Four programs at a time, each on a quarter of the store, whose blocks it knows.
loads=
load_begin() { # [-e]
	loads=
	for part in 0 1 2 3; do
		"$here/storecheck" ${1:+"$1"} $vs $((part * quarter)) $quarter /tmp/state-$part 100000000 $((part + $(date +%s))) \
			>/tmp/load-$part 2>&1 &
		loads="$loads $!"
	done
}
load_is_right() {
	load_failed=0
	# shellcheck disable=SC2086	# a list
	kill $loads 2>/dev/null
	for load in $loads; do
		wait "$load" || load_failed=1
	done
	cat /tmp/load-?
	return $load_failed
}
# all_is_right DEVICE: everything that is known, as it lies there.
all_is_right() {
	for part in 0 1 2 3; do
		"$here/storecheck" "$1" $((part * quarter)) $quarter /tmp/state-$part 0 1 || return
	done
}
until_then() { # COMMAND...: again and again
	then=$(($(date +%s) + seconds))
	times=0
	while [ "$(date +%s)" -lt $then ]; do
		"$@" || return
		times=$((times + 1))
	done
}
forget() {
	rm -f /tmp/state-?
	dd if=/dev/zero of=$vs bs=1M oflag=direct 2>/dev/null
}

for module in loop dm-mod dm-flakey; do
	modprobe $module 2>/dev/null
done
check "load dm-vstore" modprobe dm-vstore
truncate -s $((blocks * 4096 + 4194304)) /tmp/store-disk
loop=$(losetup -f --show /tmp/store-disk)
good="0 $((sectors + 8192)) linear $loop 0"
dmsetup create disk --table "$good"
check "the NVDIMM has DAX" pmem_with_dax
pram_of 4

# Suspended and resumed, with a flush or without, and with another table.
check "create" create "3 format reads promote"
forget
load_begin
suspend_resume() {
	for flag in "" --noflush --nolockfs; do
		dmsetup suspend $flag vs && dmsetup resume vs || return
	done
}
check "suspend and resume under load" until_then suspend_resume
note "$((times * 3)) times"
reload() {
	for features in "4 policy random reads promote" "4 policy merging threshold 16384" "6 policy selective high_watermark 0 low_watermark 0"; do
		dmsetup load vs --table "$(table "$features")" && dmsetup suspend vs && dmsetup resume vs || return
	done
}
check "other tables under load" until_then reload
note "$((times * 3)) times; $(dmsetup status vs)"
abandon() {
	dmsetup load vs --table "$(table "2 policy random")" && dmsetup clear vs && flush
}
check "tables that are not used, and flushes" until_then abandon
check_data "nothing is lost by any of that" load_is_right

# A table of another size: none fits, but one for a disk that is whole, with which it is formatted anew.
size=$((sectors + 8192))
check "a larger table is refused" fails dmsetup load vs --table "$(table "0")"
check "with both sizes" sh -c "dmesg | grep refused: | tail -n 1 | grep -q 'of $sectors sectors, and the table has $size'"
check "also to be formatted, while it is in use" fails dmsetup load vs --table "$(table "1 format")"
check "flush" flush
check "and when it is whole" fails dmsetup load vs --table "$(table "1 format")"
size=$((sectors / 2))
check "a smaller one is refused, too" fails dmsetup load vs --table "$(table "1 format")"
check_data "which harms nothing" all_is_right $vs
size=$((sectors + 8192))
load_begin
sleep 2
check_data "nor what is written after that" load_is_right
check "flush" flush
dmsetup suspend vs
check "suspended, it can be formatted for a larger disk" dmsetup load vs --table "$(table "1 format")"
check "after which the table before is not resumed" sh -c "dmsetup clear vs && ! dmsetup resume vs 2>/dev/null"
check "and the larger one is" sh -c "dmsetup load vs --table '$(table "0")' && dmsetup resume vs"
check "which is larger" [ "$(blockdev --getsz $vs)" = $size ]
check_data "with everything there" all_is_right $vs
size=
dmsetup remove vs

# Removed under load: it is busy, or its users get errors; what was acknowledged is there.
pram_of 4
create "3 format policy merging"
forget
for force in 1 2 3; do
	load_begin -e
	sleep 3
	check "time $force: it is busy" fails dmsetup remove vs
	quiet dmsetup remove --force vs
	check_data "remove by force: no program read anything wrong" load_is_right
	quiet dmsetup remove --retry vs
	check "open again" create "2 policy merging"
	check_data "all that was acknowledged is there" all_is_right $vs
done
note "$(dmsetup status vs)"

# A disk that fails, now and then or for good, while PRAM is full.
flaky="0 $((sectors + 8192)) flakey $loop 0 1 1"
if modprobe dm-flakey 2>/dev/null; then
	load_begin -e
	replace_table disk "$flaky"
	sleep "$seconds"
	check "the disk failed" field_at_least errors 1
	replace_table disk "$good"
	check_data "a disk that fails every other second" load_is_right
	note "$(dmsetup status vs)"
	check "flush" flush
	check_data "all that is known is there" all_is_right $vs
fi
load_begin -e
sleep 2
replace_table disk "0 $((sectors + 8192)) error"
sleep "$seconds"
check "PRAM is full of what the disk does not take" field_at_most free 64
errors=$(field errors)
check "write-back tries" wait_for 20 field_at_least errors $((errors + 1))
check "flush fails" fails flush
check "it can be suspended and resumed nevertheless" suspend_resume
check_data "what PRAM has is read and written" load_is_right
replace_table disk "$good"
load_begin
sleep 3
check_data "it goes on when the disk does" load_is_right
check "flush" flush
check_data "all that is known is there" all_is_right $vs
load_begin -e
sleep 2
replace_table disk "0 $((sectors + 8192)) error"
sleep 2
check_data "it fails again" load_is_right
check "the disk was sealed before" field_is sealed 1
dmsetup remove --retry vs
check "a store whose disk fails is not opened" fails create "2 policy merging"
quiet dmsetup remove vs
replace_table disk "$good"
check "when it does not, it is" create "2 policy merging"
check_data "with all that was acknowledged" all_is_right $vs
dmsetup remove vs

# Discards of everything, of much and of little, at once and beside writers. What a discard leaves is not known: the model
# has no discards of others'. So the storm is over one half, and they write to the other.
pram_of 64
create "5 format policy selective high_watermark 100"
forget
dd if=/dev/urandom of=$vs bs=32k count=$((blocks / 2 / 8)) oflag=direct conv=notrunc 2>/dev/null
check "PRAM has much" field_at_least dirty $((blocks / 2 - 64))
began=$(uptime_ms)
check "half of the store is discarded at once" blkdiscard -l $((blocks / 2 * 4096)) $vs
note "$(($(uptime_ms) - began)) ms"
check "no discard is larger than 64 MiB" \
	[ "$(cat /sys/dev/block/"$(dmsetup info -c --noheadings -o major,minor vs)"/queue/discard_max_bytes)" -le 67108864 ]
storm() {
	while :; do
		blkdiscard -l $((blocks / 2 * 4096)) $vs
		for at in 1 5 9 200; do
			blkdiscard -o $((at * 40960)) -l $((at * 8192)) $vs
		done
		dd if=/dev/urandom of=$vs bs=16k count=20 seek=$((at % 90)) oflag=direct conv=notrunc
	done 2>/dev/null
}
storms=
for _ in 1 2 3; do
	storm &
	storms="$storms $!"
done
for part in 2 3; do
	"$here/storecheck" $vs $((part * quarter)) $quarter /tmp/state-$part 100000000 $part &
	eval "writer$part=$!"
done
sleep "$seconds"
check "suspended and resumed in it" suspend_resume
check "flush in it" flush
sleep "$seconds"
# shellcheck disable=SC2086	# a list
kill $storms $writer2 $writer3
check_data "nothing beside what was discarded is lost" wait $writer2
check_data "nor beyond" wait $writer3
wait
dmsetup remove --retry vs
check "open again" create "2 policy selective"
for part in 2 3; do
	check_data "it is there" "$here/storecheck" $vs $((part * quarter)) $quarter /tmp/state-$part 0 1
done
check "discard all" blkdiscard $vs
check "nothing is dirty" field_is dirty 0
check "but what is sealed" field_is sealed 1
check "flush" flush
check "remove" dmsetup remove --retry vs
check "unload" modprobe -r dm-vstore
done_testing
