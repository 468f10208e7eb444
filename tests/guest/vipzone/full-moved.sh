#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Moving to a region that is full, of 1 GiB: that there is nothing is found without looking at each of its frames, for each
# process anew; and what is freed there is found. The guest's clock counts instructions.
#
# kernels: newest; soak: stock
# options: --icount --mem 2G --smp 1
# timeout: 900
. "$(dirname "$0")/ktap.sh"
region=$suite/regions/full

modprobe vipzone || exit 1
echo "elsewhere 64M-512M" >$suite/regions/add || exit 1
echo "full 512M-1536M" >$suite/regions/add || exit 1
echo 1 >$suite/vipzone/enabled || exit 1
# started REGION PAGES END: a process with so many pages of the region, until the file END appears. Sets pid.
started() {
	rm -f /tmp/out
	sh -c 'echo "$$ region:$2" >$1/add; exec "$3" "$4" --until "$5" >/tmp/out' sh $suite/vipzone "$1" "$here/touch" "$2" "$3" &
	pid=$!
	wait_for 200 [ -s /tmp/out ]
}
moved_pages() { cat $suite/vipzone/policies/*/moved_pages | awk '{ sum += $1 } END { print sum }'; }
filled() { [ "$(cat $region/free_pages)" -le 512 ]; }
# The time that a shell takes for it.
move_us() { # PID
	sh -c 'echo "$1" >"$2"; awk "{ print int(\$1 / 1000) }" /proc/$$/schedstat' sh "$1" $suite/vipzone/move 2>/dev/null
}

started elsewhere 500 /tmp/end
one=$pid
started elsewhere 500 /tmp/end
other=$pid
started full 262144 /tmp/freed
holder=$pid
check "the region is full" filled
note "$(cat $region/free_pages) pages are free"
for process in $one $other; do
	echo "$process region:full" >$suite/vipzone/add
done
move_us $one >/dev/null # what comes first
first=$(move_us $one) second=$(move_us $other)
note "in vain: $first us, and $second us for another process"
check "nothing is moved" [ "$(moved_pages)" -lt 100 ]
check "it is found soon" [ "$first" -lt 3000 ]
check "also for another process" [ "$second" -lt 3000 ]
: >/tmp/freed
wait $holder
moved() {
	move_us $one >/dev/null
	[ "$(moved_pages)" -ge 500 ]
}
check "what is freed is found" wait_for 20 moved
: >/tmp/end
wait $one $other
check "unload" rmmod vipzone memsuite
done_testing
