#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Mode and path of every file of the suite in sysfs, a bank map's and a policy's among them, for tests/abi.py.
modprobe memdiag && modprobe vipzone && modprobe mrc || exit 1
echo "map xor=0x1000" >/sys/kernel/memsuite/bank_maps/add || exit 1
echo "$$ region:node0" >/sys/kernel/memsuite/vipzone/add || exit 1
find /sys/kernel/memsuite -type f -exec stat -c '%a %n' {} +
