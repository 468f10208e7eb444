#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# weights.sh [PAGES]: regions that share pages by weight have their shares, within 1%, as the pagemap tells from outside:
# of small pages, huge ones, shared memory and hugetlbfs; of what a child or another program of a process has; and of
# what was there before, once it is moved, after which there is nothing left to move. Where a region is full the others
# have its pages, and who is under another policy, or none, is left alone.
#
# kernels: newest; soak: stock
# options: --numa 512M,cpus=0-1 --numa 512M
# arguments: 16384; debug: 8192
. "$(dirname "$0")/ktap.sh"
pages=${1:-16384}
before=512 # what programs have before they are under a policy, about, and is moved with the rest
zone=$suite/vipzone
regions=$suite/regions
node1="0x20000000 0x40000000"

modprobe vipzone || exit 1
[ ! -e /proc/sys/kernel/numa_balancing ] || echo 0 >/proc/sys/kernel/numa_balancing
khugepaged_rests
mkdir -p /dev/shm && mount -t tmpfs shm /dev/shm || exit 1
echo "near 256M-384M" >$regions/add || exit 1
echo "far 640M-768M" >$regions/add || exit 1
echo "small 800M-804M" >$regions/add || exit 1
echo 1 >$zone/enabled || exit 1

policy_of() { # WHO: its directory
	grep -lx "$1" $zone/policies/*/who 2>/dev/null | sed 's,/who,,'
}
count() { # FILE: of the policy of the process
	cat "$(policy_of $pid)/$1"
}
begin() { # KIND [POLICY]: a process that waits; sets pid. "placement" has memory of its own, what else there is is in kinds.c
	rm -f /tmp/go /tmp/at
	case $1 in
	own) "$here/placement" hold "$pages" /tmp/go ;;
	huge) "$here/placement" hold "$pages" /tmp/go --huge ;;
	*) "$here/kinds" "$1" "$pages" /tmp/go ;;
	esac >/tmp/at &
	pid=$!
	[ -z "$2" ] || echo "$pid $2" >$zone/add
}
let_go() {
	: >/tmp/go
	wait_for 60 [ -s /tmp/at ]
}
end() {
	kill $pid
	wait $pid 2>/dev/null
}
inside() { # RANGE...: sets found, how many of its pages lie there, and huge, how many are in huge pages
	# shellcheck disable=SC2046
	set -- $("$here/placement" where "$pid" "$(cat /tmp/at)" "$pages" "$@")
	found=$4 huge=$6
	[ "$2" = "$pages" ]
}
# Within 1% of all pages.
has() { # SHARE OF RANGE...
	share=$1 of=$2
	shift 2
	inside "$@" || return 1
	note "$found of $pages in $*, for $share in $of"
	between "$found" $(((pages * share / of) - pages / 100)) $(((pages * share / of) + pages / 100))
}
answers() { # TEXT ERRNO
	answer=$("$here/poke" $zone/add "literal:$1")
	[ "$answer" = "$2" ] || { note "$1: $answer"; false; }
}

# What is wrong changes nothing.
begin own region:node0=3+node1=1
for text in node0=0+node1=1 node0=256+node1=1 node0=-1+node1=1; do
	case $text in *-*) wants=EINVAL ;; *) wants=ERANGE ;; esac
	check "$text: no weight" answers "$pid region:$text" $wants
done
for text in node0=3 node0=3+node1 node0+node1=1 node0=+node1=1 node0=1+node0=2 node0=x+node1=1 node0=1=2+node1=1; do
	check "$text: nothing to share" answers "$pid region:$text" EINVAL
done
check "no such region" answers "$pid region:node0=1+node9=1" ENOENT
for text in "region:node0=3+node1=1 heat" "region:node0=3+node1=1 wear" low-power-first:node0=3+node1=1 \
	"bank:percpu=node0=3+node1=1"; do
	check "not with weights: $text" answers "$pid $text" EINVAL
done
check "the policy is as before" equals "$(policy_of $pid)/policy" region:node0=3+node1=1
let_go
check "own memory: a quarter in node1" has 1 4 $node1
check "all was placed" [ "$(count mmap_pages)" -ge "$pages" ]
check "each page at its turn" [ "$(count next_pages)" -le $((pages / 100)) ]
end

placed() { # KIND WHAT
	begin "$1" region:node0=3+node1=1
	let_go
	check "$2: a quarter in node1" has 1 4 $node1
	[ "$1" != huge ] || check "$2: they are huge" [ "$huge" -ge $((pages * 9 / 10)) ]
	end
}
placed huge "huge pages"
for kind in shared memfd tmpfs private-memfd; do
	placed $kind "$kind"
done
for node in 0 1; do
	echo $((pages / 512)) >/sys/devices/system/node/node$node/hugepages/hugepages-2048kB/nr_hugepages
done
placed hugetlb hugetlbfs
for node in 0 1; do
	echo 0 >/sys/devices/system/node/node$node/hugepages/hugepages-2048kB/nr_hugepages
done

# Three regions, two of which are no nodes; each segment by itself.
begin own segment:heap=near=5+far=2+node0=1,*=node0
let_go
check "ranges: five eighths in the first" has 5 8 0x10000000 0x18000000
check "ranges: a quarter in the second" has 2 8 0x28000000 0x30000000
end
begin shared segment:heap=node0,shared=far=255+near=1
let_go
check "ranges: all but one in 256 of shared memory" has 255 256 0x28000000 0x30000000
end

# A program that a child of a process executes.
rm -f /tmp/go /tmp/at
sh -c 'until [ -e /tmp/go ]; do sleep 0.1; done
       "$1" hold "$2" /tmp/go >/tmp/at & echo $! >/tmp/child; wait' sh "$here/placement" "$pages" &
parent=$!
echo "$parent region:node0=1+node1=1 children" >$zone/add
let_go
pid=$(cat /tmp/child)
check "a child: half in node1" has 1 2 $node1
kill "$pid" $parent
wait $parent 2>/dev/null

# A region of 4 MiB; there is room in the other one.
begin own region:small=1+near=1
let_go
inside 0x32000000 0x32400000
in_small=$found
# But for a batch of 128 that each of two processors may keep at hand.
check "a full region has all that it can" between "$in_small" $((1024 - 2 * 128)) 1024
inside 0x10000000 0x18000000
check "the other one has the rest" [ $((in_small + found)) -ge $((pages * 99 / 100)) ]
check "they are counted" between "$(count next_pages)" $((pages / 2 - 1024 - pages / 100)) $((pages / 2))
check "and none was left to the kernel" [ "$(count fallback_empty)" -le $((pages / 100)) ]
# What the pools keep for a CPU that is not the program's is had by a move alone.
echo $pid >$zone/move
moved=$(count moved_pages)
inside 0x32000000 0x32400000
note "it had $in_small of them, and has $found after a move of $moved"
check "a move fills it up" between "$found" "$in_small" 1024
check "and no more" between "$moved" 0 $((found - in_small + before))
echo $pid >$zone/move
check "another one moves none" equals "$(policy_of $pid)/moved_pages" "$moved"
check "which finds it full" [ "$(count unmoved_full_pages)" -ge $((pages / 2 - 1024 - pages / 100)) ]
end

# Neighbours: one under another policy, and one under none.
begin own region:node0=1+node1=1
with=$pid
mv /tmp/at /tmp/at.with
begin own region:node1
other=$pid
mv /tmp/at /tmp/at.other
begin own
mv /tmp/at /tmp/at.none
: >/tmp/go
: >/tmp/at
for who in with other none; do wait_for 60 [ -s /tmp/at.$who ]; done
none=$pid
for who in "with 1" "other 2" "none 0"; do
	# shellcheck disable=SC2086
	set -- $who
	eval "pid=\$$1"
	cp "/tmp/at.$1" /tmp/at
	check "side by side, $1: $2 of 2 in node1" has "$2" 2 $node1
done
kill "$with" "$other" "$none"
wait "$with" "$other" "$none" 2>/dev/null

# What was there before.
is_moved_once() { # WHAT
	check "$1: before, none is in node1" has 0 4 $node1
	echo "$pid region:node0=3+node1=1" >$zone/add
	echo $pid >$zone/move
	check "$1, moved: a quarter in node1" has 1 4 $node1
	moved=$(count moved_pages)
	check "$1: no more was moved" between "$moved" $((pages / 4 - pages / 100)) $((pages / 4 + before))
	echo $pid >$zone/move
	check "$1: nothing is left to move" equals "$(policy_of $pid)/moved_pages" "$moved"
	[ "$1" != huge ] || check "huge pages stay huge" [ "$huge" -ge $((pages * 9 / 10)) ]
}
for kind in own huge shared; do
	begin $kind
	let_go
	is_moved_once "$kind"
	end
done
# All of it comes from elsewhere, and is shared out at once.
begin own region:node0
let_go
echo "$pid region:far=3+near=1" >$zone/add
echo $pid >$zone/move
check "from elsewhere: three quarters" has 3 4 0x28000000 0x30000000
check "from elsewhere: a quarter" has 1 4 0x10000000 0x18000000
# Back by what the audit repairs.
echo "$pid region:far=1+near=3" >$zone/add
echo 1048576 >$zone/audit/quota_kib_s
echo 1000000 >$zone/audit/sample_pages
echo 20 >$zone/audit/interval_ms
shared_out() { has 1 4 0x28000000 0x30000000 >/dev/null; }
check "the audit brings pages to their shares" wait_for 60 shared_out
is_quiet() {
	moved=$(count moved_pages)
	sleep 2
	[ "$(count moved_pages)" = "$moved" ]
}
check "and then moves none" wait_for 60 is_quiet
echo 0 >$zone/audit/interval_ms
end

# Contents of what is moved from shares to shares, while they are written.
"$here/keep" $((pages / 4)) >/tmp/out &
pid=$!
wait_for 60 grep -q ready /tmp/out
for weights in 1=9 9=1 1=1; do
	echo "$pid region:node0=${weights%=*}+node1=${weights#*=}" >$zone/add
	echo $pid >$zone/move
done
kill -TERM $pid
check_data "contents are intact" wait $pid
note "$(tail -n 1 /tmp/out)"

begin own region:node0=3+node1=1
let_go
check "unload" rmmod vipzone memsuite
end
done_testing
