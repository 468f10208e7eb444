#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Memory that a virtual machine uses is no idle memory, though the page tables of its process do not see that: it stays
# where it is, and what neither uses goes. Boot with two nodes, the processors on the first.
#
# kernels: none; soak: stock
# options: --numa 512M,cpus=0-1 --numa 512M
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/audited.sh"
pages=128

modprobe kvm-amd
check "there are virtual machines" [ -c /dev/kvm ]
modprobe vipzone || exit 1
# Idle memory is cheap on node1, and what is read is cheap on node0.
say node0 idle_power_mw 1000
say node0 read_energy_fj_per_bit 100000
say node0 write_energy_fj_per_bit 100000
say node0 read_latency_ns 50
say node0 write_latency_ns 50
say node1 idle_power_mw 5
say node1 read_energy_fj_per_bit 500000
say node1 write_energy_fj_per_bit 500000
say node1 read_latency_ns 1000
say node1 write_latency_ns 1000
echo 1 >$zone/enabled || exit 1
echo 2 >$audit/hot_looks
echo 4 >$audit/idle_looks
echo 65536 >$audit/quota_kib_s

# "hot N H idle N I errors E": how much of what the machine reads, and of what nobody uses, is on node1.
shares() {
	ask USR1
	echo "$said" | awk '{ print int(100 * $3 / $2), int(100 * $6 / $5) }'
}
idle_left() { [ "$(shares | cut -d ' ' -f 2)" -ge 90 ]; }

started "region:node0+node1 heat" "$here/warm" $pages --vm
note "of each, on node1 at first: $(shares) %"
audits 100
check "what nobody uses leaves" wait_for 20 idle_left
sleep 5
left=$(shares)
audits 0
note "of each, on node1: $left %"
check "what the virtual machine reads stays" [ "${left% *}" -le 10 ]
check_data "it ends well" ends_well
check "unload" rmmod vipzone memsuite
done_testing
