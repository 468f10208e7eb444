#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A region or a bank map that is removed while somebody is in one of its files: until he is done another one of that name
# is refused, and is not made beside it.
#
# kernels: newest; soak: all
. "$(dirname "$0")/ktap.sh"
modprobe vipzone || exit 1

# leaves DIRECTORY NAME FILE FUNCTION ADDED: the kernel's FUNCTION, which reads FILE, takes 3 s.
leaves() {
	check "$1: it is there" sh -c "echo '$5' >$suite/$1/add"
	check "reading takes long" modprobe slowtest name="$4" ms=3000
	cat 2>/dev/null "$suite/$1/$2/$3" >/dev/null &
	reader=$!
	sleep 0.5
	echo "$2" >"$suite/$1/remove" &
	remover=$!
	sleep 0.5
	check "another one is refused while it goes" [ "$("$here/poke" "$suite/$1/add" "literal:$5")" = EBUSY ]
	check "nor is it removed twice" [ "$("$here/poke" "$suite/$1/remove" "literal:$2")" = ENOENT ]
	wait $reader
	check "it goes" wait $remover
	rmmod slowtest
	check "and may come again" sh -c "echo '$5' >$suite/$1/add && [ -d $suite/$1/$2 ]"
	check "and go" sh -c "echo '$2' >$suite/$1/remove && ! [ -e $suite/$1/$2 ]"
}
leaves regions part container_kib container_kib_show "part 256M-260M"
leaves bank_maps map frame_map frame_map_show "map xor=0x2000,0x4000"
check "unload" rmmod vipzone memsuite
done_testing
