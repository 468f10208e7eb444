#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# configured.sh TOOL	scripts/memsuite; the host's files are needed
# What memsuite dump tells of live modules, memsuite apply finds to be so; and what files say is set, in one go.
#
# kernels: newest
# options: --root host --mem 768M
# arguments: $TOP/scripts/memsuite
. "$(dirname "$0")/ktap.sh"
tool=$1
conf=/tmp/conf
export MEMSUITE_CONF=$conf
mkdir -p $conf /tmp/cgroup
mount -t cgroup2 none /tmp/cgroup
mkdir /tmp/cgroup/some

cat >$conf/one.conf <<'F'
[bank_map dram]
map = xor=0x4000
[region mine]
range = 512M-528M
technology = pram
read_latency_ns = 70
[memdiag]
algorithm = mats+
test_lifetime_s = 600
control/max_threads = 2
enabled = yes
[test weak]
algorithm = mats
period_s = 3600
[vipzone]
enabled = yes
[policy cgroup:/some]
policy = region:mine+node0
heat = yes
[mrc]
max_cpu_permille = 20
enabled = yes
[target cgroup:/some]
accesses_per_s = 500000
weight = 3
min_kib = 65536
[target above:64M]
F
check "the files are right" "$tool" apply --check
check "what they say is set, modules and all" "$tool" apply
check "the algorithm" grep -qi '^mats+$' $suite/memdiag/algorithm
check "memdiag is on" equals $suite/memdiag/enabled 1
check "the region" equals $suite/regions/mine/read_latency_ns 70
check "the policy" grep -q "^region:mine+node0$" $suite/vipzone/policies/*/policy
check "the targets" [ "$(sort $suite/mrc/add | tr '\n' ' ')" = "above:64M cgroup:/some " ]
check "what is set of their shares" equals $suite/mrc/division/set "cgroup:/some 3 65536"
is_so() { [ "$("$tool" apply "$@")" = "0 settings changed" ]; }
check "a second time, nothing is to be done" is_so
"$tool" dump >/tmp/dump
check "a dump is a file that is right" "$tool" apply --check /tmp/dump
check "and changes nothing" is_so /tmp/dump
check "as standard input" sh -c "'$tool' dump | '$tool' apply - | grep -qx '0 settings changed'"
"$tool" dump >/tmp/again
check "what is dumped then is the same" cmp /tmp/dump /tmp/again
"$tool" diag disable
check "what was changed by hand" sh -c "'$tool' apply | grep -qx '\[memdiag\] enabled = 1'"
echo "[memdiag]
test_lifetime_s = 0" >$conf/two.conf
"$tool" apply >/tmp/said 2>&1
check "what the kernel refuses is told by file and line" grep -q "^memsuite: $conf/two.conf:2: .*out of range" /tmp/said
rm $conf/two.conf
"$tool" doctor >/tmp/said
note "doctor: $?"
while read -r line; do note "$line"; done </tmp/said
check "the doctor finds the configuration right" grep -q "1 files of configuration are right" /tmp/said
done_testing
