#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# several.sh -- SCRIPT [ARG]... [-- SCRIPT [ARG]...]...: runs scripts in a row, each in a guest
# as tidy as one that has just booted. tests/run calls it, for scripts that share a boot.
here=$(dirname "$0")
failed=0

# What scripts change in the kernel, as it was at first.
settings="/proc/sys/kernel/numa_balancing /proc/sys/vm/swappiness /proc/sys/vm/overcommit_memory
	/sys/kernel/mm/transparent_hugepage/khugepaged/pages_to_scan
	/sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs"
for file in $settings; do
	[ ! -e "$file" ] || echo "echo $(cat "$file") >$file" >>/run/settings
done

# Processes that a script has left; kernel threads have no program.
kill_the_rest() {
	for process in /proc/[0-9]*; do
		[ "${process#/proc/}" -gt 1 ] && [ "${process#/proc/}" != $$ ] && readlink "$process/exe" >/dev/null &&
			kill -9 "${process#/proc/}"
	done 2>/dev/null
}
tidy() {
	kill_the_rest
	wait
	# One by one: rmmod ends at the first one that is not loaded.
	for module in mrc vipzone memdiag memsuite; do rmmod $module; done 2>/dev/null
	awk 'NR > 1 { print $1 }' /proc/swaps | xargs -r swapoff
	# Its size is set once.
	[ ! -e /sys/block/zram0/reset ] || echo 1 >/sys/block/zram0/reset
	awk '$2 ~ "^/tmp/." { print $2 }' /proc/mounts | sort -r | xargs -r umount -l
	rm -rf /tmp/*
	sh /run/settings
	echo 3 >/proc/sys/vm/drop_caches
	echo 1 >/proc/sys/vm/compact_memory
	# Scripts look for messages, which are to be their own.
	dmesg -c >/dev/null
}
run() { # SCRIPT [ARG]...
	echo "# $*"
	echo "memsuite: $*" >/dev/kmsg
	script=$1
	shift
	KTAP_PREFIX="${script%.sh}: " sh "$here/$script" "$@" || failed=1
	tidy
}

shift
while [ $# -gt 0 ]; do
	words=
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		words="$words '$1'"
		shift
	done
	[ $# = 0 ] || shift
	eval "run $words"
done
exit $failed
