#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boot.sh: what tests/store-boot asks of a system that has booted; the kernel's command line says how it did. Prints a line
# for each result, and at last what the host is to do: cut the power, or wait until it is off.
phase=$(sed -n 's/.*boot-test\.phase=\([a-z-]*\).*/\1/p' /proc/cmdline)
uuid=01234567-89ab-cdef-0123-456789abcdef
. /usr/local/lib/storepram.sh
unset DM_DISABLE_UDEV

check() { # NAME COMMAND...
	name=$1
	shift
	if said=$("$@" 2>&1); then
		echo "ok $phase: $name"
	else
		echo "$said" | sed 's/^/# /'
		echo "not ok $phase: $name"
	fi
}
is_on() { # DEVICE PLACE
	echo "$2 is on $(findmnt -no SOURCE "$2")"
	[ "$(findmnt -no SOURCE "$2")" = "$1" ]
}
write_files() { # NAME
	mkdir -p "/srv/$1"
	for i in 1 2 3 4; do
		head -c 20000 /dev/urandom >"/srv/$1/$i"
	done
	(cd /srv && md5sum "$1"/*) >"/root/sums-$1"
	sync
}
files_are_there() { (cd /srv && md5sum -c "/root/sums-$1"); }
signature() { blkid -p -o value -s TYPE "$1"; }
journal() { journalctl -b --no-pager -u memsuite-stores.service; }
journal_says() { journal | grep "$1"; }
log_has() { journalctl -b -k --no-pager | grep "$1"; }
state_is() { systemctl show -p ActiveState --value memsuite-stores.service | grep -x "$1"; }
# How far after the kernel's beginning a store's tree was read, and systemd began.
opened_before_systemd() { # the name is that of the PRAM
	at=$(journalctl -b -k -o short-monotonic --no-pager | sed -n 's/^\[ *\([0-9]*\)\.[0-9]*\].*the tree was read.*/\1/p' | head -n 1)
	began=$(systemctl show -p UserspaceTimestampMonotonic --value)
	echo "$at s, and systemd began after $((began / 1000000)) s"
	[ "$at" -le $((began / 1000000)) ] && [ -e /run/memsuite-stores ]
}
make_whole() {
	umount /srv && flush && field_is sealed 0
}
mounted_from_store() {
	check "the unit did not fail" state_is active
	check "the file system of /etc/fstab is on the store" is_on /dev/mapper/vs /srv
}
# The first boot: both stores are made. That of the root file system gets its disk later: a PRAM that is whole goes with any.
make_all() {
	check "an NVDIMM with DAX" pmem_with_dax pmem0
	check "and another" pmem_with_dax pmem1
	check "create" memsuite store create vs /dev/vdb /dev/pmem0
	check "mkfs" mkfs.ext4 -q -F -U $uuid /dev/mapper/vs
	check "mount" mount /srv
	truncate -s "$(blockdev --getsize64 /dev/vda)" /root/like-root
	loop=$(losetup -f --show /root/like-root)
	check "create one for the root file system" memsuite store create rs "$loop" /dev/pmem1
	check "close it" memsuite store close rs
	losetup -d "$loop"
	rm /root/like-root
}

# The file system need not be there for the system to be up.
case $phase in
make) ;;
missing) sleep 20 ;;
*) for _ in $(seq 240); do
	! findmnt /srv >/dev/null || break
	sleep 1
done ;;
esac

if [ "$phase" = make ]; then
	make_all
	write_files first
	check "the disk is sealed" field_is sealed 1
fi
case $phase in
service)
	mounted_from_store
	check "by the unit" journal_says /dev/mapper/vs
	;;
initramfs)
	mounted_from_store
	check "by the initramfs" opened_before_systemd
	;;
missing)
	check "the unit failed" state_is failed
	check "and says which store, and why" journal_says "vs: .*dm.vstore"
	check "the file system is not mounted" sh -c "! findmnt /srv"
	check "nor can it be, from the disk alone" sh -c "! mount -U $uuid /srv && ! mount /dev/vdb /srv"
	check "for there is none" [ -z "$(signature /dev/vdb)" ]
	check "who looks at it is told" sh -c "head -c 512 /dev/vdb | grep -a 'memsuite store open'"
	;;
whole | root | root-again | dracut)
	mounted_from_store
	check "as its UUID is the store's" [ "$(realpath /dev/disk/by-uuid/$uuid)" = "$(realpath /dev/mapper/vs)" ]
	;;
whole-missing)
	check "the unit failed" state_is failed
	check "the file system is mounted from its disk, which has it all" is_on /dev/vdb /srv
	;;
esac
case $phase in
service | initramfs) check "what was written before the power was cut is there" files_are_there first ;;
whole*) check "what was written is there" files_are_there second ;;
esac
case $phase in
service) write_files second ;;
initramfs) check "what was written later, too" files_are_there second ;;
whole-missing) write_files third ;;
root*) check "what was written to the disk alone is there" files_are_there third ;;
esac
case $phase in
root)
	check "the root file system is on a store" is_on /dev/mapper/rs /
	echo written >/root/on-store
	sync
	;;
root-again | dracut)
	check "the root file system is on a store" is_on /dev/mapper/rs /
	check "which has what was written there" grep written /root/on-store
	;;
esac
# How it ends: an initramfs may find the disk sealed or whole.
case $phase in
initramfs | whole)
	[ "$phase" = initramfs ] || check "it could be written" touch /srv/written
	check "umount, and flush" make_whole
	sync
	echo "END off"
	poweroff
	;;
whole-missing)
	echo "END off"
	poweroff
	;;
*) echo "END cut" ;;
esac
