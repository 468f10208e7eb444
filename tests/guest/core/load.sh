#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Loading and unloading, together and alone; loading changes nothing.
#
# boot: shared
# kernels: all
. "$(dirname "$0")/ktap.sh"

armed() { grep -lE "direct|callback" $suite/hooks/*/state; }
nothing_armed() { ! armed >/dev/null; }

check "load all" sh -c 'modprobe memdiag && modprobe vipzone && modprobe mrc'
check "nothing is armed" nothing_armed
check "nothing is enabled" sh -c "! grep -q 1 $suite/*/enabled"
check "nothing is held" equals $suite/pages/held_pages 0
check "unload all" rmmod mrc vipzone memdiag memsuite
check "the directory is gone" [ ! -e $suite ]
check "debugfs is gone" [ ! -e $debug ]
for module in memdiag vipzone mrc; do
	check "load $module alone" modprobe $module
	check "unload $module" rmmod $module memsuite
done
check "enable what only measures" sh -c "modprobe memdiag && modprobe vipzone && modprobe mrc &&
	for m in memdiag mrc; do echo 1 >$suite/\$m/enabled || exit 1; done"
if can_steer; then
	check "enable vipzone" sh -c "echo 1 >$suite/vipzone/enabled"
	check "enabled again is no error" sh -c "echo 1 >$suite/vipzone/enabled"
	check "the fault hook is armed" equals $suite/hooks/fault.alloc/state direct
else
	check "vipzone says that it cannot be enabled" [ "$("$here/poke" $suite/vipzone/enabled literal:1)" = EOPNOTSUPP ]
	check "and the log, why" sh -c "dmesg | grep -q 'this kernel has no CONFIG_NUMA: .* vipzone stays off'"
	check "it stays off" equals $suite/vipzone/enabled 0
fi
check "unload while enabled" rmmod mrc vipzone memdiag memsuite
done_testing
