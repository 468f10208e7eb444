#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The division of memory among cgroups, by memory.high, in a guest that swaps: a
# cgroup gets its share and no more while memsuite mrc limit runs. KTAP.
#
#   mrc-limit.sh TOOL	scripts/memsuite; the host's files are needed
#
# kernels: none; soak: stock
# options: --root host
# arguments: $TOP/scripts/memsuite
. "$(dirname "$0")/ktap.sh"

tool=$1
mrc=$suite/mrc
cgroup=/sys/fs/cgroup

modprobe zram && echo 256M >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null && swapon /dev/zram0 || exit 1
grep -q $cgroup /proc/mounts || mount -t cgroup2 none $cgroup || exit 1
echo +memory >$cgroup/cgroup.subtree_control && mkdir $cgroup/loop $cgroup/uniform || exit 1
modprobe mrc || exit 1
echo 500 >$mrc/ladder_ms
echo 100 >$mrc/max_cpu_permille
echo 100 >$mrc/division/pressure_pct
echo 1 >$mrc/enabled

start() { # CGROUP LOOP'S ARGUMENTS
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' $cgroup/"$1" "$here/loop" $2 >"/tmp/$1" &
}
start loop "8000 300"
start uniform "--pattern uniform 3000 300"
for name in loop uniform; do
	wait_for 60 grep -q ready /tmp/$name || exit 1
	check "track $name" "$tool" mrc add cgroup:/$name
done
curves() { [ "$(grep -c . $debug/mrc/plan)" = 3 ]; }
check "both are in the plan" wait_for 30 curves

resident_kib() { awk '$1 == "anon" { print int($2 / 1024) }' $cgroup/"$1"/memory.stat; }
"$tool" mrc limit --total 32M --interval 0.5 >/tmp/limits &
limiter=$!
limited() { [ "$(cat $cgroup/loop/memory.high)" != max ]; }
check "a limit is set" wait_for 60 limited
shrunk() { [ "$(resident_kib loop)" -le 23600 ]; }
check "the loop is driven to its share" wait_for 120 shrunk
sleep 2
note "$(resident_kib loop) and $(resident_kib uniform) KiB"
check "and not further" [ "$(resident_kib loop)" -ge 14000 ]
tail -3 /tmp/limits | sed 's/^/# /'
check "the other keeps its pages" [ "$(resident_kib uniform)" -ge 10000 ]
kill $limiter
wait $limiter
check "it ends well" [ $? = 0 ]
check "no limit is left" [ "$(cat $cgroup/loop/memory.high $cgroup/uniform/memory.high | uniq)" = max ]
grown() { [ "$(resident_kib loop)" -ge 30000 ]; }
check "the loop gets its pages back" wait_for 120 grown
kill $(cat $cgroup/loop/cgroup.procs $cgroup/uniform/cgroup.procs)
wait
check "unload" rmmod mrc
swapoff /dev/zram0
done_testing
