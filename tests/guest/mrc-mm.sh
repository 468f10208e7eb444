#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Memory divided by miss ratio curves: an interactive program beside one that loops over more than there is (INTR
# and LINEAR of paper 001, section 4.2), with a slow disk to swap to; first without, then with. KTAP, with a line of
# figures for each run.
#
# Boot with --disk, and --append rootfstype=ramfs: files of a tmpfs are swapped out when memory gets short, and then
# there is more of it than AVAILABLE_MIB.
#
#   mrc-mm.sh [AVAILABLE_MIB [INTR_PAGES [LINEAR_PAGES [PASSES [RUNS]]]]]
#
# RUNS: of each kind, in ABBA order (1)
. "$(dirname "$0")/ktap.sh"
available=${1:-40}
intr_pages=${2:-4096}
linear_pages=${3:-12000}
passes=${4:-3}
runs=${5:-1}
mrc=$suite/mrc
division=$mrc/division

[ -b /dev/vda ] || { echo "Bail out! no disk"; exit 1; }
grep -q rootfstype=ramfs /proc/cmdline || { echo "Bail out! the files of the guest can be swapped out"; exit 1; }
mkswap /dev/vda >/dev/null && swapon /dev/vda || exit 1
modprobe mrc || exit 1
echo 1000 >$mrc/ladder_ms
echo 50 >$mrc/max_cpu_permille

# What is too much is taken by files that cannot be swapped out.
available_kib() { awk '/^MemAvailable/ { print $2 }' /proc/meminfo; }
mkdir -p /ballast && mount -t ramfs ballast /ballast || exit 1
echo 3 >/proc/sys/vm/drop_caches
dd if=/dev/zero of=/ballast/file bs=1k count=$(($(available_kib) - available * 1024)) 2>/dev/null
note "$(grep -E '^Mem|^SwapFree|^Cached' /proc/meminfo | tr -s ' \n' ' ')"

field() { sed -n "s/.* $2 \([0-9.]*\).*/\1/p" "$1"; }
both() { kill "$@" $intr $linear; }

# run NAME WITH: one run, with the division enforced or not.
run() {
	"$here/rivals" intr "$intr_pages" 600 300 0 >/tmp/intr &
	intr=$!
	"$here/rivals" linear "$linear_pages" "$passes" >/tmp/linear &
	linear=$!
	wait_for 60 grep -q ready /tmp/intr && wait_for 60 grep -q ready /tmp/linear || return 1
	both -USR1
	if [ "$2" = 1 ]; then
		echo 1 >$mrc/enabled
		echo $intr >$mrc/add
		echo $linear >$mrc/add
		echo 1 >$division/enforce || return 1
	fi
	sleep 4
	[ "$2" = 1 ] && sed 's/^/# /' $debug/mrc/plan && note "$(grep . $division/*_pages | tr '\n' ' ')"
	wait $linear
	[ "$2" = 1 ] && sed 's/^/# /' $debug/mrc/plan && note "$(grep . $division/*_pages | tr '\n' ' ')"
	kill -TERM $intr
	wait $intr
	echo 0 >$division/enforce
	echo 0 >$mrc/enabled
	echo "{\"run\": \"$1\", \"intr_ms\": $(field /tmp/intr mean_ms), \"intr_max_ms\": $(field /tmp/intr max_ms)," \
		"\"intr_rounds\": $(field /tmp/intr rounds), \"intr_major\": $(field /tmp/intr major)," \
		"\"linear_s\": $(field /tmp/linear seconds), \"linear_major\": $(field /tmp/linear major)}"
}

: >/tmp/results
for pair in $(seq "$runs"); do
	order="stock mm"
	[ $((pair % 2)) = 0 ] && order="mm stock"
	for name in $order; do
		run $name $([ $name = mm ] && echo 1 || echo 0) >>/tmp/run
		cat /tmp/run
		grep '^{' /tmp/run >>/tmp/results
		rm /tmp/run
	done
done

mean() { grep "\"run\": \"$1\"" /tmp/results | tr -d ',{}' | awk -v key="\"$2\":" '{
	for (i = 1; i < NF; i++) if ($i == key) { sum += $(i + 1); n++ } } END { printf "%.2f\n", sum / n }'; }
ratio() { awk -v a="$(mean stock "$1")" -v b="$(mean mm "$1")" 'BEGIN { printf "%.2f\n", a / b }'; }
above() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }'; }
note "stock over mrc: response $(ratio intr_ms), execution $(ratio linear_s)"
check "the interactive program answers faster" above "$(ratio intr_ms)" 1
check "the other is not slower by more than 9%" above "$(ratio linear_s)" 0.917
check "unload" rmmod mrc
umount /ballast
swapoff /dev/vda
done_testing
