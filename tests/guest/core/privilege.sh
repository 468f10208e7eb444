#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Who may do what: a plain user learns no physical address, no bank and nothing about
# other users' processes, and no file that he may read walks all memory. The user 0
# without capabilities, as a service or a container may have it, changes nothing.
#
# boot: shared
# kernels: oldest newest; soak: all
. "$(dirname "$0")/ktap.sh"

modprobe memdiag && modprobe vipzone && modprobe mrc || exit 1
echo "map xor=0x40000" >$suite/bank_maps/add || exit 1
echo "set 64M-128M map=map banks=0" >$suite/regions/add || exit 1
sleep 1000 &
echo "$! region:node0" >$suite/vipzone/add || exit 1
echo "$!" >$suite/mrc/add || exit 1
for module in memdiag vipzone mrc; do
	echo 1 >$suite/$module/enabled || exit 1
done
echo 64M-66M >$suite/memdiag/range/run_test

readable() { # PATTERN: by a plain user
	# shellcheck disable=SC2016
	find "$suite" -type f -path "$1" | "$here/as" 1000 sh -c 'while read -r file; do cat "$file" >/dev/null 2>&1 && echo "$file"; done'
}
hidden() { # PATTERN
	there=$(find "$suite" -type f -path "$1" | wc -l) shown=$(readable "$1")
	[ "$there" -gt 0 ] && [ -z "$shown" ] || { note "$there files; read:" $shown; false; }
}

check "a plain user reads what kind of memory there is" [ -n "$(readable '*/regions/node0/technology')" ]
for pattern in '*/bank_maps/*' '*/regions/*/start' '*/regions/*/end' '*/regions/*/map' '*/regions/*/banks' \
	'*/regions/*_pages' '*/regions/*_misses' '*/regions/*_kib' '*/policies/*' '*/ledger/*' '*/coverage/*' \
	'*/range/range' '*/mrc/add'; do
	check "a plain user does not read $pattern" hidden "$pattern"
done
# Events of the PMU have numbers, too.
readable '*' | grep -v '_event$' | xargs grep -HiE '0x[0-9a-f]{5}' >/tmp/addresses
check "no file that he reads has an address" [ ! -s /tmp/addresses ]
sed 's/^/# /' /tmp/addresses

# As some distributions and many containers' hosts mount it.
mode=$(stat -c %a /sys/kernel/debug)
chmod 755 /sys/kernel/debug
check "a plain user finds the tables of debugfs" "$here/as" 1000 test -d $debug/memdiag
find $debug -type f | "$here/as" 1000 sh -c 'while read -r file; do cat "$file" >/dev/null 2>&1 && echo "$file"; done' >/tmp/shown
chmod "$mode" /sys/kernel/debug
check "nor does he read a table of debugfs" [ ! -s /tmp/shown ]
sed 's/^/# /' /tmp/shown

answers() { # WHO ERRNO
	find $suite -type f -perm -0200 | sort >/tmp/writable
	wrong=0
	while read -r file; do
		answer=$("$here/as" "$1" "$here/poke" "$file" literal:1 2>&1)
		[ "$answer" = "$2" ] || { note "${file#$suite/}: $answer"; wrong=$((wrong + 1)); }
	done </tmp/writable
	[ -s /tmp/writable ] && [ $wrong = 0 ]
}
check "the user 0 without capabilities writes no file" answers powerless EPERM
check "nor does a plain user" answers 1000 EACCES
check "unload" rmmod mrc vipzone memdiag memsuite
done_testing
