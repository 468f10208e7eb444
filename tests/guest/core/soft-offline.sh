#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A RAS tool takes pages offline that a pool holds: they go out of use, as free pages of a kernel without the suite do, and no
# program gets them later; also while pools come and go.
#
# kernels: oldest newest; soak: all
. "$(dirname "$0")/ktap.sh"
soft=/sys/devices/system/memory/soft_offline_page
hard=/sys/devices/system/memory/hard_offline_page
is_poisoned() { [ "$(flag $1 19)" = 1 ]; }
offline() { printf 0x%x $(($1 * 4096)) >$2 2>/dev/null; }
# Of this range, pages that are marked as the suite's.
pool_frames() {
	dd if=/proc/kpageflags bs=8 skip=$first count=1024 2>/dev/null | od -An -v -tu8 -w8 |
		awk -v first=$first '{ if (int($1 / 8388608) % 2) print first + NR - 1 }' | head -"$1"
}

# 4 MiB, all of which are free: where these are, a boot does not say.
add_region() {
	for mib in $(seq 256 4 448); do
		echo "part ${mib}M-$((mib + 4))M" >$suite/regions/add
		[ "$(cat $suite/regions/part/free_pages)" -lt 1024 ] || break
		echo part >$suite/regions/remove
	done
	first=$((mib * 256))
	[ -d $suite/regions/part ]
}

# Somewhere in the 512 MiB from 512 MiB on, where the region is not.
behind=131072
free=$(dd if=/proc/kpageflags bs=8192 skip=$((behind / 1024)) count=128 2>/dev/null | od -An -v -tu8 -w8 |
	awk -v first=$behind '{ if (int($1 / 1024) % 2) { print first + NR - 1; exit } }')
offline "$free" $soft
check "a free page goes offline without the suite" is_poisoned "$free"
modprobe vipzone
add_region || { echo "no 4 MiB are free"; exit 1; }
echo 0 >$suite/regions/part/pool_kib
echo 1 >$suite/vipzone/enabled
sleep 1000 &
keeper=$!
echo "$keeper region:part" >$suite/vipzone/add
takes_block() { sh -c "echo \$\$ region:part >$suite/vipzone/add; exec $here/touch 10"; }
# This takes a block from its end on: the rest, which is not prepared yet, stays with its CPU until others want it. A frame
# amid many of this region that the kernel knows nothing of.
has_at_hand() {
	takes_block
	frame=$(dd if=/proc/kpageflags bs=8 skip=$first count=1024 2>/dev/null | od -An -v -tu8 -w8 |
		awk -v first=$first '{ run = $1 == 0 ? run + 1 : 0 } run == 64 { print first + NR - 32; exit }')
	[ -n "$frame" ]
}
check "a CPU has frames at hand that the kernel does not know" wait_for 20 has_at_hand
offline $frame $soft
check "one of them goes offline" is_poisoned $frame
takes_block
# The CPU gives back what nobody asks it for.
echo 4096 >$suite/regions/part/pool_kib
has_marked() { [ "$(pool_frames 200 | wc -l)" = 200 ]; }
check "the pool has pages" wait_for 20 has_marked
before=$(pool_frames 1024 | wc -l)
offline $(pool_frames 100 | tail -1) $soft
after=$(pool_frames 1024 | wc -l)
check "one of them goes offline, the others stay: $after of $before" [ $((before - after)) -le 1 ]
echo "$$ region:part children" >$suite/vipzone/add
pool_frames 48 >/tmp/frames
n=0 refused=0
while read -r frame; do
	n=$((n + 1))
	offline $frame $soft || refused=$((refused + 1))
done </tmp/frames
check "pages of a pool go offline: $n" [ "$n" -gt 20 -a $refused = 0 ]
marked=0
while read -r frame; do is_poisoned $frame && marked=$((marked + 1)); done </tmp/frames
check "and are marked" [ $marked = $n ]
check "the pool is filled again" wait_for 20 has_marked
modprobe af_packet 2>/dev/null
check "a page of the kernel's that a program has mapped stays its own" "$here/ring"
pool_frames 8 >/tmp/hard
while read -r frame; do offline $frame $hard; done </tmp/hard
"$here/touch" 900 --range $((first * 4096)) $(((first + 1024) * 4096)) >/tmp/touched
note "$(cat /tmp/touched)"
bad=0
while read -r frame; do is_poisoned $frame || bad=$((bad + 1)); done <<END
$(cat /tmp/frames /tmp/hard)
END
check "programs got none of them, nor of what fell to a hard error" [ $bad = 0 ]

# The pool has all there is, so its thread rests. Programs that come and go take of it and free, until a fault finds a large
# block: the thread does not rest for two seconds then. That may be late in a round.
rounds=0
for _ in 1 2 3 4 5; do
	sleep 4
	filled=$(cat $suite/regions/part/pool_filled_pages)
	began=$(uptime_ms)
	for _ in $(seq 80); do takes_block >/dev/null; done
	note "$(($(cat $suite/regions/part/pool_filled_pages) - filled)) pages are filled in $(($(uptime_ms) - began)) ms"
	at_least $suite/regions/part/pool_filled_pages $((filled + 128)) && rounds=$((rounds + 1))
done
check "a pool is filled while programs come and go" [ $rounds -ge 3 ]
kill $keeper

# Pools come and go while pages are taken offline elsewhere.
(
	frame=117760
	while [ $frame -lt 118784 ]; do
		offline $frame $soft
		frame=$((frame + 1))
	done
) &
offliner=$!
for _ in 1 2 3 4 5 6 7 8; do
	echo 0 >$suite/vipzone/enabled
	rmmod vipzone memsuite
	modprobe vipzone
	echo "$$ children" >$suite/vipzone/add 2>/dev/null || echo "$$ region:node0 children" >$suite/vipzone/add
	echo 1 >$suite/vipzone/enabled
	"$here/touch" 10
done
kill $offliner
wait $offliner 2>/dev/null
check "unloaded beside it" rmmod vipzone memsuite
"$here/touch" 2000 --rounds 2 >/tmp/touched
check "programs run as ever" grep -q pages /tmp/touched
done_testing
