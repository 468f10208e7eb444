#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Addresses far apart that are one page, or cells that disturb each other from
# there: no march over one block shows them. They are found by the test of the
# bits of addresses, which tells the bit.
#
#   address-bits.sh KIND BIT...	alias or coupling; bits of addresses
#
# In scripts/vm --fault later=quick, or later for couplings, which takes ten times as long.
#
# kernels: newest; soak: all
# options: --mem 384M --fault later=quick
# arguments: alias 12 21 22 26
# timeout: 1800
. "$(dirname "$0")/ktap.sh"
diag=$suite/memdiag
bits=$diag/address_bits

kind=$1
shift
# A page for each bit amid 2 MiB that are free, and its partner amid others.
free_pairs() { # BIT...
	for bit; do
		echo "$bit" $(((1 << bit) >> 21)) $(((1 << bit) >> 12 & 511))
	done >/tmp/bits
	page_flags | awk '
	FNR == NR { n++; bit[n] = $1; blocks[n] = $2; pages[n] = $3; next }
	{ free[int((FNR - 1) / 512)] += $1 == 1024 }
	END {
		for (; n; n--) {
			apart = blocks[n]
			for (block = int(FNR / 512) - 1; block > 0; block--) {
				partner = !apart ? block : int(block / apart) % 2 ? block - apart : block + apart
				if (!used[block] && !used[partner] && free[block] == 512 && free[partner] == 512)
					break
			}
			used[block] = used[partner] = 1
			print bit[n], block * 512 + 256, partner * 512 + 256 + pages[n]
		}
	}' /tmp/bits -
}
at() { printf '0x%x' $(($1 * 4096 + 0x128)); }
is_bad() { grep -q "^$(printf '0x%x' "$1") " $debug/memdiag/bad_pages; }
table() { sed 's/^/# /' $debug/memdiag/address_bits; }
pct() { awk -v bit="$1" '$1 == bit { print $5 }' $debug/memdiag/address_bits; }
blamed() { dmesg | grep -q "are one cell, or disturb each other: .* 0x$(printf '%x' $((1 << $1)))$"; }

modprobe memdiag || exit 1
check "no pass yet" sh -c "! cat $bits/age_s 2>/dev/null"
check "a period of 0 to 30 days" sh -c "! echo 2592001 >$bits/period_s 2>/dev/null"
echo 600 >$diag/test_lifetime_s
# As fast as it can: what is left to programs is no matter here.
echo 1000000 >$diag/control/bandwidth_mib_s
check "enable" sh -c "echo 1 >$diag/enabled"
check "a pass, by itself after the first sweep" wait_for 900 at_least $bits/passes 1
table
check "nothing is bad" equals $diag/bad_page_count 0
check "the lowest with much of memory" [ "$(pct 22)" -ge 20 ]
check "and neighbours" [ "$(pct next)" -ge 20 ]

free_pairs "$@" >/tmp/pairs
set --
while read -r bit page other; do
	note "bit $bit: $(at "$page") and $(at "$other")"
	set -- "$@" "$(at "$page"):3:$kind@$(at "$other")"
done </tmp/pairs
check "faults" "$here/fault" "$@"
# In a pass some free memory may be on its way: in pools, and in CPUs' lists.
all_found() {
	while read -r _ page _; do
		is_bad "$page" || return 1
	done </tmp/pairs
}
passes=$(cat $bits/passes)
echo 1 >$bits/period_s
check "all are found" wait_for 900 all_found
note "in $(($(cat $bits/passes) - passes)) whole passes"
# Of a pair both have to be free, and the kernel lies in low memory: of the highest bits that is not so in each pass.
check "each bit was tested" wait_for 600 at_least $bits/tested_pct 1
echo 0 >$bits/period_s
bad=0
while read -r bit page other; do
	check "bit $bit: found" is_bad "$page"
	bad=$((bad + 1))
	[ $kind = alias ] || continue
	check "bit $bit: its partner, too" is_bad "$other"
	bad=$((bad + 1))
done </tmp/pairs
check "nothing else is bad" equals $diag/bad_page_count $bad
table
dmesg | grep "are one cell" | sed 's/^/# /'
while read -r bit page other; do
	[ "$bit" -lt 22 ] || check "bit $bit is blamed" blamed "$bit"
done </tmp/pairs
check "disable" sh -c "echo 0 >$diag/enabled"
done_testing
