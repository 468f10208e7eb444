#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# bench-mrc.sh: replays the traces that /mnt/share/list names, tracks each, and leaves its curve there.
# Lines of the list: NAME RATE SECONDS WINDOWS, RATE 0 for a trace with times. After each of the windows, of that
# many seconds, the curve is read.

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
		touch "$share/$name.told"
}

[ -d /sys/kernel/debug/memsuite ] || mount -t debugfs none /sys/kernel/debug 2>/dev/null
modprobe mrc || exit 1
echo 1 >$control/enabled
while read -r name rate seconds windows; do
	cp "$share/$name" /tmp/trace
	"$here/replay" --rate "$rate" /tmp/trace >/tmp/at &
	pid=$!
	until grep -q ready /tmp/at; do
		kill -0 $pid || exit 1
		sleep 0.1
	done
	echo $pid >$control/add
	now >"$share/$name.reads"
	i=0
	while [ $i -lt "$windows" ]; do
		i=$((i + 1))
		sleep "$seconds"
		now >>"$share/$name.reads"
		tell_rate
		cat $debug/$pid/curve >"$share/$name.curve.$i"
		cat $debug/$pid/stats >"$share/$name.stats.$i"
	done
	kill $pid
	wait $pid 2>/dev/null
	cp /tmp/at "$share/$name.at"
	echo "$name is done after $(now) s"
done <$share/list
rmmod mrc
