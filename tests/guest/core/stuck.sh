#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Ftrace has switched itself off, and lets go of no hook: the module whose code is still
# called stays, says so, and does no harm.
#
# kernels: oldest newest; soak: all
. "$(dirname "$0")/ktap.sh"

modprobe vipzone && modprobe vmtest || exit 1
"$here/touch" 3000 --rounds 100000 >/dev/null &
steered=$!
echo "$steered region:node0" >$suite/vipzone/add || exit 1
echo 1 >$suite/vipzone/enabled || exit 1
check "the fault hook is armed" equals $suite/hooks/fault.alloc/state direct
echo 1 >/sys/kernel/debug/vmtest/ftrace
check "disabling works" sh -c "echo 0 >$suite/vipzone/enabled"
check "it is told that it cannot be unhooked" sh -c "dmesg | grep -q 'cannot be unhooked'"
check "its state tells" equals $suite/hooks/fault.alloc/state failed
check "it is not armed again" sh -c "! echo 1 >$suite/vipzone/enabled"
check "vipzone is unloaded" rmmod vipzone
check "the core is not" sh -c "! rmmod memsuite"
"$here/touch" 3000 --rounds 3 >/tmp/touched
check "programs run as ever" grep -q pages /tmp/touched
kill $steered
wait $steered 2>/dev/null
done_testing
