#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# bench-mrc.sh MODE...: replays the traces that /mnt/share/list names, tracks each in each of the modes, and leaves its
# curve there. Lines of the list: NAME RATE SECONDS WINDOWS, RATE 0 for a trace with times. After each of the windows,
# of that many seconds, the curve is read.

control=/sys/kernel/memsuite/mrc
debug=/sys/kernel/debug/memsuite/mrc
here=$(dirname "$0")
share=/mnt/share

now() {
	cut -d' ' -f1 /proc/uptime
}

# Tells mrc the true rate of accesses, if this mrc can be told.
tell_rate() {
	[ -e $control/accesses_per_s ] || return
	echo "$pid $(awk '/^at/ { if (!n++) { t = $2; a = $3 } u = $2; b = $3 }
			  END { printf "%d", (b - a) * 1e6 / (u - t) }' /tmp/at)" >$control/accesses_per_s &&
		touch "$left.told"
}

[ -d /sys/kernel/debug/memsuite ] || mount -t debugfs none /sys/kernel/debug 2>/dev/null
modprobe mrc || exit 1
echo 1 >$control/enabled
# track MODE: a replay of $name.
track() {
	left=$share/$name.$1
	echo "$1" >$control/mode || exit 1
	"$here/replay" --rate "$rate" /tmp/trace >/tmp/at &
	pid=$!
	until grep -q ready /tmp/at; do
		kill -0 $pid || exit 1
		sleep 0.1
	done
	echo $pid >$control/add
	now >"$left.reads"
	i=0
	while [ $i -lt "$windows" ]; do
		i=$((i + 1))
		sleep "$seconds"
		now >>"$left.reads"
		tell_rate
		cat $debug/$pid/curve >"$left.curve.$i"
		cat $debug/$pid/stats >"$left.stats.$i"
	done
	kill $pid
	wait $pid 2>/dev/null
	cp /tmp/at "$left.at"
	echo "$name is done in mode $1 after $(now) s"
}

while read -r name rate seconds windows; do
	cp "$share/$name" /tmp/trace
	for mode; do
		track "$mode"
	done
done <$share/list
rmmod mrc
