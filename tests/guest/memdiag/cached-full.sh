#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Memory that is full, as it is on a machine that has run for a day: of a program's pages, and of a page cache that is
# idle but for a little that is read. There are hardly any free pages to move to, and all is tested in time nevertheless;
# the kernel reclaims no more for it than what is read.
#
# kernels: newest; soak: all
# options: --mem 512M --disk 1G --icount
. "$(dirname "$0")/ktap.sh"
memdiag=$suite/memdiag
lifetime=60

zones() { awk '/pages free/ { free += $3 } /^ *low / { low += $2 } /^ *high / { high += $2 }
	END { printf "%d pages free, of which the kernel keeps %d to %d", free, low, high }' /proc/zoneinfo; }
stolen() { awk '/^pgsteal_(kswapd|direct) / { sum += $2 } END { print sum }' /proc/vmstat; }
reads() { # 1 MiB a second
	n=0
	while :; do
		dd if=/dev/vda of=/dev/null bs=64k count=16 skip=$((n * 16 % 15000)) 2>/dev/null
		n=$((n + 1))
		sleep 1
	done
}
coverage() {
	for use in user page_cache free; do
		echo "$use $(cat $memdiag/coverage/${use}_tested_pct)% of $(cat $memdiag/coverage/${use}_pages),"
	done | tr '\n' ' '
	for file in "$memdiag"/moves/*; do
		echo "$(basename "$file") $(cat "$file")"
	done | tr '\n' ' '
}

modprobe memdiag || exit 1
echo $lifetime >$memdiag/test_lifetime_s
echo 1000 >$memdiag/move_interval_ms
/tests/keep 51200 --rest 5000 >/tmp/out &
pid=$!
exec 3</dev/vda
# Else the newest kernels read folios of 2 MiB, for which there is no room to be moved in 512.
echo 128 >/sys/block/vda/queue/read_ahead_kb
dd if=/dev/vda of=/dev/null bs=1M 2>/dev/null
reads &
reader=$!
sleep 5
note "$(zones)"
before=$(stolen)
check "enable" sh -c "echo 1 >$memdiag/enabled"
for n in 1 2 3 4 5 6 7 8; do
	sleep $((lifetime / 4))
	note "$(zones); $(coverage)"
done
note "$(($(stolen) - before)) pages reclaimed in $((2 * lifetime)) s"
check "the program's pages are tested" at_least $memdiag/coverage/user_tested_pct 95
check "the page cache is" at_least $memdiag/coverage/page_cache_tested_pct 90
check "for what is read others go, and few more" [ $(($(stolen) - before)) -le $((256 * 2 * lifetime * 5 / 4)) ]
kill $reader
kill -TERM $pid
check "no byte has changed" wait $pid
check "unload" rmmod memdiag memsuite
done_testing
