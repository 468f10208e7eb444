#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# notify.sh ADDRESS ADDRESS ADDRESS: of cells that become faulty, one after the other, an event of the memory subsystem
# tells, and the programs of /etc/memsuite/notify.d are run: by a systemd and its udev, as make install sets them up; for
# the last one by a udev without systemd. What fails is in the journal, or the kernel's log. Runs in the host's file
# system, where the sources are the working directory.
#
# kernels: newest; soak: 6.1+
# options: --mem 640M --root host --append nokaslr --fault later=quick
# arguments: 0x1a345678 0x1c345678 0x1e345678
# timeout: 1800
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/systemd.sh"
trace=/sys/kernel/debug/tracing

systemd_prepare systemd-journald.service systemd-udevd.service
cat >/etc/memsuite/notify.d/10-note <<'END'
#!/bin/sh
env | grep ^MEMSUITE_ >>/run/told
cat >>/run/told.json
END
printf '#!/bin/sh\nexit 7\n' >/etc/memsuite/notify.d/20-fails
chmod 755 /etc/memsuite/notify.d/*

# Makes a cell faulty, and finds it. Programs would fall over a page that was bad all the time.
find_bad() { # ADDRESS
	start=$(($1 / 4194304 * 4194304))
	echo 3 >/proc/sys/vm/drop_caches
	"$here/fault" "$1:3:sa1" || return 1
	wait_for 300 range_fails
}
range_fails() {
	echo "$start-$((start + 4194304))" >$suite/memdiag/range/run_test || return 1
	wait_for 300 sh -c "! grep -q running $suite/memdiag/range/status"
	grep -q fail $suite/memdiag/range/status
}
told() { [ "$(grep -c "^MEMSUITE_ADDRESS=$1\$" /run/told 2>/dev/null)" = 1 ]; } # ADDRESS
end_interval() { sed -i 's/"at": [0-9.]*/"at": 0/' /run/memsuite/notified.json; }
journal() { journalctl -q --no-pager; }
journal_has() { journal | grep -q "$1"; }

systemd_start
check "systemd and udev run" wait_for 300 sh -c "test -S /run/udev/control && test -S /run/systemd/private"
echo 1 >$trace/events/ras/memory_failure_event/enable
echo 1 >$trace/events/ras/mc_event/enable
check "load" modprobe memdiag
check "a bad page is found" find_bad "$1"
check "a program is told of it" wait_for 300 told "$1"
sed 's/^/# /' /run/told
check "it gets facts as JSON" python3 -c 'import json; event = json.load(open("/run/told.json")); assert event["page_count"] == 1'
check "the page is kept" wait_for 60 grep -q "$1" /var/lib/memsuite/bad_pages.json
check "the journal has what fails, and what to do" wait_for 60 journal_has '20-fails: exit status 7.*memsuite diag notify --again'
end_interval
check "a second one is found" find_bad "$2"
check "a second event runs the programs, too" wait_for 300 told "$2"
check "an event of the memory subsystem tells of it, as information" \
	grep -q 'mc_event: 1 Info error: hard fault found by a memory test on DIMM_0' $trace/trace
check "the kernel tells that the page is withheld" grep -q "memory_failure_event: pfn 0x\?$(printf '%x' $(($1 / 4096)))" \
	$trace/trace
grep -v '^#' $debug/memdiag/bad_pages | sed 's/^/# /'
journal | grep -i memsuite | tail -n 20 | sed 's/^/# /'

# Without systemd, udev runs them itself.
kill -KILL $system	# unshare ignores others; its child goes with it
wait $system 2>/dev/null
wait_for 60 sh -c '! pgrep -x systemd-udevd >/dev/null'
rm -rf /run/systemd /run/udev /dev/log
unshare --pid --fork --kill-child --mount --mount-proc /lib/systemd/systemd-udevd >/run/udevd.out 2>&1 &
udev=$!
check "a udev without systemd runs" wait_for 60 test -S /run/udev/control
end_interval
check "a third one is found" find_bad "$3"
check "programs are told by udev's own means" wait_for 120 told "$3"
check "the kernel's log has what fails" wait_for 60 sh -c "dmesg | grep -q 'memsuite: .*20-fails: exit status 7'"
kill -KILL $udev
wait $udev 2>/dev/null
rm -f /var/lib/memsuite/bad_pages.json
check "without udev, unload by modprobe" modprobe -r memdiag
check "keeps them before they are gone" grep -q "$3" /var/lib/memsuite/bad_pages.json
check "unload what is not loaded" modprobe -r memdiag
done_testing
