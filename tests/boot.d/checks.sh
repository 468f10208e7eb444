#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# checks.sh: what tests/boot asks of a system that has booted; the kernel's command line says how it did. Prints a line for
# each result, and at last what the host is to do: cut the power, or wait until it is off.
phase=$(sed -n 's/.*boot-test\.phase=\([a-z-]*\).*/\1/p' /proc/cmdline)
uuid=33333333-89ab-cdef-0123-456789abcdef
suite=/sys/kernel/memsuite
. /usr/local/lib/storepram.sh
unset DM_DISABLE_UDEV

check() { # NAME COMMAND...
	name=$1
	shift
	if said=$("$@" 2>&1); then
		echo "ok $phase: $name"
	else
		echo "$said" | head -n 40 | sed 's/^/# /'
		echo "not ok $phase: $name"
	fi
}
shown() { "$@" 2>&1 | sed 's/^/# /'; }
wait_for() { # SECONDS COMMAND...
	for _ in $(seq "$1"); do
		! "${@:2}" >/dev/null 2>&1 || return 0
		sleep 1
	done
	"${@:2}"
}
is() { # VALUE COMMAND...
	found=$("${@:2}")
	echo "$found, expected $1"
	[ "$found" = "$1" ]
}
# When a unit began to start, and when it had started, in us.
began() { systemctl show -p InactiveExitTimestampMonotonic --value "$1"; }
started() { systemctl show -p ActiveEnterTimestampMonotonic --value "$1"; }
in_order() { # US...
	echo "$*"
	last=1
	for at in "$@"; do
		[ "$at" -ge "$last" ] || return
		last=$at
	done
}
state_is() { is "$2" systemctl show -p ActiveState --value "$1"; }
none() { # COMMAND...: prints nothing
	found=$("$@" 2>/dev/null)
	echo "$found"
	[ -z "$found" ]
}
is_up() { # STATE
	is "$1" systemctl is-system-running --wait || {
		systemctl --failed --no-legend --plain
		false
	}
}
# What the journal has of ours that is no mere remark, nor to be expected: each page that is retired is told of, and of all
# modules from elsewhere that they are, and that they are not signed by the kernel's makers.
complaints() {
	journalctl -b --no-pager -p warning -o short-monotonic | grep -iE 'memsuite|memdiag|vipzone|mrc|vstore' |
		grep -vE 'taint(s|ing) kernel|memsuite: page 0x[0-9a-f]+ was retired|memdiag: DIMM_0: bad page at'
}
journal_of() { journalctl -b --no-pager -o cat "$@"; }
journal_says() { # TEXT OPTION...
	journal_of "${@:2}" | grep -E "$1" || { journal_of "${@:2}" | tail -n 20; false; }
}
doctor_finds() { # STATE...: nothing but that
	memsuite doctor --quiet
	memsuite doctor --json | python3 -c '
import json, sys
sys.exit(any(one["state"] not in ("ok", *sys.argv[1:]) for one in json.load(sys.stdin)))' "$@"
}
doctor_says() { memsuite doctor | grep -E "$1" || { memsuite doctor --quiet; false; }; }
retired() { memsuite diag bad --all | grep -E "^$1 .* yes +yes"; }
is_poisoned() { # ADDRESS: by the kernel's own flag
	[ $(($(dd if=/proc/kpageflags bs=8 skip=$(($1 / 4096)) count=1 2>/dev/null | od -An -tu8) >> 19 & 1)) = 1 ]
}
# The address of a free page, amid others, from the page of that address on.
free_page() {
	printf '0x%x' $((4096 * $(dd if=/proc/kpageflags bs=4k skip=$(($1 / 4096 / 512)) 2>/dev/null | od -An -v -tu8 -w8 2>/dev/null |
		awk -v from=$(($1 / 4096)) '{ free = $1 == 1024 ? free + 1 : 0 } free == 64 { print from + NR - 32; exit }')))
}
is_on() { # DEVICE PLACE
	is "$1" findmnt -no SOURCE "$2"
}

