#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# usage: vm-cell.sh KIND ADDRESS [SPEC]: bit 3 of the byte there fails as KIND says; its aggressor is the next byte.
# With SPEC it is sound until this has been asked for.
kind=$1
cell=$(($2))
phys=/sys/kernel/debug/vmtest/phys
# All cells of a machine are in the block of the first.
[ -e $phys ] || modprobe vmtest at=$cell || exit 1

peek() { # ADDRESS
	dd if=$phys bs=1 skip="$1" iflag=skip_bytes count=1 2>/dev/null | od -An -tx1 | tr -d ' '
}
poke() { # ADDRESS, BYTE in octal
	# shellcheck disable=SC2059	# an escape of printf is what is wanted
	printf "\\$2" | dd of=$phys bs=1 seek="$1" conv=notrunc 2>/dev/null
}
reads() { # BYTE, WHEN
	got=$(peek $cell)
	[ "$got" = "$1" ] || { echo "$kind: $2 it reads $got, not $1"; exit 1; }
}

if [ -n "$3" ]; then
	for byte in 377 000; do
		poke $cell $byte; poke $((cell + 1)) $byte; peek $((cell + 1)) >/dev/null
		reads "$(printf %02x 0$byte)" 'while it is sound'
	done
	fault "$3" || exit 1
fi

case $kind in
sa0 | fast-sa0)
	poke $cell 377; reads f7 'after ff'
	poke $cell 000; reads 00 'after 00'
	;;
sa1 | fast-sa1)
	poke $cell 000; reads 08 'after 00'
	poke $cell 377; reads ff 'after ff'
	# Half a MiB, written and then read, as a march test does.
	start=$((cell & ~0x7ffff))
	dd if=/dev/zero of=$phys bs=4k seek=$start oflag=seek_bytes count=128 conv=notrunc 2>/dev/null
	wrong=$(dd if=$phys bs=4k skip=$start iflag=skip_bytes count=128 2>/dev/null | tr -d '\000' | od -An -tx1)
	[ "$wrong" = ' 08' ] || { echo "$kind: zeros read '$wrong'"; exit 1; }
	;;
intermittent)
	sound=0 stuck=0
	for _ in $(seq 300); do
		[ $sound -gt 0 ] && [ $stuck -gt 0 ] && break
		poke $cell 000
		case $(peek $cell) in
		00) sound=$((sound + 1)) ;;
		08) stuck=$((stuck + 1)) ;;
		*) exit 1 ;;
		esac
	done
	echo "$sound sound, $stuck stuck"
	[ $sound -gt 0 ] && [ $stuck -gt 0 ]
	;;
coupling)
	poke $cell 000; reads 00 'with nothing written next to it'
	poke $((cell + 1)) 125; reads 08 'after a write of the next byte'
	peek $((cell + 1)) >/dev/null; reads 08 'after a read of the next byte'
	poke $((cell + 1)) 252; reads 00 'after two writes of the next byte'
	;;
once)
	reads 08 'having been 00'
	poke $cell 000; reads 00 'after 00'
	;;
disturb)
	poke $cell 000; reads 00 'with nothing read next to it'
	peek $((cell + 1)) >/dev/null; reads 08 'after a read of the next byte'
	;;
*) exit 2 ;;
esac
