#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# store-flushes.sh SECONDS: several programs write what is sealed while the disk is made whole again and again: whoever
# comes in the midst of it has its block on the disk at the end. Needs an NVDIMM and the host's files, for dmsetup.
#
# kernels: newest; soak: all debug
# options: --nvdimm 128M --root host
# arguments: 20; soak: 300
# timeout: 900
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/storepram.sh"
blocks=8192		# 32 MiB, of which the first and the last 32 are sealed
places="$(seq 0 31) $(seq 8160 8191)"
create() { dmsetup create vs --table "0 $((blocks * 8)) vstore $loop /dev/mapper/pram $1"; }
has_it_all() { # DEVICE: what each wrote last
	"$here/storewriters" "$1" 0 $places >/tmp/has
	diff /tmp/wrote /tmp/has >/tmp/said || { sed 's/^/# /' /tmp/said; false; }
}

modprobe loop 2>/dev/null
modprobe dm-mod 2>/dev/null
modprobe dm-vstore
disk_and_pram $blocks

check "create" create "1 format"
# Called when whoever comes has to wait from then on.
check "there is time to come in the midst of it" modprobe slowtest name=vstore_promote_is_idle ms=5
"$here/storewriters" $vs "${1:-20}" $places >/tmp/wrote 2>/tmp/said &
writers=$!
renice -n -20 $$ >/dev/null
flushes=0
while kill -0 $writers 2>/dev/null; do
	flush && flushes=$((flushes + 1))
done
wait $writers
result=$?
sed 's/^/# /' /tmp/said
check_data "what is read is right, beside $flushes flushes" [ $result = 0 ]
note "$(awk '{ n += $2 } END { print n }' /tmp/wrote) writes"
check "several flushes" [ $flushes -gt 1 ]
check "the last flush" flush
check "the disk is whole" field_is sealed 0
check "nothing is dirty" field_is dirty 0
dmsetup remove vs
check_data "the disk alone has what each wrote last" has_it_all "$loop"
create ""
check_data "and so has the store" has_it_all $vs
dmsetup remove vs
check "unload" sh -c "rmmod slowtest && modprobe -r dm-vstore"
done_testing
