#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The exporter of metrics as make install sets it up, run by a systemd: it is started by the first request, tells everybody
# what everybody may read, and who has the token what is root's; it can read little else, and change nothing. Runs in
# the host's file system, where the sources are the working directory.
#
# kernels: newest; soak: 6.1+
# options: --mem 640M --root host
# timeout: 1800
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/systemd.sh"

systemd_prepare systemd-journald.service memsuite-exporter.socket
# Where the service sees the sources, it sees all that is beside them.
mkdir -p $units/memsuite-exporter.service.d
printf '[Service]\nBindReadOnlyPaths=%s\n' "$top" >$units/memsuite-exporter.service.d/sources.conf

cat >/tmp/ask.py <<'END'
import sys
import urllib.error
import urllib.request
request = urllib.request.Request("http://127.0.0.1:9978/metrics",
                                 headers={"Authorization": f"Bearer {sys.argv[1]}"} if sys.argv[1:] else {})
try:
    with urllib.request.urlopen(request, timeout=300) as answer:
        print(answer.read().decode())
except urllib.error.HTTPError as error:
    print(error.code)
END
ask() { python3 /tmp/ask.py "$@" >/tmp/told && [ -s /tmp/told ]; }
told() { grep -q "^$1" /tmp/told; }
untold() { told memsuite_info && ! told "$1"; }
find_it() { pid=$(pgrep -f '[m]emsuite exporter') && [ -n "$pid" ]; }
of_process() { grep -Eq "^$1:[[:space:]]*$2" "/proc/$pid/status"; }
sees() { [ -e "/proc/$pid/root$1" ]; }
sees_not() { sees /usr && ! sees "$1"; }
writes_not() { # FILE, as root even, but where it is
	nsenter -m -r -t "$pid" -- test -d "${1%/*}" && ! nsenter -m -r -t "$pid" -- sh -c "echo 0 >$1"
}
has_no_network() { [ "$(nsenter -n -t "$pid" -- ip -o link | cut -d: -f2)" = " lo" ]; }
journal() { journalctl -q --no-pager -u memsuite-exporter.service; }
no_complaint() { journal | grep -q Started && ! journal | grep -Ei 'memsuite: |failed|error|traceback'; }
inside() { # the system, which has a PID 1 of its own
	nsenter -m -p -r -w -t "$(pgrep -P "$system")" -- "$@"
}

listening() { inside systemctl -q is-active memsuite-exporter.socket 2>/dev/null; }

for path in /root /home /boot; do
	echo secret >$path/secret || exit 1
done
ip link set lo up
modprobe -a memdiag vipzone
echo "$$ region:node0" >$suite/vipzone/add
systemd_start
check "systemd runs" wait_for 300 test -S /run/systemd/private
check "the socket is listened at" wait_for 300 listening
check "the first request is answered" ask
grep -c . /tmp/told | sed 's/^/# lines: /'
check "everybody is told what everybody may read" told 'memsuite_module_loaded{module="memdiag"} 1'
check "and of bad pages" told 'memsuite_bad_pages_unsaved 0'
check "but not what is root's" untold 'memsuite_region_start'
check "nor who gets memory where" untold 'memsuite_vipzone_policy'
check "a token that is not there is wrong" ask secret
check "and refused" told 401
mkdir -p /etc/memsuite
echo secret >/etc/memsuite/exporter.token
chmod 600 /etc/memsuite/exporter.token
check "it takes a token" inside systemctl restart memsuite-exporter.service
check "who has it" ask secret
check "is told what is root's" told 'memsuite_region_start{region="node0"}'
check "and who gets memory where" told "memsuite_vipzone_policy_info{.*who=\"$$\""
check "it runs" find_it
check "as a user of its own" of_process Uid '[1-9]'
check "with one capability" of_process CapEff '0000000000000004$'
check "and no way to others" of_process CapBnd '0000000000000004$'
check "under seccomp" of_process Seccomp 2
check "it sees the saved list's place" sees /var/lib/memsuite
for path in /etc/shadow /root/secret /home/secret /var/log /boot/secret; do
	check "it does not see $path" sees_not $path
done
for path in /var/lib/memsuite/x /usr/x $suite/memdiag/enabled; do
	check "it does not write to $path" writes_not $path
done
check "it has no network" has_no_network
check "the journal has no complaint" no_complaint
journal | sed 's/^/# /'
# With the drop-in for stores it asks device-mapper, and is told that there is none.
cp "$top/monitoring/exporter-stores.conf" $units/memsuite-exporter.service.d/
check "it is started as machines with stores want it" inside sh -c 'systemctl daemon-reload && modprobe dm-vstore && systemctl restart memsuite-exporter.service'
check "it answers" ask secret
check "and tells what is root's" told 'memsuite_region_start{region="node0"}'
check "it runs then" find_it
check "as root" of_process Uid 0
check "with the capability that device-mapper asks for" of_process CapEff '0000000000200000$'
check "it writes nowhere even so" writes_not /var/lib/memsuite/x
check "and has no complaint of device-mapper" no_complaint
journal | tail -n 5 | sed 's/^/# /'
done_testing
