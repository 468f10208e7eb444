#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# mrc in a guest that swaps: accessed bits that were taken are given back to
# reclaim, and pages stay sampled while they are swapped out. KTAP.
#
# boot: shared
# kernels: default; soak: stock

control=/sys/kernel/memsuite/mrc
debug=/sys/kernel/debug/memsuite/mrc
here=$(dirname "$0")
failed=0

check() {	# check STATUS NUMBER NAME
	if [ "$1" = 0 ]; then
		echo "ok $2 $3"
	else
		echo "not ok $2 $3"
		failed=1
	fi
}

stat_of() {
	sed -n "s/^$1 //p" "$debug/$pid/stats"
}

stat_above() { [ "$(stat_of "$1")" -gt "$2" ]; }
# The accessed bits, and the pages that are swapped out in a sample since.
are_back() { stat_above shadow_returned 0 && stat_above swapped_pages 0 && stat_above samples_absent 0; }
# until_so COMMAND...: or for a minute
until_so() {
	i=0
	until "$@" 2>/dev/null || [ $i -ge 300 ]; do
		sleep 0.2
		i=$((i + 1))
	done
}

[ -d /sys/kernel/debug/memsuite ] || mount -t debugfs none /sys/kernel/debug 2>/dev/null
echo "KTAP version 1"
modprobe zram || { echo "Bail out! no zram"; exit 1; }
echo 512M >/sys/block/zram0/disksize
mkswap /dev/zram0 >/dev/null && swapon /dev/zram0 || exit 1
[ -d $control ] || modprobe mrc
echo "1..3"
# What is looked at is not what it costs: a slow machine would look once a minute.
echo 50 >$control/max_cpu_permille
echo 1 >$control/enabled
# More than half of it is left alone after the first pass.
"$here/loop" --pattern cold 60000 300 >/tmp/loop &
pid=$!
until_so grep -q ready /tmp/loop
echo $pid >$control/add
# Some looks, at what is cold by now.
until_so stat_above ladders 5
free=$(awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)
echo "# $free MiB available, $(stat_of resident_pages) pages resident"
# Pressure: take all that is left, and somewhat more.
"$here/loop" $(((free + 60) * 256)) 12 &
hog=$!
wait $hog
until_so are_back
for name in resident_pages swapped_pages samples samples_absent samples_censored \
	    shadow_young shadow_returned ladders; do
	echo "# $name $(stat_of $name)"
done
[ "$(stat_of shadow_returned)" -gt 0 ]
check $? 1 "accessed bits are given back to reclaim"
[ "$(stat_of swapped_pages)" -gt 0 ] && [ "$(stat_of samples_absent)" -gt 0 ]
check $? 2 "pages that are swapped out stay in the sample"
rmmod mrc
check $? 3 "unload"
kill $pid
wait
swapoff /dev/zram0
exit $failed
