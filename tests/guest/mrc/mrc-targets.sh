#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# mrc's targets in a guest: a process with its children, a cgroup, those above a
# size, the machine; under contention only; and the module unloaded while fifty
# processes are tracked. KTAP.
#
# boot: shared
# kernels: 6.1 newest; soak: all
. "$(dirname "$0")/ktap.sh"

control=$suite/mrc
tables=$debug/mrc
# What watches comes first: the guest's CPUs are slow.
loop="$here/loop --nice"

add() { echo "$1" >$control/add; }
drop() { echo "$1" >$control/remove; }
listed() { grep -qx "$1" $control/add; }
stat_of() { sed -n "s/^$2 //p" "$tables/$1/stats" 2>/dev/null; }
stat_is() { [ "$(stat_of "$1" "$2")" = "$3" ]; }
stat_above() { [ "$(stat_of "$1" "$2")" -gt "$3" ] 2>/dev/null; }
answers() { # FILE TEXT ERRNO
	answer=$("$here/poke" "$control/$1" "literal:$2")
	[ "$answer" = "$3" ] || { note "$1, $2: $answer"; false; }
}
# The largest size whose miss ratio is at least RATIO.
cliff_of() { awk -v r="$2" '!/^#/ && $3 >= r { m = $1 } END { print m + 0 }' "$tables/$1/curve"; }
cliff_within() { # NAME RATIO PAGES PERCENT
	cliff=$(cliff_of "$1" "$2")
	note "$1: $cliff pages at $2, $(stat_of "$1" ladders) ladders"
	[ $((100 * cliff)) -ge $(((100 - $4) * $3)) ] && [ $((100 * cliff)) -le $(((100 + $4) * $3)) ]
}
end() { # PID...
	# shellcheck disable=SC2048,SC2086
	kill $* 2>/dev/null
	# shellcheck disable=SC2048,SC2086
	wait $* 2>/dev/null
}

modprobe mrc || exit 1
[ -d $debug ] || mount -t debugfs none /sys/kernel/debug

for bad in "" "1 2" "1 heat" "machine children" machines cgroup: cgroup:a "cgroup:/ children" \
	   above: above:K above:1P "above:1 children" -1; do
	check "add '$bad'" answers add "$bad" "$([ "$bad" ] && echo EINVAL || echo ok)"
done
check "add above:0" answers add above:0 ERANGE
check "add above:5000T" answers add above:5000T ERANGE
check "add no process" answers add "4194303 children" ESRCH
check "add kernel thread" answers add "2 children" EINVAL
check "remove what is no target" answers remove machine ENOENT
check "accesses of what is no target" answers accesses_per_s "1 5" ENOENT
check "accesses without a number" answers accesses_per_s "1" EINVAL
check "no target yet" [ -z "$(cat $control/add)" ]

echo 1 >$control/enabled
echo 500 >$control/ladder_ms
echo 50 >$control/max_cpu_permille

# In a PID namespace a process has another number; it is the same one nevertheless.
unshare --pid --fork sh -c "sleep 60 & for i in 1 2; do '$here/poke' $control/add \"literal:\$! children\"; done; wait" >/tmp/twice &
wait_for 10 grep -q EEXIST /tmp/twice
check "a process of a PID namespace cannot be added twice" [ "$(tr '\n' ' ' </tmp/twice)" = "ok EEXIST " ]
inner=$(sed -n 's/ children$//p' $control/add)
note "it is $inner"
check "and is known by the number that it has outside" [ -n "$inner" -a -d "/proc/$inner" ]
echo "$inner children" >$control/remove
end "$inner" $!

