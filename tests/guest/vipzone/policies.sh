#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Policies: each segment of a program in its region, for a process, a cgroup and
# the machine, of which the narrower wins; changed while it runs; readable back.
#
# boot: shared
# kernels: oldest newest; soak: all
. "$(dirname "$0")/ktap.sh"
zone=$suite/vipzone
segments="text data bss brk stack mmap shared file cache"

modprobe vipzone || exit 1
check "nothing is known to be made of DRAM" [ "$("$here/poke" $zone/add "literal:$$ segment")" = ENOENT ]
echo "pram 256M-512M technology=pram" >$suite/regions/add || exit 1
check "or there is no DRAM" [ "$("$here/poke" $zone/add "literal:$$ segment")" = ENOENT ]
check "the log says what" sh -c "dmesg | grep -q 'vipzone: segment: the technology of no region is dram'"
echo "dram 512M-768M technology=dram" >$suite/regions/add || exit 1
echo "halves xor=0x2000" >$suite/bank_maps/add || exit 1
echo "odd 256M-512M map=halves banks=1" >$suite/regions/add || exit 1
make_disk 16 && cp "$here/segments" /tmp/disk || exit 1
dd if=/dev/urandom of=/tmp/disk/cold bs=4k count=1000 2>/dev/null
echo 1 >$zone/enabled || exit 1

