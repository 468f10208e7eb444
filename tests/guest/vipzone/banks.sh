#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# banks.sh [PAGES]: regions that are sets of banks: at least 99.9% of a steered
# process's pages lie in its banks, read from outside. Maps of parity masks and of
# interleaving; bad input; the random order; unload under load.
#
# boot: shared
# kernels: newest; soak: all
# arguments: 6000; debug: 2000
. "$(dirname "$0")/ktap.sh"
pages=${1:-6000}
maps=$suite/bank_maps
regions=$suite/regions
zone=$suite/vipzone
xor=xor=0x24000,0x48000,0x90000
paper=interleave=64x3,12Kx8,3Mx4

modprobe vipzone || exit 1
answers() { # FILE TEXT ERRNO
	answer=$("$here/poke" "$1" "literal:$2")
	[ "$answer" = "$3" ] || { note "$1 $2: $answer"; false; }
}
check "the solver of the bank tool, on simulated memory" sh -c "$here/bankmap >/tmp/solver"
grep "^not ok" /tmp/solver | sed 's/^/# /'
check "a map of masks" answers $maps/add "xor $xor" ok
check "reads as written" equals $maps/xor/map "$xor"
check "its banks" equals $maps/xor/banks 8
check "the map of paper 004" answers $maps/add "paper $paper" ok
check "its banks are 8 of 4 ranks" equals $maps/paper/banks 32
check "three banks a frame" equals $maps/paper/banks_a_frame 3
check "three frames a row" equals $maps/paper/row_frames 3
check "of bits in the page, nothing remains" answers $maps/add "no xor=0x40,0x2080" EOPNOTSUPP
check "and the log says why" sh -c "dmesg | grep -q 'bank map no: no two page frames lie in different banks'"
check "dependent masks" answers $maps/add "no xor=0x1000,0x2000,0x3000" EINVAL
check "a name twice" answers $maps/add "xor $xor" EEXIST
check "a map is no file" answers $maps/add "add $xor" EEXIST
check "no map was made of that" [ "$(ls $maps | wc -l)" = 4 ]

check "a set of banks" answers $regions/add "low 256M-768M map=xor banks=0-1,4" ok
check "its banks read as written" equals $regions/low/banks 0-1,4
check "and its map" equals $regions/low/map xor
check "its share of the range" equals $regions/low/total_pages $((512 * 256 * 3 / 8))
check "the other banks" answers $regions/add "high 256M-768M map=xor banks=2-3,5-7" ok
check "one rank of the paper's machine" answers $regions/add "rank1 256M-768M map=paper banks=8-15" ok
check "no such map" answers $regions/add "a 256M-768M map=nothing banks=0" ENOENT
check "no such bank" answers $regions/add "a 256M-768M map=xor banks=8" ERANGE
check "banks of no map" answers $regions/add "a 256M-768M banks=0" EINVAL
check "a map that is in use" answers $maps/remove xor EBUSY
check "no map of this name" answers $maps/remove nothing ENOENT
free=$(cat $regions/low/free_pages)
note "free: $free of $(cat $regions/low/total_pages)"
check "free pages are of these banks" [ "$free" -le "$(cat $regions/low/total_pages)" ]

# started POLICY [CPU [REGION]]: a process that has its pages by the policy, if there
# is one, once the pool of the region has as many; sets pid, at.
started() {
	rm -f /tmp/go /tmp/at
	"$here/banks" hold "$pages" /tmp/go $2 >/tmp/at &
	pid=$!
	[ -z "$1" ] || echo "$pid $1" >$zone/add || return 1
	if [ -n "$3" ]; then
		wait_for 60 at_least "$regions/$3/pool_pages" "$pages" || return 1
	else
		sleep 0.5
	fi
	: >/tmp/go
	wait_for 20 [ -s /tmp/at ]
	at=$(cat /tmp/at)
}
ended() {
	kill $pid
	wait $pid 2>/dev/null
}
# What "banks where" says; 999 of 1000 and no page is missing.
placed() { # MAP BANKS...
	map=$1
	shift
	# shellcheck disable=SC2046
	set -- $("$here/banks" where $pid "$at" "$pages" "$map" "$@")
	note "$1 pages, $2 in the banks, $3 beside the one before"
	successive=$3
	[ "$1" = "$pages" ] && [ $(($2 * 1000)) -ge $(($1 * 999)) ]
}
counted() { # REGION
	for file in pool_handed_pages pool_bare_pages pool_misses pool_filled_pages pool_foreign_pages pool_passed_pages; do
		echo "# $1/$file $(cat $regions/$1/$file)"
	done
}