# Two children of a shell.
sh -c "$loop 6000 300 & $loop 2000 300 & wait" >/dev/null &
root=$!
sleep 2
add "$root children"
check "a process with its children is listed" listed "$root children"
check "it cannot be added twice" answers add "$root children" EEXIST
check "its children are tracked" wait_for 5 stat_is "$root+children" processes_tracked 3
children=$(awk '!/^#/ { print $1 }' "$tables/$root+children/processes" | grep -v "^$root$")
big=$(for pid in $children; do echo "$(awk '{ print $2 }' "/proc/$pid/statm") $pid"; done | sort -n | tail -1)
big=${big#* }
wait_for 20 stat_above "$root+children" processes_measured 1
for pid in $children; do
	wait_for 30 stat_above "$pid" ladders 3
done
check "the largest is found at 6000 pages" wait_for 20 cliff_within "$big" 0.5 6000 5
# While nothing changes. Rows are at the same times.
echo 0 >$control/enabled
for pid in $root $children; do cat "$tables/$pid/wss"; done >/tmp/each
check "working sets of all are those of each, added up" awk '
	/^#/ { next }
	NR == FNR { sum[$1] += $2; next }
	{ n++; if ($2 < 0.97 * sum[$1] - 3 || $2 > 1.03 * sum[$1] + 3) { print "#", $1, $2, sum[$1]; bad = 1 } }
	END { exit bad || n < 10 }' /tmp/each "$tables/$root+children/wss"
echo 1 >$control/enabled
# How often the smaller one runs, and so its part of the misses, is for the scheduler to say.
check "both together fit 8000 pages" wait_for 20 cliff_within "$root+children" 0.02 8000 6
check "the curve falls, inside its band" awk '!/^#/ && ($4 > $3 || $3 > $5 || $3 > last && NR > 2) { bad = 1 }
	!/^#/ { last = $3 } END { exit bad || NR < 100 }' "$tables/$root+children/curve"
check "working sets grow with time" awk '!/^#/ { if ($2 < last) bad = 1; last = $2 } END { exit bad || NR < 10 }' \
	"$tables/$root+children/wss"
check "accesses are touches" grep -q "^[1-9][0-9]* touches$" "$tables/$root+children/accesses"
echo "$root 1000000000" >$control/accesses_per_s
check "accesses are as written" grep -q "^1000000000 written$" "$tables/$root+children/accesses"
check "and divide the misses" awk '!/^#/ && $1 >= 1000 && $3 > 0.1 { bad = 1 } END { exit bad }' "$tables/$root+children/curve"
end $children
check "a target whose processes have ended is dropped" wait_for 5 sh -c "! [ -e '$tables/$root+children' ]"
check "and listed no more" sh -c "! grep -q '^$root' $control/add"

# A cgroup, and one below it.
mkdir -p /tmp/cgroup && mount -t cgroup2 none /tmp/cgroup 2>/dev/null
if mkdir -p /tmp/cgroup/a/b; then
	check "no such cgroup" answers add cgroup:/nowhere ENOENT
	check "a process is not to come" answers add "$$ later" EINVAL
	check "a path as no cgroup has it" answers add "cgroup:/nowhere/ later" ENOENT
	for where in a a/b a/b; do
		sh -c "echo 0 >/tmp/cgroup/$where/cgroup.procs; exec $loop 2000 300" >/dev/null &
		pids="${pids:+$pids }$!"
	done
	add cgroup:/a
	check "the processes of a cgroup are tracked" wait_for 5 stat_is cgroup:!a processes_tracked 3
	wait_for 20 stat_is cgroup:!a processes_measured 3
	# Of three on two CPUs one waits: how often they take turns, and so the misses with two in memory, varies.
	check "they fit 6000 pages together" wait_for 20 cliff_within cgroup:!a 0.02 6000 6
	# Tracked once, for both.
	add machine
	wait_for 10 stat_above machine processes_tracked 2
	for pid in $pids; do
		stat_above "$pid" ladders 0 || note "$pid has no curve"
	done
	drop cgroup:/a
	check "they are still tracked for the machine" stat_above "${pids##* }" ladders 0
	check "the cgroup is listed no more" sh -c "! grep -q cgroup $control/add"
	drop machine
	check "nobody is tracked then" [ -z "$(ls -d $tables/[0-9]* 2>/dev/null)" ]
	add cgroup:/a
	end $pids
	rmdir /tmp/cgroup/a/b /tmp/cgroup/a
	check "a cgroup that is removed has nobody" wait_for 5 stat_is cgroup:!a processes_tracked 0
	starts() { # NAME: a service, whose cgroup comes and goes with it
		mkdir /tmp/cgroup/a
		sh -c "echo 0 >/tmp/cgroup/a/cgroup.procs; exec $loop 2000 300" >/dev/null &
		service=$!
		check "$1" wait_for 10 stat_is cgroup:!a processes_tracked 1
		end $service
		rmdir /tmp/cgroup/a
		drop cgroup:/a
	}
	starts "made again, it is tracked again"
	# Of a service that starts after the configuration is read.
	check "one that is to come" answers add "cgroup:/a later" ok
	check "is listed" listed cgroup:/a
	starts "and tracked when it is there"
	check "it is listed no more when it is removed from the list" sh -c "! grep -q cgroup $control/add"
	# Of a container: its root is /b for all others. 5.10 does not look at that.
	mkdir -p /tmp/cgroup/b/in
	sh -c "echo 0 >/tmp/cgroup/b/cgroup.procs; exec '$here/as' contained '$here/poke' $control/add literal:cgroup:/in" >/tmp/out
	if grep -qx ok /tmp/out; then
		check "a cgroup of a container is known by the path that all know" listed cgroup:/b/in
		drop cgroup:/b/in
	else
		check "paths are those of all" [ "$(uname -r | cut -d . -f 1)" = 5 ]
	fi
	rmdir /tmp/cgroup/b/in
	long=$(printf '%0199d' 0)
	mkdir /tmp/cgroup/b/$long
	fit=0
	until ! mkdir /tmp/cgroup/b/$long/$fit || ! answers add "cgroup:/b/$long/$fit" ok || [ $fit = 30 ]; do fit=$((fit + 1)); done
	check "as many are added as can be listed" between $fit 15 20
	check "and no more" answers add "cgroup:/b/$long/$fit" ENOSPC
	check "all of them are listed" [ "$(grep -c "^cgroup:/b/$long/[0-9]*$" $control/add)" = $fit ]
	while [ $fit -gt 0 ]; do
		fit=$((fit - 1))
		drop "cgroup:/b/$long/$fit"
	done
	find /tmp/cgroup/b -depth -type d -exec rmdir {} +
else
	check "there are cgroups" false
fi

# Those above a size.
$loop 6000 300 >/dev/null &
large=$!
$loop 500 300 >/dev/null &
small=$!
sleep 1
before=$(cat $control/changes)
add above:16M
check "who is above a size is tracked" wait_for 5 test -d $tables/$large
check "who is not, is not" sh -c "! [ -d $tables/$small ]"
check "a change was announced" [ "$(cat $control/changes)" -gt "$before" ]
add $small
check "but may be a target by itself" test -d $tables/$small
end $large
check "one that ends is dropped" wait_for 5 sh -c "! [ -d $tables/$large ]"
"$here/touch" 6000 --until /tmp/end --orphan >/tmp/touched &
orphan=$!
wait_for 20 test -s /tmp/touched
check "a process goes on without its first thread" grep -q '^State:.Z' /proc/$orphan/status
check "it has a size nevertheless" wait_for 10 test -d $tables/$orphan
check "and a curve" wait_for 20 stat_above $orphan ladders 0
drop above:16384K
check "sizes are compared, not words" [ "$(cat $control/add)" = $small ]

check "it may be a target by itself" answers add $orphan ok
check "that is measured" wait_for 20 stat_above $orphan ladders 0
: >/tmp/end
check "and dropped when it ends" wait_for 10 sh -c "! [ -d $tables/$orphan ]"

# Only while memory is short: it never is, and then always.
note "what tells of contention: $(cat $control/contention_source)"
echo 0 >$control/contention_pressure_pct
echo 0 >$control/contention_available_pct
echo 1 >$control/contended_only
sleep 2
ladders=$(stat_of $small ladders)
sleep 2
check "nothing is tracked while memory is not short" stat_is $small ladders "$ladders"
check "which is told" equals $control/contended 0
echo 100 >$control/contention_available_pct
check "it is when memory is short" wait_for 10 stat_above $small ladders "$ladders"
check "which is told, too" equals $control/contended 1
echo 0 >$control/contended_only
end $small

# Unload amid fifty of them, that fork and exec and end meanwhile.
pids=
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
	$loop $((100 + i * 8)) 300 >/dev/null &
	pids="$pids $!"
	$loop --pattern exec 400 $((3 + i)) >/dev/null &
	pids="$pids $!"
	sleep 300 &
	pids="$pids $!"
	sh -c "sleep 300; true" &
	pids="$pids $!"
done
sh -c "while :; do $loop 300 0.3 >/dev/null; done" &
pids="$pids $!"
add machine
add "$$ children"
check "fifty are tracked" wait_for 20 stat_above machine processes_tracked 49
sleep 2
cat $tables/machine/curve >/dev/null
note "the machine: $(stat_of machine processes) processes, $(stat_of machine processes_tracked) tracked," \
	"$(stat_of machine resident_pages) pages, $(stat_of machine untracked_pages) not tracked"
check "no child was lost" equals $control/lost_children 0
check "unload with fifty" rmmod mrc
end $pids
killall sleep 2>/dev/null
check "load and unload again" sh -c "modprobe mrc && echo machine >$control/add && echo 1 >$control/enabled && sleep 1 && rmmod mrc"
done_testing
