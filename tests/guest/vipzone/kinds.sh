#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kinds.sh PAGES [balanced]: of each kind of memory that a program may have, 99.9% of the pages are where its policy
# says, as its pagemap tells from outside, and counted: shared memory of all kinds, tmpfs, private copies of these, and
# what is pinned. A NUMA policy of a file goes before. What was there before the policy is moved when that is asked.
#
# kernels: oldest newest; soak: all
# options: --numa 512M,cpus=0-1 --numa 512M
# arguments: 4096; 6.12+: 4096 balanced
. "$(dirname "$0")/ktap.sh"
pages=${1:-4096} balanced=$2
zone=$suite/vipzone

mkdir -p /dev/shm && mount -t tmpfs shm /dev/shm || exit 1
modprobe vipzone || exit 1
echo "range 256M-384M" >$suite/regions/add || exit 1
echo 1 >$zone/enabled || exit 1

begin() { # KIND
	rm -f /tmp/go /tmp/at
	"$here/kinds" "$1" "$pages" /tmp/go >/tmp/at &
	pid=$!
}
let_go() {
	: >/tmp/go
	wait_for 60 [ -s /tmp/at ]
}
look() { # START END
	# shellcheck disable=SC2046
	set -- $("$here/placement" where $pid "$(cat /tmp/at)" "$pages" "$1" "$2")
	present=$2 in=$4
}
counted() { # FILE...: of the policy
	(cd "$(dirname "$(grep -lx $pid $zone/policies/*/who)")" && cat "$@") | awk '{ sum += $1 } END { print sum }'
}
end() {
	kill $pid
	wait $pid 2>/dev/null
}
mostly_in() { [ "$present" = "$pages" ] && [ $((in * 1000)) -ge $((present * 999)) ]; }
none_in() { [ "$present" = "$pages" ] && [ $((in * 100)) -le "$present" ]; }
counts() { # FILE
	[ "$(counted "$1")" -ge $((pages * 999 / 1000)) ] && [ "$(counted "$1")" -le $((pages + 512)) ]
}

placed() { # KIND REGION START END FILE
	begin "$1"
	echo "$pid region:$2" >$zone/add || exit 1
	let_go
	look "$3" "$4"
	note "$1, $2: $in of $present; shared $(counted shared_pages), mmap $(counted mmap_pages), file $(counted file_pages)," \
		"left for a policy $(counted fallback_policy), for the context $(counted fallback_context)," \
		"empty $(counted fallback_empty), huge $(counted fallback_huge)"
	check "$1: in $2" mostly_in
	check "$1: counted in $2" counts "$5"
	end
}
for kind in shared populate memfd posix sysv tmpfs; do
	placed $kind range 0x10000000 0x18000000 shared_pages
	placed $kind node1 0x20000000 0x40000000 shared_pages
done
for kind in private-tmpfs private-memfd; do
	placed $kind range 0x10000000 0x18000000 file_pages
	placed $kind node1 0x20000000 0x40000000 file_pages
done
# Only nodes have huge pages set aside, and memory that need not be movable.
set_aside() { # PAGES: on each node
	for node in 0 1; do
		echo $(($1 / 512)) >/sys/devices/system/node/node$node/hugepages/hugepages-2048kB/nr_hugepages
	done
}
set_aside "$pages"
for kind in hugetlb hugetlb-memfd; do
	placed $kind node1 0x20000000 0x40000000 shared_pages
done
placed hugetlb-private node1 0x20000000 0x40000000 mmap_pages
set_aside 0
placed pinned node1 0x20000000 0x40000000 mmap_pages

# NUMA balancing would bring it to where its program runs; kernels before 6.12 do not look at shared memory.
hint_faults() { awk '$1 == "numa_hint_faults" { print $2 }' /proc/vmstat; }
hint_faults_reach() { [ "$(hint_faults)" -ge "$1" ]; }
begin busy
echo "$pid segment:shared=node1,*=node0" >$zone/add
before=$(hint_faults)
let_go
[ -z "$balanced" ] || check "NUMA balancing looks at all of it" wait_for 60 hint_faults_reach $((before + pages))
sleep 5
look 0x20000000 0x40000000
note "$in of $present are in after $(($(hint_faults) - before)) faults of NUMA balancing"
check "NUMA balancing leaves shared memory where it is" mostly_in
end

begin bound
echo "$pid region:node1" >$zone/add
let_go
look 0x20000000 0x40000000
check "what mbind() says goes before" none_in
check "and is counted" [ "$(counted fallback_policy)" -ge "$pages" ]
end

# Under no policy first; then moved, mapped by another process as well.
begin shared
let_go
look 0x20000000 0x40000000
check "without a policy it is elsewhere" none_in
echo "$pid segment:shared=node1" >$zone/add
echo $pid >$zone/move
look 0x20000000 0x40000000
note "moved: $in of $present are in"
check "what is there is moved when asked" mostly_in
end

begin memfd
echo "$pid segment:heap=node1" >$zone/add
let_go
look 0x20000000 0x40000000
check "a policy that is not for it leaves it" none_in
check "and counts nothing" [ "$(counted shared_pages)" = 0 ]
end
echo 0 >$zone/enabled
check "the hook is taken away" equals $suite/hooks/shmem.alloc/state off
check "unload" rmmod vipzone memsuite
done_testing