# started [CGROUP]: a program that waits; sets pid.
started() {
	rm -f /tmp/go
	umount /tmp/disk && mount_disk || exit 1
	sh -c '[ -z "$1" ] || echo $$ >"$1/cgroup.procs"
	       exec /tmp/disk/segments 0x10000000 0x20000000 /tmp/disk/cold --wait /tmp/go' sh "$1" >/tmp/out &
	pid=$!
	sleep 0.5
}
ended() {
	: >/tmp/go
	wait $pid
	note "$(tr '\n' ' ' </tmp/out)"
}
share() { # SEGMENT: of its 200 pages in the region
	awk -v s="$1" '$1 == s { print $5 }' /tmp/out
}
# Some pages were there before the policy, wherever the kernel took them from; of
# the program's file, the kernel has read the beginning when it executed it.
are_in() { # SEGMENT...: these, and no others
	for segment in $segments; do
		strays=8
		[ $segment != text ] || strays=40
		case " $* " in
		*" $segment "*) [ "$(share "$segment")" -ge $((200 - strays)) ] || return 1 ;;
		*) [ "$(share "$segment")" -le $strays ] || return 1 ;;
		esac
	done
}
policy_of() { # WHO: its directory
	grep -lx "$1" $zone/policies/*/who 2>/dev/null | sed 's,/who,,'
}
reads() { # WHO FILE VALUE
	equals "$(policy_of "$1")/$2" "$3"
}

started
echo "$pid region:pram" >$zone/add
ended
check "one region for all" are_in $segments

started
echo "$pid segment:heap=pram,stack=pram,cache=pram,*=dram" >$zone/add
check "it reads as it was written" \
	reads $pid policy segment:heap=pram,stack=pram,cache=pram,*=dram
ended
check "segment by segment" are_in brk stack mmap cache

started
echo "$pid segment" >$zone/add
check "the default reads as it was written" reads $pid policy segment
ended
check "by default, heap and stack are in DRAM and the rest is in PRAM" are_in text data bss shared file cache

started
echo "$pid segment:brk=pram,heap=node0,*=dram" >$zone/add
ended
check "brk alone" are_in brk

started
echo "$pid segment:*=pram,stack=dram,heap=dram+pram" >$zone/add
ended
check "all others" are_in text data bss shared file cache

started
echo "$pid region:node0" >$zone/add
echo "$pid segment:bss=pram+node0,*=dram" >$zone/add
check "another policy takes the place of the first" wait_for 10 sh -c "[ \$(ls $zone/policies | wc -l) = 1 ]"
ended
check "and counts" are_in bss

started
echo "$pid segment:mmap=pram,*=dram" >$zone/add
heap=$(policy_of $pid)
: >/tmp/go
wait_for 10 grep -q mmap /tmp/out
wait $pid
check "its policy goes with it" wait_for 10 [ ! -e "$heap" ]

# A process lives on without its first thread.
rm -f /tmp/go
"$here/touch" 2000 --range 0x10000000 0x20000000 --wait /tmp/go --orphan >/tmp/out &
pid=$!
wait_for 10 grep -q 'State:.*Z' /proc/$pid/status
check "a process whose first thread is gone" sh -c "echo $pid region:pram >$zone/add"
: >/tmp/go
wait $pid
note "$(cat /tmp/out)"
check "is steered" [ "$(awk '{ print $4 }' /tmp/out)" -ge 1980 ]

# A huge page has all banks.
huge() { # PID: whether it may have huge pages
	awk '/^THP_enabled/ { print $2 }' "/proc/$1/status"
}
family() { # REGION OPTION: a steered program, and a child of it
	rm -f /tmp/go /tmp/child
	sh -c 'until [ -e /tmp/go ]; do sleep 0.1; done
	       sleep 1000 & echo $! >/tmp/child; wait' &
	parent=$!
	echo "$parent region:$1 $2" >$zone/add
	: >/tmp/go
	wait_for 10 [ -s /tmp/child ]
	child=$(cat /tmp/child)
}
family pram
check "a steered program may have huge pages" [ "$(huge $parent)" = 1 ]
kill $child $parent
family odd
check "one in some banks has none" [ "$(huge $parent)" = 0 ]
check "its child may have them, if it is not steered" [ "$(huge $child)" = 1 ]
echo $parent >$zone/remove
check "and the program may, when it is not any more" [ "$(huge $parent)" = 1 ]
kill $child $parent
family odd children
check "a child that is steered has none" [ "$(huge $child)" = 0 ]
echo $child >$zone/remove
check "until it is not" [ "$(huge $child)$(huge $parent)" = 10 ]
echo $parent >$zone/remove; echo "$parent region:odd" >$zone/add
check "another policy at once" [ "$(huge $parent)" = 0 ]
echo "$parent region:pram" >$zone/add
check "and not in all banks" [ "$(huge $parent)" = 1 ]
kill $child $parent

echo "machine segment:mmap=pram,*=dram" >$zone/add
started
ended
check "the machine's policy" are_in mmap
check "how many of them there were" [ "$(cat "$(policy_of machine)"/mmap_pages)" -ge 200 ]
check "few were left to the kernel for want of pages" \
	[ $((100 * $(cat "$(policy_of machine)"/fallback_empty))) -lt "$(cat $zone/steered_pages)" ]

mkdir -p /tmp/cg && mount -t cgroup2 none /tmp/cg && mkdir /tmp/cg/a /tmp/cg/a/b || exit 1
echo "cgroup:/a segment:bss=pram,*=dram" >$zone/add
started /tmp/cg/a/b
ended
check "that of a cgroup above wins over the machine's" are_in bss
echo "cgroup:/a/b segment:stack=pram,*=dram" >$zone/add
started /tmp/cg/a/b
ended
check "that of the nearer cgroup wins" are_in stack
started /tmp/cg/a/b
echo "$pid segment:data=pram,*=dram" >$zone/add
ended
check "that of the process wins" are_in data

# What it already has goes where the nearest policy wants it.
moved() { # sets pid; a program in that cgroup, whose pages are in dram, is moved
	rm -f /tmp/go /tmp/out
	sh -c 'echo $$ >/tmp/cg/'"$1"'cgroup.procs; exec "$0" "$@"' "$here/keep" 1000 --range 0x10000000 0x20000000 >/tmp/out &
	pid=$!
	wait_for 30 grep -q ready /tmp/out
	echo "$pid region:dram" >$zone/add
	echo $pid >$zone/move
	echo $pid >$zone/remove
	kill -USR1 $pid
	wait_for 30 grep -q 'in [0-4][0-9]* ' /tmp/out || note "not in dram at first"
	echo $pid >$zone/move
	kill -TERM $pid
	wait $pid
	note "$(tail -n 1 /tmp/out)"
	[ "$(tail -n 1 /tmp/out | awk '{ print $4 }')" -ge "$2" ]
}
echo "machine region:pram" >$zone/add
mkdir /tmp/cg/c
check "moved by the machine's policy" moved c/ 980
echo "cgroup:/c region:pram" >$zone/add
echo "machine region:dram" >$zone/add
check "moved by the cgroup's policy" moved c/ 980
echo cgroup:/c >$zone/remove
echo "machine segment:mmap=pram,*=dram" >$zone/add
echo "cgroup:/a/b segment:heap=pram,*=dram" >$zone/add
check "one policy for a cgroup" [ "$(grep -cx cgroup:/a/b $zone/policies/*/who | grep -c :1)" = 1 ]
rmdir /tmp/cg/a/b
mkdir /tmp/cg/a/b
started /tmp/cg/a/b
ended
check "a cgroup that is made again is under its policy" are_in brk mmap
rmdir /tmp/cg/a/b && mkdir /tmp/cg/a/b
echo "cgroup:/a//b/ segment:data=pram,*=dram" >$zone/add
started /tmp/cg/a/b
ended
check "or under another" are_in data
check "in place of the one before" [ "$(cat $zone/policies/*/who | grep -cx cgroup:/a/b)" = 1 ]
rmdir /tmp/cg/a/b
check "a cgroup that is gone can be removed" sh -c "echo cgroup:/a/b >$zone/remove"
check "but once" sh -c "! echo cgroup:/a/b 2>/dev/null >$zone/remove"
mkdir /tmp/cg/a/b
started /tmp/cg/a/b
ended
check "and is under the policy above, made again" are_in bss
answers() { # LINE ANSWER
	[ "$("$here/poke" $zone/add "literal:$1")" = "$2" ]
}
check "no such cgroup" answers "cgroup:/b region:pram" ENOENT
# As of a service that is started after the configuration is read.
check "one that is to come" answers "cgroup:/b region:pram later" ok
check "has its policy before it is there" reads cgroup:/b processes 0
mkdir /tmp/cg/b
started /tmp/cg/b
ended
check "and is under it when it is" are_in $segments
echo cgroup:/b >$zone/remove
rmdir /tmp/cg/b
check "or goes" answers "cgroup:/b/b region:pram later" ok
check "without having been there" sh -c "echo cgroup:/b/b >$zone/remove"
check "a path as no cgroup has it" answers "cgroup:/b/ region:pram later" ENOENT
check "remove that of the machine" sh -c "echo machine >$zone/remove"
steered=$(cat $zone/steered_pages)
started
ended
check "nothing is steered then" equals $zone/steered_pages "$steered"