echo 1 >$zone/enabled || exit 1
started region:low
check "3 of 8 banks" placed "$xor" 0-1 4
counted low
check "frames of other banks were counted" at_least $regions/low/pool_foreign_pages 1
ended
started region:rank1
check "8 of 32 banks, 12 KiB in each" placed "$paper" 8-15
counted rank1
ended
started region:low+high
check "all, in the order of preference" placed "$xor" 0-1 4
ended
echo 16384 >$regions/low/pool_kib
echo 16384 >$regions/high/pool_kib
started region:high
check "5 of 8 banks" placed "$xor" 2-3 5-7
counted high
ended

# Each CPU, process or cgroup has banks of its own.
echo "machine bank:percpu=low|high" >$zone/add
started "" 0
check "the first CPU's banks" placed "$xor" 0-1 4
counted low
ended
started "" 1
check "the second CPU's banks" placed "$xor" 2-3 5-7
counted high
ended
echo "machine bank:perprocess=low|high" >$zone/add
started ""
# shellcheck disable=SC2046
check "a process's banks" placed "$xor" $([ $((pid % 2)) = 0 ] && echo 0-1 4 || echo 2-3 5-7)
counted low
counted high
ended
echo "machine bank:percgroup=low|high" >$zone/add
mkdir /tmp/cgroup && mount -t cgroup2 none /tmp/cgroup && mkdir /tmp/cgroup/one || exit 1
echo $$ >/tmp/cgroup/one/cgroup.procs
# Its number is that of its directory.
even=$(ls -di /tmp/cgroup/one | awk '{ print $1 % 2 == 0 }')
started ""
# shellcheck disable=SC2046
check "a cgroup's banks" placed "$xor" $([ "$even" = 1 ] && echo 0-1 4 || echo 2-3 5-7)
ended
echo "machine bank:percgroup=high|low" >$zone/add
started ""
# shellcheck disable=SC2046
check "and the other ones" placed "$xor" $([ "$even" = 1 ] && echo 2-3 5-7 || echo 0-1 4)
ended
echo $$ >/tmp/cgroup/cgroup.procs
echo "machine bank:random=low|high" >$zone/add
started ""
check "any banks" placed "$xor" 0-7
check "both regions" [ "$("$here/banks" where $pid "$at" "$pages" "$xor" 0-1 4 | cut -d' ' -f2)" -gt $((pages / 3)) ]
ended
check "reads as written" grep -qx "bank:random=low|high" $zone/policies/*/policy
echo machine >$zone/remove
check "unknown spread" answers $zone/add "machine bank:perthread=low|high" EINVAL
check "a region in two lists" answers $zone/add "machine bank:percpu=low|low" EINVAL

# 3 MiB of frames in a random order, those of a row together. What a CPU takes by
# itself, since the pool is empty, comes in its own order.
echo 32768 >$regions/rank1/pool_kib
echo 3072 >$regions/rank1/container_kib
started region:rank1 0 rank1
check "in the banks, in a random order" placed "$paper" 8-15
check "of which two of three follow the one before" \
	sh -c "[ $successive -gt $((pages * 6 / 10)) ] && [ $successive -lt $((pages * 7 / 10)) ]"
ended
echo 32768 >$regions/low/pool_kib
echo 3072 >$regions/low/container_kib
started region:low 0 low
check "and of masks" placed "$xor" 0-1 4
check "with rows of four frames" sh -c "[ $successive -gt $((pages * 7 / 10)) ] && [ $successive -lt $((pages * 8 / 10)) ]"
ended
check "too large a container" answers $regions/low/container_kib 16385 ERANGE

echo "machine bank:percpu=low|high" >$zone/add
"$here/touch" 4000 --rounds 1000 >/dev/null &
allocates=$!
"$here/touch" 3000 --rounds 1000 >/dev/null &
also=$!
sleep 2
check "nobody starves" sh -c "kill -0 $allocates && kill -0 $also"
counted low
counted high
# Pools that are there at the same time share the blocks that they cut.
check "what one pool does not want, the other gets" [ $(($(cat $regions/low/pool_passed_pages) +
	$(cat $regions/high/pool_passed_pages))) -gt 0 ]
check "unload under load" rmmod vipzone
kill $allocates $also
wait $allocates $also 2>/dev/null
check "nothing is held" equals $suite/pages/held_pages 0
check "remove a region" answers $regions/remove low ok
check "and the other" answers $regions/remove high ok
check "not a map that is in use" answers $maps/remove paper EBUSY
check "but one that is not" answers $maps/remove xor ok
check "unload the core" rmmod memsuite
done_testing
