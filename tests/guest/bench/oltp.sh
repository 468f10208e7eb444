#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# oltp.sh POSTGRESQL SECONDS: pgbench on the database in the NVDIMM's file system, and what it asks of the disk.
# Needs the host's files. /mnt/share/trace gets a line for each request to the device: what, first sector, sectors.
export DM_DISABLE_UDEV=1
bin=$1
seconds=$2
data=/mnt/data/pg
trace=/sys/kernel/tracing

postgres() { setpriv --reuid postgres --regid postgres --clear-groups env HOME=/tmp PATH="$bin:$PATH" "$@"; }

modprobe dm-mod 2>/dev/null
modprobe ext4 2>/dev/null
dmsetup create oltp --table "0 $(blockdev --getsz /dev/pmem0) linear /dev/pmem0 0" || exit 1
mkdir -p /mnt/data && mount -t ext4 /dev/mapper/oltp /mnt/data || exit 1
mkdir -p /run/pg && chown postgres /run/pg
postgres pg_ctl -s -w -t 300 -D $data -l /tmp/postgres.log start || { cat /tmp/postgres.log; exit 1; }
# A server that has run for a while: its memory holds what it can of the database.
cat $data/base/*/* >/dev/null

device=$(stat -L -c '%Hr,%Lr' /dev/mapper/oltp)
echo 16384 >$trace/buffer_size_kb
echo 1 >$trace/events/block/block_bio_queue/enable
awk -v device="$device" '/the trace ends/ { exit }
/block_bio_queue:/ {
	for (i = 1; $i != "block_bio_queue:"; i++)
		;
	if ($(i + 1) == device)
		print $(i + 2), $(i + 3), $(i + 5)
}' <$trace/trace_pipe >/tmp/trace &
reader=$!
# A tenth of the clients' work in time is reports over a fortieth of the accounts each.
cat >/tmp/report.sql <<'SQL'
\set first random(1, 78 * 100000)
SELECT count(*), sum(abalance) FROM pgbench_accounts WHERE aid BETWEEN :first AND :first + 200000;
SQL
postgres pgbench -n -h /run/pg -c 4 -T "$seconds" -b tpcb-like@199 -f /tmp/report.sql@1 bench || exit 1
postgres pg_ctl -s -w -t 300 -D $data -m fast stop
umount /mnt/data
sleep 2
echo 0 >$trace/events/block/block_bio_queue/enable
echo "the trace ends" >$trace/trace_marker
wait $reader
grep -H . $trace/per_cpu/cpu*/stats | grep -i 'overrun\|dropped'
cp /tmp/trace /mnt/share/trace
wc -l /mnt/share/trace