# Whom the hooks are asked about, for the policy of a cgroup.
asked() { # COMMAND...: of how many faults
	hits=$(cat $suite/hooks/fault.alloc/hits)
	"$@" >/dev/null
	echo $(($(cat $suite/hooks/fault.alloc/hits) - hits))
}
few_asked() { [ "$(asked "$here/touch" 4000)" -lt 400 ]; }
joined() { # a program that comes into the cgroup after its start
	rm -f /tmp/go
	"$here/touch" 4000 --wait /tmp/go &
	pid=$!
	sleep 1
	echo $pid >/tmp/cg/a/cgroup.procs
	: >/tmp/go
	wait $pid
}
started /tmp/cg/a/b
ended
check "a cgroup's policy by itself" are_in bss
check "who is not in it passes the hook" wait_for 60 few_asked
check "who comes into it does not" [ "$(asked joined)" -ge 4000 ]
sh -c 'echo $$ >/tmp/cg/a/cgroup.procs; i=0; while [ $((i += 1)) -le 1000 ]; do "$0" 1 >/dev/null; done' "$here/touch"
check "that it has had a thousand programs is forgotten" wait_for 60 few_asked

# What is written through pages of the region is what is read.
echo "machine region:pram" >$zone/add
sum=$(md5sum </tmp/disk/cold)
copies() {
	for i in 1 2 3 4 5; do
		cp /tmp/disk/cold /tmp/disk/copy && umount /tmp/disk && mount_disk &&
			[ "$(md5sum </tmp/disk/copy)" = "$sum" ] || return 1
	done
}
check_data "files are intact" copies

# Policies in place, programs that allocate, and one that reads.
"$here/touch" 4000 --rounds 1000 >/dev/null &
allocates=$!
while :; do
	cat /tmp/disk/cold >/dev/null
	echo 1 >/proc/sys/vm/drop_caches
done &
reads=$!
sleep 1
check "unload with policies" rmmod vipzone
kill $allocates $reads
wait $allocates $reads 2>/dev/null
check "nothing is hooked" sh -c "! grep -lE 'direct|callback' $suite/hooks/*/state"
check "unload" rmmod memsuite
check_data "files are intact still" [ "$(md5sum </tmp/disk/cold)" = "$sum" ]
done_testing
