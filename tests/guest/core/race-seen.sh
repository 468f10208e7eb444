#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# KCSAN sees a race in a module: where it sees none, there may be none. For the kernel that watches the suite's modules.
#
# kernels: none; soak: kcsan
# options: --parallel --smp 4 --append panic_on_warn=0 --allow-splat
. "$(dirname "$0")/ktap.sh"

check "KCSAN is on" grep -qx "enabled: 1" /sys/kernel/debug/kcsan
check "a module that races is loaded" modprobe racetest
dmesg | sed -n 's/^.*\(BUG: KCSAN\)/# \1/p'
check "which KCSAN tells of" sh -c "dmesg | grep -q 'BUG: KCSAN: .*count'"
check "unload" rmmod racetest
done_testing
