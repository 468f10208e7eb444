#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Bad input on every writable file: refused with an errno that its
# documentation names, and nothing changed.
#
# boot: shared
# kernels: oldest newest debug; soak: all
. "$(dirname "$0")/ktap.sh"

modprobe memdiag && modprobe vipzone && modprobe mrc || exit 1

state() {
	find $suite -type f -perm -0400 ! -name '*_pages' ! -name hits \
		! -name cpu_ns ! -name "*_age_*" ! -name "*_pct" ! -name left_large ! -path "*/control/fidelity" ! -path "*/control/threads" ! -name alarms ! -name "*_pages_s" ! -name on_demand_tests ! -name '*_misses' | sort | xargs grep -H . 2>/dev/null
	find $suite -type d | sort
}

kinds="empty newline text negative huge nul numbernul junk trailing"

# An empty write does not reach the file; sysfs answers it itself.
refused() { # FILE KIND ANSWER
	case "$2:$3" in
	empty:ok | *:EINVAL | *:ERANGE | *:E2BIG | *:ENAMETOOLONG) true ;;
	*:ENOENT) [ "${1##*/}" = remove ] ;;	# well formed, but not there
	*) note "$1 $2: $3" && false ;;
	esac
}

before=$(state)
find $suite -type f -perm -0200 | sort >/tmp/writable
while read -r file; do
	# shellcheck disable=SC2086	# a kind each
	"$here/poke" "$file" $kinds >/tmp/answers
	for kind in $kinds; do
		answer=
		read -r answer
		check "${file#$suite/} $kind" refused "$file" $kind "$answer"
	done </tmp/answers
done </tmp/writable
after=$(state)
check "nothing changed" [ "$before" = "$after" ]
check "there are writable files" [ "$(wc -l </tmp/writable)" -ge 10 ]

answers() { # FILE TEXT ERRNO
	answer=$("$here/poke" "$1" "literal:$2")
	[ "$answer" = "$3" ] || { note "$answer"; false; }
}

check "memdiag/enabled 2" answers $suite/memdiag/enabled 2 EINVAL
check "memdiag/algorithm unknown" answers $suite/memdiag/algorithm march-z EINVAL
check "memdiag/algorithm no march test" answers $suite/memdiag/algorithm "{c(w0);u(r1)}" EINVAL
check "memdiag/algorithm position of the mistake" sh -c "dmesg | grep -q 'memdiag: algorithm: not a march test at character 10: .r1)}.'"
check "memdiag/method unknown" answers $suite/memdiag/method avx EINVAL
check "memdiag/test_lifetime_s 0" answers $suite/memdiag/test_lifetime_s 0 ERANGE
check "memdiag/range/run_test reversed" answers $suite/memdiag/range/run_test 2M-1M ERANGE
check "memdiag/range/run_test unaligned" answers $suite/memdiag/range/run_test 1-2M EINVAL
check "memdiag/range/run_test beyond memory" answers $suite/memdiag/range/run_test 1M-512T ENXIO
check "memdiag/range/cancel 0" answers $suite/memdiag/range/cancel 0 ERANGE
check "memdiag/tests/add no period" answers $suite/memdiag/tests/add "a march-ss" EINVAL
check "memdiag/tests/add no algorithm" answers $suite/memdiag/tests/add "a period_s=1" EINVAL
check "memdiag/tests/add unknown algorithm" answers $suite/memdiag/tests/add "a march-z period_s=1" EINVAL
check "memdiag/tests/add one word more" answers $suite/memdiag/tests/add "a march-ss period_s=1 b" EINVAL
check "memdiag/tests/add no number" answers $suite/memdiag/tests/add "a march-ss period_s=x" EINVAL
check "memdiag/tests/add long period" answers $suite/memdiag/tests/add "a march-ss period_s=2592001" ERANGE
check "memdiag/tests/add long name" answers $suite/memdiag/tests/add "a2345678901234567890123456789012 mats period_s=1" EINVAL
check "memdiag/tests/remove unknown" answers $suite/memdiag/tests/remove nothing ENOENT
check "regions/add no range" answers $suite/regions/add "a" EINVAL
check "regions/add reversed" answers $suite/regions/add "a 2M-1M" ERANGE
check "regions/add unaligned" answers $suite/regions/add "a 1-2M" EINVAL
check "regions/add unknown key" answers $suite/regions/add "a 1M-2M color=red" EINVAL
check "regions/add large number" answers $suite/regions/add "a 1M-2M idle_power_mw=4294967296" ERANGE
check "regions/node0/idle_power_mw large" answers $suite/regions/node0/idle_power_mw 4294967296 ERANGE
check "regions/node0/wear_budget_kib_per_day large" answers $suite/regions/node0/wear_budget_kib_per_day 1099511627777 ERANGE
check "regions/add path" answers $suite/regions/add "../a 1M-2M" EINVAL
check "regions/add taken" answers $suite/regions/add "node0 1M-2M" EEXIST
check "regions/add beyond memory" answers $suite/regions/add "a 1M-0xfffffffffffff000" ERANGE
check "regions/remove of the kernel's" answers $suite/regions/remove node0 EPERM
check "regions/remove unknown" answers $suite/regions/remove nowhere ENOENT
check "vipzone/add no process" answers $suite/vipzone/add "4194303 region:node0" ESRCH
check "vipzone/add no region" answers $suite/vipzone/add "1 region:nowhere" ENOENT
check "vipzone/add kernel thread" answers $suite/vipzone/add "2 region:node0" EINVAL
check "vipzone/add unknown word" answers $suite/vipzone/add "1 region:node0 red" EINVAL
check "vipzone/remove unknown" answers $suite/vipzone/remove 1 ENOENT
check "nothing changed by these" [ "$before" = "$(state)" ]
rmmod mrc vipzone memdiag memsuite
done_testing
