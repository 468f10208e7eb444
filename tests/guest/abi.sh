#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every file in sysfs is documented, and every documented file is there.
modprobe memdiag && modprobe vipzone && modprobe mrc || exit 1
echo "admin0 256M-512M" >/sys/kernel/memsuite/regions/add || exit 1
find /sys/kernel/memsuite -type f -exec stat -c '%a %n' {} + >/tmp/tree
python=$(command -v python3) || true
if [ -n "$python" ]; then
	exec "$python" /repo/tests/abi.py /tmp/tree
fi
cat /tmp/tree
