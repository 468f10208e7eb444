#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# In short, all that the modules are for: memory is tested, a page is retired, a program is steered, its pages are
# moved, and a curve is measured. What this kernel lacks is left out, and told. For kernels that nothing else is run on:
# see tests/flavours.
#
# boot: shared
# kernels: none; soak: all
. "$(dirname "$0")/ktap.sh"
diag=$suite/memdiag

sum_of() { # LINE of touch: 99.5% in place, all clear
	[ $(($4 * 1000)) -ge $(($2 * 995)) ] && [ "$6" = 0 ]
}
unless() { # WHAT-IS-MISSING NAME: says that the check is left out
	ktap_nr=$((ktap_nr + 1))
	echo "ok $ktap_nr $KTAP_PREFIX$2 # SKIP no $1"
}

check "load all" sh -c 'modprobe memdiag && modprobe vipzone && modprobe mrc'
dmesg | sed -n 's/^.*memsuite: this kernel has no/no/p' | while read -r line; do note "$line"; done
echo "low 256M-512M technology=test" >$suite/regions/add
check "enable what only measures" sh -c "for m in memdiag mrc; do echo 1 >$suite/\$m/enabled || exit 1; done"
if can_steer; then
	check "enable vipzone" sh -c "echo 1 >$suite/vipzone/enabled"
	check "the fault hook is armed" equals $suite/hooks/fault.alloc/state direct
fi
grep . $suite/hooks/*/state | sed "s,$suite/hooks/,# ,; s,/state:, ,"

# memdiag
echo 4 >$diag/test_lifetime_s
swept=$(cat $diag/passes)
check "memory is tested" wait_for 300 at_least $diag/passes $((swept + 1))
note "$(cat $diag/tested_pages) pages"
check "nothing is called bad" equals $diag/bad_page_count 0
# What is under test now is not free.
echo 0 >$diag/enabled
page=$(free_page)
check "a free page is retired" sh -c "echo $page >$diag/retire"
check "it is counted" equals $suite/pages/retired_pages 1
check "a second time says that it is" [ "$("$here/poke" $diag/retire "literal:$page")" = EEXIST ]
# Everything that can be had is had: none of it is the bad page.
some=$(awk '$1 == "MemAvailable:" { print int($2 / 4 * 7 / 10) }' /proc/meminfo)
got=$("$here/touch" "$some" --range "$page" $((page + 4096)))
note "$got"
# shellcheck disable=SC2086	# its words
check "it is not handed out" eval 'set -- $got; [ "$4" = 0 ]'
check "it is given back" sh -c "echo $page >$diag/unretire"
check "and is counted no more" equals $suite/pages/retired_pages 0
check "a page that is none says so" [ "$("$here/poke" $diag/unretire "literal:$page")" = ENOENT ]
check "a page is retired for good" sh -c "echo $page >$diag/retire"
echo 1 >$diag/enabled

# vipzone
if can_steer; then
	"$here/touch" 8192 --wait /tmp/go --range 0x10000000 0x20000000 >/tmp/out &
	pid=$!
	check "a program is steered" sh -c "echo $pid region:low >$suite/vipzone/add"
	sleep 1
	: >/tmp/go
	wait $pid
	note "$(cat /tmp/out)"
	# shellcheck disable=SC2046	# its words
	check "to where it should be" sum_of $(cat /tmp/out)
else
	unless NUMA "a program is steered"
fi

# mrc
"$here/loop" 4096 300 >/tmp/loop &
pid=$!
wait_for 60 grep -q ready /tmp/loop
echo 500 >$suite/mrc/ladder_ms
echo 100 >$suite/mrc/max_cpu_permille
ladders() { [ "$(sed -n 's/^ladders //p' "$debug/mrc/$pid/stats")" -ge "$1" ]; }
cliff() { awk '!/^#/ && $3 >= 0.5 { m = $1 } END { print m + 0 }' "$debug/mrc/$pid/curve"; }
if track=$("$here/poke" $suite/mrc/add "literal:$pid") && [ "$track" = ok ]; then
	if [ -d $debug/mrc ]; then
		check "a program is tracked" wait_for 120 ladders 3
		at=$(cliff)
		note "its curve falls at $at pages"
		check "its curve is right" [ "$at" -ge 3276 -a "$at" -le 4915 ]
	else
		unless debugfs "its curve is right"
	fi
else
	note "mrc tracks nothing: $track; $(dmesg | grep 'mrc:' | tail -n 1)"
	check "mrc says why it tracks nothing" sh -c "[ $track = EOPNOTSUPP ] && dmesg | grep -q 'mrc: .*kernel has no'"
fi
check "unload while all is on" rmmod mrc vipzone memdiag memsuite
kill $pid
got=$("$here/touch" "$some" --range "$page" $((page + 4096)))
# shellcheck disable=SC2086	# its words
check "what is retired is not handed out by then either" eval 'set -- $got; [ "$4" = 0 ]'
check "load again" modprobe memdiag
check "it is known again, and given back" sh -c "echo $page >$diag/unretire"
check "unload" rmmod memdiag memsuite
done_testing
