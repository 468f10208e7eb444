#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# large.sh [SECONDS]: in a machine with very much memory, loading the suite
# takes no longer than that (10), and its metadata at most 16 MiB per TiB.
#
# kernels: default; soak: stock
# options: --mem 128G
. "$(dirname "$0")/ktap.sh"
limit=${1:-10}

note "$(sed -n 's/^MemTotal: *//p' /proc/meminfo) of memory"
began=$(uptime_ms)
check "load" modprobe -a memdiag vipzone mrc
took=$(($(uptime_ms) - began))
note "loaded in $took ms"
check "in less than $limit s" [ $took -lt $((limit * 1000)) ]
began=$(uptime_ms)
check "enable" sh -c "echo 1 >$suite/memdiag/enabled"
note "memdiag enabled in $(($(uptime_ms) - began)) ms"
allowed=$(($(sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo) / 64))
note "$(cat $suite/pages/metadata_bytes) bytes of metadata, at most $allowed"
check "metadata" [ "$(cat $suite/pages/metadata_bytes)" -le $allowed ]
check "a sweep begins" wait_for 60 at_least $suite/memdiag/tested_pages 1024
check "it takes no more then" [ "$(cat $suite/pages/metadata_bytes)" -le $allowed ]
check "disable" sh -c "echo 0 >$suite/memdiag/enabled"
check "unload" rmmod mrc vipzone memdiag memsuite
done_testing
