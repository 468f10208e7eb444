#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# placement.sh [PAGES]: of the eligible pages of a steered process, 99.9% are in its region, as its pagemap tells from
# outside; what is not is counted with a reason, the counts add up, and exceptions are 1% at most. For a node, a range
# of one (a DIMM) and a set of banks, pages of 4 KiB and huge ones, each with an empty pool and with a full one. A node
# that is full makes the next region of the list give, and nobody reclaims. The machine has two nodes, the second one
# from 768M on.
#
# kernels: newest; soak: all
# options: --numa 768M,cpus=0-1 --numa 512M
# arguments: 16384; debug: 4096
. "$(dirname "$0")/ktap.sh"
pages=${1:-16384}
zone=$suite/vipzone

modprobe vipzone || exit 1
echo "range 256M-512M" >$suite/regions/add || exit 1
echo "map xor=0x24000,0x48000" >$suite/bank_maps/add || exit 1
echo "bank 256M-768M map=map banks=2" >$suite/regions/add || exit 1
# Bank 2 of the four, bit by bit.
parities="0x24000:0 0x48000:1"
echo 1 >$zone/enabled || exit 1

sum() { # FILE...: of the numbers in them
	cat "$@" | awk '{ sum += $1 } END { print sum }'
}
# Holds memory under the policy; sets what the pagemap and the policy say of it.
held() { # REGION START END [--huge [MASK:PARITY...]]
	region=$1 start=$2 end=$3 advice=$4
	shift $(($# < 4 ? 3 : 4))
	rm -f /tmp/go /tmp/at
	"$here/placement" hold "$pages" /tmp/go $advice >/tmp/at &
	pid=$!
	echo "$pid region:$region" >$zone/add || return 1
	: >/tmp/go
	wait_for 30 [ -s /tmp/at ]
	# shellcheck disable=SC2046
	set -- $("$here/placement" where $pid "$(cat /tmp/at)" "$pages" "$start" "$end" "$@")
	present=$2 in=$4 huge=$6
	policy=$(dirname "$(grep -lx $pid $zone/policies/*/who)")
	given=$(sum $policy/text_pages $policy/data_pages $policy/bss_pages $policy/heap_pages $policy/stack_pages \
		$policy/mmap_pages $policy/file_pages $policy/cache_pages)
	mmap=$(cat $policy/mmap_pages) next=$(cat $policy/next_pages)
	ready=$(cat $suite/regions/node1/pool_pages)
	# A huge page that is refused comes again as small ones, which are counted.
	refused=$(sum $policy/fallback_empty $policy/fallback_policy $policy/fallback_cpuset $policy/fallback_context)
	note "of $present pages $in are in the region, $huge in huge pages; given $given, of them $mmap mmap; refused $refused"
	kill $pid
	wait $pid 2>/dev/null
}
all_there() { [ "$present" = "$pages" ]; }
placed() { [ $((in * 1000)) -ge $(((present - refused) * 999)) ]; }
few_exceptions() { [ $((refused * 100)) -le "$present" ]; }
# What the policy gave for this memory, and what it refused, is all of it; the kernel's own share of the counts, as a
# page table's, is nothing.
adds_up() { [ $((mmap + refused)) -ge "$present" ] && [ "$mmap" -le $((present + 64)) ]; }

judged() { # NAME
	check "$1: all pages are in memory" all_there
	check "$1: 99.9% of the eligible ones in the region" placed
	check "$1: 1% exceptions at most" few_exceptions
	check "$1: the counts add up" adds_up
}
for state in "empty pool" "full pool"; do
	held range 0x10000000 0x20000000
	judged "range, $state"
	held range 0x10000000 0x20000000 --huge
	judged "range, huge pages, $state"
	check "range, huge pages, $state: they are huge" [ "$huge" -ge $((pages / 2)) ]
	held node1 0x30000000 0x60000000
	judged "node, $state"
	held node1 0x30000000 0x60000000 --huge
	judged "node, huge pages, $state"
	check "node, huge pages, $state: they are huge" [ "$huge" -ge $((pages / 2)) ]
	# shellcheck disable=SC2086
	held bank 0x10000000 0x30000000 "" $parities
	judged "bank, $state"
	# One has all four banks: small ones come instead.
	# shellcheck disable=SC2086
	held bank 0x10000000 0x30000000 --huge $parities
	judged "bank, huge pages, $state"
	check "bank, huge pages, $state: none is huge" [ "$huge" = 0 ]
	# Somebody wants the region from now on.
	[ "$state" = "full pool" ] || {
		sleep 1000 &
		other=$!
		echo "$other region:range+bank" >$zone/add
		check "pools are filled" wait_for 30 at_least $suite/regions/bank/pool_pages 1024
		sleep 5
	}
done
kill $other

# More than node 1 has.
free_of() { # NODE: pages, those of its pool among them
	echo $(($(awk '/MemFree/ { print $4 / 4 }' "/sys/devices/system/node/node$1/meminfo") +
		$(cat "$suite/regions/node$1/pool_pages")))
}
high_of() { # NODE: pages below which the kernel reclaims: a region gives none of these
	awk -v node="$1," '$1 == "Node" { here = $2 == node } here && $1 == "high" { sum += $2 } END { print sum }' \
		/proc/zoneinfo
}
reclaims() { # how often kswapd and others have begun
	awk '/^pageoutrun|^allocstall/ { sum += $2 } END { print sum }' /proc/vmstat
}
overflows() { # NAME [--huge]
	room=$(free_of 1)
	pages=$((room + 8192))
	room=$((room - $(high_of 1)))
	before=$(reclaims)
	held node1+node0 0x30000000 0x60000000 $2
	after=$(reclaims)
	note "node 1 had $room pages to give; $ready are ready in its pool; $next came from the next region; reclaim $before, then $after"
	check "full node, $1: all pages are in memory" all_there
	# What its pool keeps ready is in small pages, and so are the ends of what is no huge page.
	check "full node, $1: it is filled" [ $(((in + ready) * 100)) -ge $((room * 95)) ]
	check "full node, $1: the rest comes from the next region" [ "$next" -ge $((present - in - 256)) ]
	check "full node, $1: which is counted" [ "$next" -le $((present - in + 256)) ]
	check "full node, $1: 1% exceptions at most" few_exceptions
	check "full node, $1: the counts add up" adds_up
	check "full node, $1: nobody reclaims" [ "$after" = "$before" ]
}
overflows "small pages"
overflows "huge pages" --huge
check "unload" rmmod vipzone memsuite
done_testing
