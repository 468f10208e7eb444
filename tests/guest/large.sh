#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# large.sh [SECONDS]: in a machine with very much memory, loading the suite
# takes no longer than that (10), whatever the metadata.
. "$(dirname "$0")/ktap.sh"
limit=${1:-10}

hundredths() { sed 's/\.//; s/ .*//' /proc/uptime; }

note "$(sed -n 's/^MemTotal: *//p' /proc/meminfo) of memory"
began=$(hundredths)
check "load" modprobe -a memdiag vipzone mrc
took=$(($(hundredths) - began))
note "loaded in $((took * 10)) ms"
check "in less than $limit s" [ $took -lt $((limit * 100)) ]
began=$(hundredths)
check "enable" sh -c "echo 1 >$suite/memdiag/enabled"
note "memdiag enabled in $((($(hundredths) - began) * 10)) ms"
note "$(cat $suite/pages/metadata_bytes) bytes of metadata"
check "disable" sh -c "echo 0 >$suite/memdiag/enabled"
check "unload" rmmod mrc vipzone memdiag memsuite
done_testing
