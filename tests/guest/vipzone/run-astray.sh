#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# memsuite zone run tells early in a program's run how much of its memory lies outside of its policy, why, and what helps;
# and says nothing where all is well, of a program that ends before, and to whoever waits for the program alone. KTAP.
#
#   run-astray.sh TOOL	scripts/memsuite; the host's files are needed
#
# kernels: none; soak: stock
# options: --root host --numa 768M,cpus=0-1 --numa 512M
# arguments: $TOP/scripts/memsuite
. "$(dirname "$0")/ktap.sh"

tool=$1
cd /tmp || exit 1
modprobe vipzone || exit 1
mount -t debugfs none /sys/kernel/debug 2>/dev/null
[ ! -e /proc/sys/kernel/numa_balancing ] || echo 0 >/proc/sys/kernel/numa_balancing
echo "tiny 900M-901M" >$suite/regions/add || exit 1
make_disk 16 && cp "$here/keep" /tmp/disk || exit 1
"$tool" zone enable

begin() { # POLICY PAGES: a program; sets pid
	rm -f said warned
	"$tool" zone run --policy "$1" -- /tmp/disk/keep "$2" >said 2>warned &
	pid=$!
	wait_for 60 grep -q ready said
}
looked() { # nothing of the tool is left beside the program
	! grep -lz '[z]one' /proc/[0-9]*/cmdline 2>/dev/null | grep -q .
}
end() {
	wait_for 60 looked
	sed 's/^/# /' warned
	kill -TERM $pid
	wait $pid
}
silent() { [ ! -s warned ]; }

# All but a little of it is in the page cache, on the first node.
umount /tmp/disk && mount_disk && cat /tmp/disk/keep >/dev/null
begin node1 100
check "a file that was there before is warned of" wait_for 60 grep -q "memory of keep ($pid) lies outside" warned
check "with its segment and the reason" grep -Eq "text [0-9.]+ KiB.*: in the page cache from before" warned
check "and what helps" grep -q "dd if=FILE iflag=nocache count=0" warned
check "the program is what was started" [ "$(cat /proc/$pid/comm)" = keep ]
check "without children" [ -z "$(cat /proc/$pid/task/$pid/children)" ]
check "it ends well" end
dd if=/tmp/disk/keep iflag=nocache count=0 2>/dev/null
begin node1 100
end
check "which does: no warning" silent

begin node1 16384
end
check "little outside: no warning" silent

begin tiny 4096
check "a region that is full is warned of" wait_for 60 grep -Eq "mmap [0-9.]+ MiB.*: of [0-9]+ page faults the regions were full" warned
end

# As of a make that starts others.
rm -f said warned
"$tool" zone run --policy tiny -- sh -c '/tmp/disk/keep 4096 >said & wait' 2>warned &
pid=$!
check "what others allocate that it has started is warned of" wait_for 90 grep -q "memory of sh ($pid) lies outside" warned
sed 's/^/# /' warned
# shellcheck disable=SC2046
kill $(pidof keep)
wait $pid

# What a shell substitutes waits for the program, not for who looks at it.
began=$(uptime_ms)
at_once=$("$tool" zone run --policy tiny -- sh -c 'echo done; exit 7' 2>warned)
check "its status is the command's" [ $? = 7 ]
note "it took $(($(uptime_ms) - began)) ms"
check "its output, too" [ "$at_once" = "done" ]
check "who ends at once is not told of" silent
check "and nothing lingers" looked
check "unload" rmmod vipzone memsuite
done_testing
