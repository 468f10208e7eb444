#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Pages are retired by hand, free or in use, announced, and given back.
#
# kernels: oldest newest; soak: all
# options: --mem 512M --append "movablecore=256M nokaslr"
. "$(dirname "$0")/ktap.sh"
diag=$suite/memdiag
trace=/sys/kernel/tracing
[ -d $trace/events ] || mount -t tracefs tracefs $trace 2>/dev/null || trace=/sys/kernel/debug/tracing

answers() { # FILE TEXT ANSWER
	answer=$("$here/poke" "$diag/$1" "literal:$2")
	[ "$answer" = "$3" ] || { note "$1 $2: $answer"; false; }
}
flag() { # BIT ADDRESS: of /proc/kpageflags
	flags=$(dd if=/proc/kpageflags bs=8 skip=$(($2 / 4096)) count=1 2>/dev/null | od -An -tu8)
	[ $((flags >> $1 & 1)) = 1 ]
}
charged_to() { # ADDRESS: the inode of the cgroup, or 0
	dd if=/proc/kpagecgroup bs=8 skip=$(($1 / 4096)) count=1 2>/dev/null | od -An -tu8 | tr -d ' '
}
page_with() { # BIT: an address of a page that has it
	page_flags | awk -v bit=$((1 << $1)) 'int($1 / bit) % 2 == 1 {
		printf "0x%x\n", (NR - 1) * 4096; exit }'
}
corrupted() { awk '$1 == "HardwareCorrupted:" { print $2 / 4 }' /proc/meminfo; }
hwpoison=19 pgtable=26

modprobe memdiag || exit 1
echo 1 >$trace/events/memsuite/memdiag_bad_page/enable
echo 1 >$trace/events/ras/memory_failure_event/enable
touch /tmp/uevents
uevent sh -c 'env >>/tmp/uevents' &
events=$!

# A program with memory of a kind; it is told to look after its page moved.
moves() { # NAME PAGE [huge | FILE]
	name=$1 nr=$2
	shift 2
	rm -f /tmp/ask /tmp/answer
	mkfifo /tmp/ask
	"$here/hold" 1024 "$@" </tmp/ask >/tmp/answer &
	holder=$!
	exec 3>/tmp/ask
	echo "where $nr" >&3
	wait_for 20 test -s /tmp/answer
	address=$(cat /tmp/answer)
	note "$name at $address"
	check "$name: retire" answers retire "$address" ok
	check "$name: marked" flag $hwpoison "$address"
	check "$name: charged to nobody" [ "$(charged_to "$address")" = 0 ]
	printf 'check\nwhere %s\n' "$nr" >&3
	wait_for 20 sh -c '[ "$(wc -l </tmp/answer)" = 3 ]'
	check_data "$name: contents are the same" [ "$(sed -n 2p /tmp/answer)" = same ]
	check "$name: they lie elsewhere" [ "$(sed -n 3p /tmp/answer)" != "$address" ]
	exec 3>&-
	wait $holder
	check "$name: still marked when its user is gone" flag $hwpoison "$address"
	check "$name: unretire" answers unretire "$address" ok
	check "$name: no longer marked" eval "! flag $hwpoison $address"
}

free=$(free_page)
note "free page at $free"
check "free: retire" answers retire "$free" ok
check "free: marked" flag $hwpoison "$free"
check "free: counted" [ "$(corrupted)" = 1 ]
check "free: counted by the suite" equals $suite/pages/retired_pages 1
check "free: on the list, by hand" grep -q "^$(printf '0x%x' $((free / 4096))) .* hand 1$" $debug/memdiag/bad_pages
grep -v '^#' $debug/memdiag/bad_pages | sed 's/^/# /'
check "free: once only" answers retire "$free" EEXIST
check "the suite's tracepoint" grep -q "memdiag_bad_page: .*address=$free .*origin=hand" $trace/trace
check "the kernel's tracepoint" grep -q "memory_failure_event: pfn 0x\?$(printf '%x' $((free / 4096)))" $trace/trace
check "a uevent" wait_for 10 grep -q "^ADDRESS=$free" /tmp/uevents
check "of the module" grep -q "^DEVPATH=/module/memdiag" /tmp/uevents
kill $events
check "free: unretire, by its frame" answers unretire "pfn=$((free / 4096))" ok
check "free: unretire once only" answers unretire "$free" ENOENT
check "free: not counted" [ "$(corrupted)" = 0 ]
check "free: off the list" equals $diag/bad_page_count 0

moves "anonymous" 3
moves "shared memory" 5 /tmp/held
echo always >/sys/kernel/mm/transparent_hugepage/enabled
moves "huge" 77 huge
check "nothing is marked" [ "$(corrupted)" = 0 ]
check "nothing is retired" equals $suite/pages/retired_pages 0
check "nothing is held" equals $suite/pages/held_pages 0

check "a page table" answers retire "$(page_with $pgtable)" EBUSY
check "the kernel itself" answers retire "0x$(sed -n 's/^ *\([0-9a-f]*\)-.*Kernel code/\1/p' /proc/iomem)" EBUSY
check "no memory" answers retire 0xfffffff000 ENXIO
check "not a number" answers retire rhubarb EINVAL
check "too large" answers retire pfn=0xffffffffffffffff ERANGE
check "unknown word" answers retire "$free red" EINVAL

# Retired before memdiag was loaded again.
free=$(free_page)
check "retire" answers retire "$free" ok
rmmod memdiag
modprobe memdiag
check "forgotten" equals $diag/bad_page_count 0
check "taken over" answers retire "$free restored" ok
check "on the list again" grep -q ' restored 1$' $debug/memdiag/bad_pages
check "none is pending" equals $diag/pending_page_count 0
rmmod memdiag memsuite
modprobe memdiag
check "unretire after a reload of everything" answers unretire "$free" ok

# What the kernel marked is the kernel's.
other=$(free_page)
echo "$other" >/sys/devices/system/memory/soft_offline_page
if flag $hwpoison "$other"; then
	check "not ours" answers unretire "$other" EPERM
	check "not ours, but it can be kept" answers retire "$other" ok
	check "it is on the list, withheld" grep -q "^$(printf '0x%x' $((other / 4096))) .* hand 1$" /proc/memdiag_bad_pages
	check "none is pending" equals $diag/pending_page_count 0
	check "once only" answers retire "$other" EEXIST
fi
# From the first failure that the hardware reported on, it gives none back.
free=$(free_page)	# what was given back may be in use
check "retire once more" answers retire "$free" ok
modprobe vmtest
echo "$(cat /sys/kernel/debug/vmtest/hold)" >/sys/kernel/debug/vmtest/fail 2>/dev/null
rmmod vmtest
case $(uname -r) in
5.10.*) answer=ok ;;
*) answer=EOPNOTSUPP ;;
esac
check "after a failure of the hardware: $answer" answers unretire "$free" $answer
check "unload" rmmod memdiag memsuite
done_testing
