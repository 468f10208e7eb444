# SPDX-License-Identifier: GPL-2.0-only
# A systemd of the guest's own, in the host's file system. Source it after ktap.sh, where the sources are the working
# directory.
# shellcheck shell=sh disable=SC2034

top=$PWD
tool=$top/scripts/memsuite
units=/etc/systemd/system

# systemd_prepare UNIT...: of the host's units it has these alone; and the suite's, as make install sets them up.
systemd_prepare() {
	mount -t tmpfs run /run
	mkdir -p /run/lock $units
	printf '[Unit]\nWants=%s\nAfter=%s\n' "$*" "$*" >$units/trial.target
	for systemd_unit in sysinit.target.wants local-fs.target.wants sockets.target.wants; do
		for systemd_path in /lib/systemd/system/"$systemd_unit"/* $units/"$systemd_unit"/*; do
			systemd_wants "${systemd_path##*/}" "$@" || ln -sf /dev/null "$units/${systemd_path##*/}"
		done
	done
	: >/etc/fstab
	rm -rf /var/lib/memsuite /etc/memsuite
	"$top/scripts/install-hooks" "" "$tool" /tmp/share /etc
}
# Also what belongs to a unit, as its socket; and what a pattern matches that matches nothing.
systemd_wants() { # NAME UNIT...
	systemd_name=$1
	shift
	[ "$systemd_name" != '*' ] || return 0
	for systemd_kept in "$@"; do
		case $systemd_name in
		"${systemd_kept%.*}"*) return 0 ;;
		esac
	done
	return 1
}

# Its first process is the child of $system, a number of a PID 1 of its own.
systemd_start() {
	unshare --pid --fork --kill-child --mount --mount-proc \
		/lib/systemd/systemd --system --unit=trial.target >/run/systemd.out 2>&1 &
	system=$!
}
