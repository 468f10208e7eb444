#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# mrc in a guest: curves of programs whose curve is known, targets that come
# and go, bad input. KTAP; exits with 1 if a test failed.
#
#   mrc-cliff.sh [SECONDS]	time that each program is tracked, 9 by default
#
# boot: shared
# kernels: newest; soak: all

seconds=${1:-9}
control=/sys/kernel/memsuite/mrc
debug=/sys/kernel/debug/memsuite/mrc
here=$(dirname "$0")
out=/tmp/mrc-cliff.$$
n=0
failed=0

check() {	# check STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		failed=1
	fi
}

skip() {
	n=$((n + 1))
	echo "ok $n $1 # SKIP $2"
}

# How the write of VALUE (printf escapes) to FILE ended: ok, or the error.
outcome() {
	# shellcheck disable=SC2059
	if text=$(printf "$2" | dd of="$1" bs=8192 conv=notrunc 2>&1); then
		echo ok
	else
		echo "$text" | sed -n '1s/.*: //p'
	fi
}

# refuses FILE VALUE ERROR: with that error, and the file reads as before.
refuses() {
	before=$(cat "$control/$1" 2>/dev/null)
	got=$(outcome "$control/$1" "$2")
	after=$(cat "$control/$1" 2>/dev/null)
	[ "$got" = "$3" ] && [ "$before" = "$after" ] && return 0
	echo "# $1: wrote '$(printf %.20s "$2")': $got, not $3; '$before', then '$after'"
	return 1
}

stat_of() {
	sed -n "s/^$2 //p" "$debug/$1/stats"
}

# The largest size whose miss ratio is at least RATIO.
cliff_of() {
	awk -v r="$2" '!/^#/ && $3 >= r { m = $1 } END { print m + 0 }' "$debug/$1/curve"
}

within() {	# within GOT WANT PERCENT
	[ $((100 * $1)) -ge $(((100 - $3) * $2)) ] && [ $((100 * $1)) -le $(((100 + $3) * $2)) ]
}

# Waits until the loop has touched all its pages once, for the TIMES-th time.
await_ready() {	# await_ready TIMES
	i=0
	while [ "$(grep -c ready "$out")" -lt "$1" ] && [ $i -lt 100 ]; do
		sleep 1
		i=$((i + 1))
	done
}

# track ARGS...: starts a loop and tracks it for a while; sets pid.
track() {
	: >"$out"
	"$here/loop" "$@" $((seconds + 30)) >"$out" &
	pid=$!
	await_ready 1
	echo $pid >$control/add
	sleep "$seconds"
}

stop() {
	kill $pid 2>/dev/null
	wait $pid 2>/dev/null
	# The pause of a tracker that was kept from its CPU is long.
	for _ in $(seq 70); do
		[ -d "$debug/$pid" ] || break
		sleep 1
	done
}

cliff() {	# cliff PAGES
	track "$1"
	got=$(cliff_of $pid 0.5)
	echo "# cliff of $1 pages at $got, $(stat_of $pid ladders) ladders of" \
	     "$(stat_of $pid samples) samples, floor $(stat_of $pid floor_us) us"
	within "$got" "$1" 5
	check $? "cliff of a loop over $1 pages within 5%"
	awk '!/^#/ && ($4 > $3 || $3 > $5 || $3 > last && NR > 2) { bad = 1 }
	     !/^#/ { last = $3 } END { exit bad }' "$debug/$pid/curve"
	check $? "curve of $1 pages falls, inside its band"
	stop
}

[ -d /sys/kernel/debug/memsuite ] || mount -t debugfs none /sys/kernel/debug 2>/dev/null
echo "KTAP version 1"
echo "1..22"

[ -d $control ] || modprobe mrc
[ -d $control ]
check $? "load"
[ "$(cat $control/enabled)" = 0 ]
check $? "off when loaded"

# Bad input, before anything runs.
junk=$(head -c 4096 /dev/zero | tr '\0' j)
status=0
for file in enabled add remove samples ladder_ms max_cpu_permille; do
	for value in '\n' ' ' x 1x '1 2' '1\0002' -- -1 1.5 99999999999999999999999 "$junk"; do
		want="Invalid argument"
		case $value in
		--) continue ;;
		9*) [ $file = enabled ] || want="Numerical result out of range" ;;
		esac
		refuses $file "$value" "$want" || status=1
	done
done
check $status "text, signs, NUL, junk and 4 KiB of it are refused"
status=0
for pair in add:0 add:4194305 remove:0 remove:4294967297 samples:255 samples:65537 \
	    ladder_ms:99 ladder_ms:60001 max_cpu_permille:0 max_cpu_permille:1001; do
	refuses ${pair%:*} ${pair#*:} "Numerical result out of range" || status=1
done
refuses enabled 2 "Invalid argument" || status=1
check $status "what is out of range is refused"
[ "$(outcome $control/samples 2048)$(cat $control/samples)" = ok2048 ] &&
	[ "$(outcome $control/samples '0x1000\n')$(cat $control/samples)" = ok4096 ]
check $? "what is in range is taken"

refuses add 4194303 "No such process"
check $? "no such process"
refuses add 2 "Invalid argument"
check $? "a kernel thread"
refuses remove 1 "No such file or directory"
check $? "removal of what is not there"

# Targets while disabled: nothing is touched.
sleep 100 &
pid=$!
echo $pid >$control/add && [ "$(cat $control/add)" = $pid ] && [ -d $debug/$pid ]
check $? "add"
refuses add $pid "File exists"
check $? "add it again"
sleep 2
[ "$(stat_of $pid pte_clears)" = 0 ]
check $? "nothing is touched while disabled"
echo $pid >$control/remove && [ -z "$(cat $control/add)" ] && [ ! -e $debug/$pid ]
check $? "remove"
kill $pid

echo 1 >$control/enabled
cliff 2000
cliff 10000
cliff 30000

track 10000
kill -9 $pid
stop
[ ! -e $debug/$pid ] && ! grep -qx $pid $control/add
check $? "a process that ends is dropped"

: >"$out"
"$here/loop" --pattern exec 20000 $((seconds + 10)) >"$out" &
pid=$!
await_ready 1
echo $pid >$control/add
await_ready 2
sleep "$seconds"
got=$(cliff_of $pid 0.5)
echo "# after exec, cliff of 20000 pages at $got"
[ "$(stat_of $pid execs)" = 1 ] && within "$got" 20000 5
check $? "a process is followed through exec"
stop

huge=/sys/kernel/mm/transparent_hugepage/enabled
if [ -e $huge ] && ! grep -q '\[never\]' $huge; then
	track --thp 16384
	got=$(cliff_of $pid 0.5)
	echo "# huge pages: cliff of 16384 pages at $got, $(stat_of $pid huge_pages) pages huge"
	within "$got" 16384 5
	check $? "cliff of a loop over huge pages within 5%"
	stop
else
	skip "cliff of a loop over huge pages within 5%" "no huge pages"
fi

for i in 1 2 3 4; do
	"$here/loop" 3000 60 >/dev/null &
	echo $! >$control/add
	pids="$pids $!"
done
sleep 3
rmmod mrc
check $? "unload with four targets"
# shellcheck disable=SC2086
kill $pids
rm -f "$out"
exit $failed
