#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# self-test.sh EVERY: kernel functions that are not exported, each made another one by tests/modules/calltest.c, or every
# third of them: the core is not loaded, the log names the function, and nothing is lost. As they are they pass, and where
# that cannot be told, since memory is short, the core is loaded all the same.
#
# boot: shared
# kernels: newest; soak: all
# arguments: 3; soak: 1
. "$(dirname "$0")/ktap.sh"

# MUTANT:FUNCTION, the latter a regular expression.
mutants="block-denied:__isolate_free_page block-not-taken:__isolate_free_page block-refused:__isolate_free_page
	block-half:__isolate_free_page block-uncounted:__isolate_free_page block-another-type:get_pfnblock_[a-z_]*
	block-referenced:post_alloc_hook large-half:prep_compound_page lru-inverted:[a-z_]*isolate_lru[a-z_]*
	lru-not-taken:[a-z_]*isolate_lru[a-z_]* lru-unreferenced:[a-z_]*isolate_lru[a-z_]*
	putback-nothing:putback_movable_pages putback-referenced:putback_movable_pages move-nothing:migrate_pages
	move-denied:migrate_pages move-spoilt:migrate_pages move-freed:migrate_pages move-kept:migrate_pages
	reclaim-nothing:reclaim_pages psi-silent:psi_memory_show"
case $(uname -r) in
# There the suite clears what it takes, and old pages stay charged.
5.10.*) mutants="$mutants charge-stays:mem_cgroup_uncharge" ;;
6.1.*) mutants="$mutants charge-stays:__mem_cgroup_uncharge block-dirty:post_alloc_hook" ;;
*) mutants="$mutants block-dirty:post_alloc_hook" ;;
esac

# said PATTERN: in the log, since the line of the mark.
mark() {
	nr_marks=$((nr_marks + 1))
	echo "self-test.sh: mark $nr_marks" >/dev/kmsg
}
said() { dmesg | sed "1,/self-test.sh: mark $nr_marks\$/d" | grep -q "$1"; }
refused() { # FUNCTION
	! modprobe memsuite 2>/dev/null && said "memsuite: this kernel's $1() differs: "
}
loads() {
	modprobe memsuite && rmmod memsuite
}
passes() {
	loads && ! said "self-test cannot tell"
}
# Loads beside programs that fault all the time; once they have ended.
loads_beside_storm() {
	"$here/touch" 8000 --rounds 100000 >/dev/null &
	one=$!
	"$here/touch" 8000 --rounds 100000 >/dev/null &
	loads && loads && loads
	loaded=$?
	kill $one $!
	wait $one $! 2>/dev/null
	return $loaded
}
# No more is free than what the kernel begins to reclaim at.
loads_when_short() {
	kept=$(cat /proc/sys/vm/min_free_kbytes)
	awk '$1 == "MemFree:" { print int($2 * 0.9) }' /proc/meminfo >/proc/sys/vm/min_free_kbytes
	loads && said "self-test cannot tell of taking free memory"
	loaded=$?
	echo "$kept" >/proc/sys/vm/min_free_kbytes
	return $loaded
}
# loads_beside MUTANT [times=CALLS]
loads_beside() {
	modprobe calltest mutant="$1" $2 || return 1
	loads
	loaded=$?
	rmmod calltest
	return $loaded
}

# What is allocated once and for all comes first, as the memory that newer kernels keep for code of modules.
loads_beside no-file
before=$(free_kib)
nr=0
for mutant in $mutants; do
	nr=$((nr + 1))
	[ $((nr % ${1:-1})) = 0 ] || continue
	modprobe calltest mutant="${mutant%%:*}" || exit 1
	mark
	check "refused: ${mutant%%:*}" refused "${mutant#*:}"
	rmmod calltest
done
after=$(free_kib)
note "free before $before KiB, after $after KiB"
check "nothing is lost" [ $((before - after)) -lt 1024 ]
mark
check "the kernel as it is passes" passes
check "it is loaded beside a storm of faults" loads_beside_storm
check "what differs twice and no more is no difference" loads_beside move-spoilt times=2
check "no kernel was refused that is as it was" sh -c "! dmesg | sed '1,/self-test.sh: mark $nr_marks\$/d' | grep differs"
mark
check "it is loaded when memory is short, which is told" loads_when_short
mark
check "it is loaded without a file to move pages of" loads_beside no-file
check "which is told" said "self-test cannot tell of moving memory in use"
done_testing
