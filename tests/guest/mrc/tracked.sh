# SPDX-License-Identifier: GPL-2.0-only
# What tests of a program that mrc tracks, pid, share. Source it after ktap.sh: mrc is
# loaded then.
# shellcheck shell=sh disable=SC2034,SC2154

control=$suite/mrc

[ -d /sys/kernel/debug/memsuite ] || mount -t debugfs none /sys/kernel/debug 2>/dev/null
modprobe mrc || exit 1

refused() { # FILE TEXT ERROR
	before=$(cat "$control/$1")
	answer=$("$here/poke" "$control/$1" "literal:$2")
	[ "$answer" = "$3" ] && [ "$(cat "$control/$1")" = "$before" ] || { note "$1 $2: $answer"; false; }
}
set_to() { echo "$2" >"$control/$1" && equals "$control/$1" "$2"; } # FILE TEXT
stat_of() { sed -n "s/^$1 //p" "$debug/mrc/$pid/stats"; } # NAME
stat_least() { [ "$(stat_of "$1")" -ge "$2" ]; } # NAME NUMBER
cliff_of() { awk '!/^#/ && $3 >= 0.5 { m = $1 } END { print m + 0 }' "$debug/mrc/$pid/curve"; }
