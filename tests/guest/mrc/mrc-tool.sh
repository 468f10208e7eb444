#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The memsuite command on a live mrc: records, reports, traces and top, of a
# process and of one with its children. And that it does not measure what an
# emulator has none of. KTAP.
#
#   mrc-tool.sh TOOL	scripts/memsuite; the host's files are needed
#
# kernels: none; soak: stock
# options: --root host
# arguments: $TOP/scripts/memsuite
. "$(dirname "$0")/ktap.sh"

tool=$1
cd /tmp || exit 1
modprobe mrc || exit 1
"$tool" mrc enable
echo 500 >$suite/mrc/ladder_ms
echo 50 >$suite/mrc/max_cpu_permille
sh -c "$here/loop --nice --pattern cold 3000 3000 & wait" >/dev/null &
root=$!
sleep 1
loop=$(pidof loop)
before=$(date +%s)
# Whoever begins to wait later may have missed the first curve, and there need be no other change.
check "a change is waited for, from when it is added with children" timeout 120 python3 -c "
import select, subprocess
with open('$suite/mrc/changes') as file:
    subprocess.run(['$tool', 'mrc', 'add', '$root', '--children'], check=True)
    file.read()
    poll = select.poll()
    poll.register(file, select.POLLPRI)
    assert poll.poll(100000)
"
note "it came after $(($(date +%s) - before)) s"
check "record" "$tool" mrc record $loop $root -o record --seconds 12 --interval 0.5
note "$(wc -l <record) lines"
check "who was not a target is none any more" [ "$(cat $suite/mrc/add)" = "$root children" ]
for kind in mrc wss heatmap; do
	check "report $kind" "$tool" mrc report $kind record
done
"$tool" mrc report heatmap record --csv heatmap.csv
# The first tenth is touched all the time, and the rest was before.
check "a tenth is hot" awk -F, 'NR > 1 && $3 > 0.5 { hot[$1] = 1 } NR > 1 { all[$1] = 1 }
	END { for (a in hot) h++; for (a in all) n++; exit !(h >= 5 && h <= n / 4) }' heatmap.csv
check "the record of the target of several" "$tool" mrc report wss record --target $root --csv several.csv
check "export for libCacheSim" "$tool" mrc export record -o trace
check "of whole requests" [ $(($(wc -c <trace) % 24)) = 0 ]
"$tool" mrc top --times 1 | tee top
check "top" grep -q "$root children.* 2 " top
check "accesses" "$tool" mrc accesses $root 1000000
check "are shown" sh -c "'$tool' mrc show $root | grep -q '1000000 accesses a second (written)'"
make -s -C "$(dirname "$tool")/../tools/bankmap"
check "an emulator's latency is not told" [ "$("$tool" zone measure node0 >measured; echo $?)" = 1 ]
check "since there are no caches" grep "^node0 .* cannot tell: .* as in an emulator" measured
modprobe vipzone
"$tool" zone enable
"$tool" zone define part 680M-696M
"$tool" zone measure part >measured
check "pages of a part of the node are got by a policy" grep "^part .* as in an emulator" measured
"$tool" zone undefine part
kill "$loop"
rmmod mrc vipzone
done_testing
