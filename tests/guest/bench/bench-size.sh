#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What the suite costs by the size of memory, which is not touched: nothing is tested. Prints JSON.
#
# kernels: none
. "$(dirname "$0")/ktap.sh"
memdiag=$suite/memdiag

ms_of() { # ms_of COMMAND...: sets ms
	read -r begun _ </proc/uptime
	"$@" || exit 1
	read -r ended _ </proc/uptime
	ms=$(($(echo "$ended" | tr -d .) * 10 - $(echo "$begun" | tr -d .) * 10))
}
suite_ns() { threads_ns memdiag vipzone memsuite mrc; }
tell() { # tell NAME VALUE
	echo "{\"name\": \"$1\", \"value\": $2}"
}
# Reading is done by the shell itself, so its time is its own.
read_all() { # read_all DIRECTORY: sets the dearest file and its time
	dearest=0 file=-
	# shellcheck disable=SC2044	# they have no blanks
	for one in $(find "$1" -type f -perm -400); do
		read -r before _ <"/proc/$$/schedstat"
		read -r _ <"$one" 2>/dev/null
		read -r after _ <"/proc/$$/schedstat"
		[ $((after - before)) -le $dearest ] || {
			dearest=$((after - before))
			file=$one
		}
	done
}

tell memory_kib "$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)"
ms_of modprobe -a memdiag vipzone mrc
tell load_ms $ms
# Memory that the host does not have cannot be tested.
echo fixed >$memdiag/control/policy
echo 0 >$memdiag/control/fixed_threads
echo 86400 >$memdiag/test_lifetime_s
ms_of sh -c "for one in memdiag vipzone mrc; do echo 1 >$suite/\$one/enabled; done"
tell enable_ms $ms
sleep 2
tell metadata_kib $(($(cat $suite/pages/metadata_bytes) / 1024))
before=$(suite_ns)
sleep 20
tell idle_us_s $((($(suite_ns) - before) / 20000))
echo 1000 >$memdiag/move_interval_ms
# Nothing is tested that pages could be moved to; that is tried at longer and longer intervals.
wait_for 120 at_least $memdiag/moves/walks 18
before=$(suite_ns)
walks=$(cat $memdiag/moves/walks)
wait_for 60 at_least $memdiag/moves/walks $((walks + 10))
tell moving_us_s $((($(suite_ns) - before) / 10000))
read_all $suite
tell read_us $((dearest / 1000))
echo "# the dearest file: $file"
ms_of sh -c "for one in memdiag vipzone mrc; do echo 0 >$suite/\$one/enabled; done"
tell disable_ms $ms
ms_of rmmod mrc vipzone memdiag memsuite
tell unload_ms $ms
