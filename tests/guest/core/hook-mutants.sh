#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hook-mutants.sh EVERY: each argument of the hook table read from another register, or not at all, and each function taken for another: no
# mutant is armed, and none does harm, while programs allocate. On two nodes, so that a node is no zero.
#
# kernels: newest; soak: all debug
# options: --root host --numa 512M --numa 512M
# arguments: 12; soak: 1
# timeout: 600; soak: 3600
. "$(dirname "$0")/ktap.sh"
arm=/sys/kernel/debug/hooktest/arm
module=$(modinfo -n memsuite)
point=0 refused=0 accepted=
names=$(python3 "$here/hook_mutants.py" points "$module")

load() { # MODULE
	insmod "$1" && modprobe hooktest
}
unload() { rmmod hooktest memsuite; }
told() { # NUMBER: of a point
	# shellcheck disable=SC2086
	set -- "$1" $names
	shift "$1"
	check "$2: all $refused mutants are refused" [ -z "$accepted" ]
	note "armed:${accepted:- none}"
	refused=0 accepted=
}

modprobe memsuite
modprobe hooktest
number=0
for name in $names; do
	check "the table as it is: $name" sh -c "echo $number >$arm"
	number=$((number + 1))
done
unload
"$here/touch" 2000 --rounds 100000 >/dev/null &
toucher=$!
python3 "$here/hook_mutants.py" list "$module" | awk -v every="$1" 'NR % every == 0' >/tmp/mutants
[ -s /tmp/mutants ] || exit 1
while read -r number field value text; do
	[ "$number" = $point ] || told $point
	point=$number
	python3 "$here/hook_mutants.py" make "$module" /tmp/mutant.ko "$field" "$value" && load /tmp/mutant.ko || exit 1
	if echo "$number" 2>/dev/null >$arm; then
		accepted="$accepted $text"
	else
		refused=$((refused + 1))
	fi
	unload || exit 1
done </tmp/mutants
told $point
kill $toucher
wait $toucher 2>/dev/null
check "the kernel has only complained of arguments and functions" sh -c \
	"! dmesg | grep -E 'BUG|WARNING|Oops|general protection'"
done_testing