# What is configured is set; one line of each.
configured() {
	check "memsuite.service has started" state_is memsuite.service active
	check "all that is configured is set" is "0 settings changed" memsuite apply
	check "a setting" is 7200 cat $suite/memdiag/test_lifetime_s
	check "all modules are on" is "1 1 1" sh -c "echo \$(cat $suite/memdiag/enabled $suite/vipzone/enabled $suite/mrc/enabled)"
	check "a region" is 0x20000000 cat $suite/regions/fast/start
	check "a policy" sh -c "memsuite dump | grep -A 1 'policy cgroup:/system.slice/steered.service' | grep region:fast"
	check "before the service that it is for starts" in_order "$(started memsuite.service)" "$(began steered.service)"
	check "which gets its pages there" wait_for 60 sh -c "[ \$(cat $suite/vipzone/steered_pages) -gt 4000 ]"
	check "and is tracked" grep -x cgroup:/system.slice/steered.service $suite/mrc/add
}
healthy() {
	check "the journal has no complaint of the suite" none complaints
	check "memsuite status: all is well" memsuite status
	check "memsuite doctor: nothing is wrong" doctor_finds note
	shown memsuite doctor --quiet
}
bad_pages_are_back() { # ADDRESS...
	check "memsuite-bad-pages.service has started" state_is memsuite-bad-pages.service active
	check "after /var was mounted, and before the rest of the system" in_order "$(started var.mount)" \
		"$(began memsuite-bad-pages.service)" "$(started memsuite-bad-pages.service)" "$(started sysinit.target)"
	check "the later unit had nothing to do" state_is memsuite-bad-pages-late.service inactive
	check "what is configured was set after that" in_order "$(started memsuite-bad-pages.service)" "$(began memsuite.service)"
	for address in "$@"; do
		check "the page at $address is retired" retired "$address"
		check "so the kernel says" is_poisoned "$address"
	done
	check "and nothing else is" is "HardwareCorrupted: $(($# * 4)) kB" sh -c "grep HardwareCorrupted /proc/meminfo | tr -s ' '"
}
store_is_back() {
	check "memsuite-stores.service has started" state_is memsuite-stores.service active
	check "before local file systems" in_order "$(started memsuite-stores.service)" "$(started local-fs-pre.target)" \
		"$(started srv.mount)"
	check "the file system is mounted from the store" is_on /dev/mapper/vs /srv
	check "what was written to it is there" sh -c "cd /srv && md5sum -c /root/sums"
}
store_make() {
	check "an NVDIMM with DAX" pmem_with_dax pmem0
	check "create a store" memsuite store create vs /dev/vdc /dev/pmem0
	check "mkfs" mkfs.ext4 -q -F -U $uuid /dev/mapper/vs
	echo "vs /dev/vdc /dev/pmem0" >/etc/memsuite/stores
	echo "UUID=$uuid /srv ext4 nofail,x-systemd.device-timeout=60s 0 2" >>/etc/fstab
	systemctl daemon-reload
	check "mount" mount /srv
	head -c 3000000 /dev/urandom >/srv/data
	(cd /srv && md5sum data) >/root/sums
	sync
}

case $phase in
debugfs | lockdown) check "the system is up" is_up degraded ;;
*) check "the system is up, and nothing in it has failed" is_up running ;;
esac
shown systemd-analyze
shown systemd-analyze blame --no-pager | grep -E memsuite
case $phase in
first)
	check "the default target is reached" state_is multi-user.target active
	check "/var is a file system of its own" is_on /dev/vdb /var
	check "without a list of bad pages its unit is left out" state_is memsuite-bad-pages.service inactive
	check "nor does anybody wait for devices who has no store" state_is systemd-udev-settle.service inactive
	configured
	healthy
	page=$(free_page 0x30000000)
	check "a page is retired by hand" memsuite diag retire "$page"
	check "and kept" memsuite diag save
	echo "$page" >/root/pages
	store_make
	sync
	echo "END off"
	systemctl reboot
	;;
again)
	bad_pages_are_back $(cat /root/pages)
	configured
	store_is_back
	healthy
	cell=$(printf '0x%x' $(($(free_page 0x28000000) + 0x678)))
	echo "FORCE $cell"
	check "a cell that is stuck is found" wait_for 600 retired "$cell"
	check "and kept, by udev and systemd" wait_for 60 grep "^$cell " /var/lib/memsuite/bad_pages.json
	echo "$cell" >>/root/pages
	echo memdiag >/etc/modules-load.d/memdiag.conf
	sync
	echo "END cut"
	;;
cut | newer)
	bad_pages_are_back $(cat /root/pages)
	configured
	store_is_back
	healthy
	echo "END cut"
	;;
debugfs)
	check "there is no debugfs" sh -c "! grep ' debugfs ' /proc/mounts"
	bad_pages_are_back $(cat /root/pages)
	configured
	# The kernel itself has no NVDIMMs then.
	check "memsuite-stores.service has failed" state_is memsuite-stores.service failed
	check "and says why" journal_says "/dev/pmem0 is not there: where debugfs is off" -u memsuite-stores.service
	check "no other unit has" none sh -c "systemctl --failed --no-legend --plain | grep -v memsuite-stores"
	check "the file system is not mounted from the disk alone" sh -c "! findmnt /srv"
	check "memsuite status: all is well" memsuite status
	check "memsuite doctor says so" doctor_says "debugfs is off, by the kernel's command line"
	check "and that the store is not open" doctor_says "the store vs of .* is not open"
	shown memsuite doctor --quiet
	shown complaints
	echo "END cut"
	;;
lockdown)
	check "the kernel is locked down" grep '\[integrity\]' /sys/kernel/security/lockdown
	check "the default target is reached" state_is multi-user.target active
	for unit in memsuite-bad-pages memsuite-stores memsuite; do
		check "$unit.service has failed" state_is $unit.service failed
		check "and says why" journal_says "locked down .* signed modules only" -u $unit.service
	done
	# What is in /etc/modules-load.d could not be loaded, either.
	check "no other unit has" none sh -c "systemctl --failed --no-legend --plain | grep -vE '^(memsuite|systemd-modules-load)'"
	check "the file system is not mounted from the disk alone" sh -c "! findmnt /srv"
	check "memsuite doctor says so" doctor_says "signed modules only"
	shown memsuite doctor --quiet
	shown complaints
	echo "END cut"
	;;
esac
