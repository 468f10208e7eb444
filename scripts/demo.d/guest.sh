#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# guest.sh REPO CELL: what the demo does inside the machine.
repo=$1
cell=$2
suite=/sys/kernel/memsuite
memsuite=$repo/scripts/memsuite
out=/mnt/share
work=/tmp/demo
mkdir -p $work

say() { printf '\n== %s\n' "$*"; }
die() {
	echo "demo: $*" >&2
	exit 1
}

# Real programs, over and over, checking their own results.
workload() {
	printf '#include <stdio.h>\nint main(void){return printf("%%d\\n",6*7)!=3;}\n' >$work/a.c
	while :; do
		gcc -O2 -o $work/a $work/a.c && [ "$($work/a)" = 42 ] || break
		head -c 500000 "$repo/modules/region/regions.c" /bin/sh >$work/in 2>/dev/null
		gzip -c $work/in | gunzip | cmp - $work/in || break
		[ "$(sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x+1 from c where x<20000) select sum(x) from c')" = 200010000 ] || break
		echo round >>$work/rounds
	done
	touch $work/failed
}

say "[3/5] memdiag: a faulty cell at $cell, found while gcc, gzip and sqlite run"
modprobe memdiag && modprobe vipzone && modprobe mrc || die "cannot load the suite"
: >$work/rounds
workload &
load=$!
echo 1 >$suite/memdiag/enabled
until [ "$(cat $suite/memdiag/passes)" -gt 0 ]; do
	printf '   sweep %3d%%, %d pages tested, %d bad, %d rounds of work\n' \
		"$(cat $suite/memdiag/pass_progress_pct)" "$(cat $suite/memdiag/tested_pages)" \
		"$(cat $suite/memdiag/bad_page_count)" "$(wc -l <$work/rounds)"
	sleep 3
done
python3 "$memsuite" diag list
# As udev does where the suite is installed.
python3 "$memsuite" diag save || :
grep HardwareCorrupted /proc/meminfo
grep -q "^$(printf '0x%x' $((cell / 4096))) " /sys/kernel/debug/memsuite/memdiag/bad_pages ||
	die "the faulty cell was not found"
echo 0 >$suite/memdiag/enabled
kill $load
[ ! -e $work/failed ] || die "the workload was disturbed"
echo "   the programs ran on: $(wc -l <$work/rounds) rounds, none disturbed"

say "[4/5] vipzone: sqlite's memory, before and after steering it to the second node"
python3 "$memsuite" zone list
database() { # REGION or nothing
	mkfifo $work/sql
	sqlite3 :memory: <$work/sql >$work/answer &
	db=$!
	exec 3>$work/sql
	[ -z "$1" ] || echo "$db region:$1" >$suite/vipzone/add || die "cannot steer"
	echo 'create table t as with recursive c(x) as (select 1 union all select x+1 from c where x<150000)
		select x, hex(randomblob(60)) as y from c; select count(*) from t;' >&3
	until grep -q 150000 $work/answer 2>/dev/null; do sleep 0.5; done
	python3 "$repo/scripts/demo.d/where.py" $db
	exec 3>&-
	wait $db
	rm -f $work/sql $work/answer
}
echo 1 >$suite/vipzone/enabled || die "cannot enable vipzone"
echo "before:"
database "" | tee $out/placement-before.txt
echo "after:"
database node1 | tee $out/placement-after.txt
echo 0 >$suite/vipzone/enabled

say "[5/5] mrc: the miss ratio curve of a program that loops over 6000 pages (24 MB)"
echo 1 >$suite/mrc/enabled || die "cannot enable mrc"
/tests/loop 6000 60 >/dev/null &
loop=$!
sleep 1
echo $loop >$suite/mrc/add || die "cannot track"
sleep 15
python3 "$memsuite" mrc show $loop
python3 "$memsuite" mrc show $loop --svg $out/curve.svg
cp /sys/kernel/debug/memsuite/mrc/$loop/curve $out/curve.txt
kill $loop 2>/dev/null
wait $loop 2>/dev/null

say "status, and unloading"
python3 "$memsuite" status
python3 "$memsuite" export >$out/metrics.prom
rmmod mrc vipzone memdiag memsuite || die "cannot unload"
echo "unloaded; the bad page stays retired: $(grep HardwareCorrupted /proc/meminfo)"
