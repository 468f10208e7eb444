#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# After placement: pages that were moved away come back, within the quota; pages
# that are written often go to the region with the cheaper writes, idle ones to
# the other; a region that has had its share of writes is spared; the ledger adds
# up; and no byte changes. Boot with two nodes, the processors on the first.
#
#   audit.sh [PAGES]
#
# boot: shared
# kernels: newest; soak: all
# options: --numa 512M,cpus=0-1 --numa 512M
. "$(dirname "$0")/ktap.sh"
. "$(dirname "$0")/audited.sh"
pages=${1:-512}

modprobe vipzone || exit 1
mount -t debugfs none /sys/kernel/debug 2>/dev/null
# Table 2 of the hybrid DRAM and PRAM paper.
say node0 idle_power_mw 1000
say node0 read_energy_fj_per_bit 100000
say node0 write_energy_fj_per_bit 100000
say node0 write_latency_ns 50
say node1 idle_power_mw 5
say node1 read_energy_fj_per_bit 50000
say node1 write_energy_fj_per_bit 500000
say node1 write_latency_ns 1000
echo 1 >$zone/enabled || exit 1
echo 2 >$audit/hot_looks
echo 4 >$audit/idle_looks
echo 65536 >$audit/quota_kib_s

# "hot N H idle N I errors E": at least so many in a hundred of each half on node 1, and at most.
on_node1() { # HOT-LEAST HOT-MOST IDLE-LEAST IDLE-MOST
	ask USR1
	echo "$said" | awk -v a="$1" -v b="$2" -v c="$3" -v d="$4" '{
		hot = 100 * $3 / $2
		idle = 100 * $6 / $5
		exit !(hot >= a && hot <= b && idle >= c && idle <= d && $8 == 0)
	}'
}

started "region:node1+node0 heat" "$here/warm" "$pages"
check "before: all where new pages go" on_node1 95 100 95 100
audits 100
check "written pages leave, idle ones stay" wait_for 20 on_node1 0 5 95 100
note "$said"
note "hot $(count hot_moved_pages) idle $(count idle_moved_pages) astray $(count astray_near_pages) looked $(count looked_pages)"
check "they are counted" wait_for 10 at_least "$dir/hot_moved_pages" $((pages * 95 / 100))
# The program's own text, in a file system in memory, is idle, too: some looks later.
rests() {
	moved=$(count moved_pages)
	sleep 2
	[ $(($(count moved_pages) - moved)) -lt $((pages / 10)) ]
}
wait_for 20 rests
check "and not moved back and forth" rests
audits 0
ledger() { cat $zone/ledger/"$1"/"$2"; } # REGION FILE
check "writes by region add up" [ $(($(ledger node0 sampled_writes) + $(ledger node1 sampled_writes))) = "$(count sampled_writes)" ]
check "reads by region add up" [ $(($(ledger node0 sampled_reads) + $(ledger node1 sampled_reads))) = "$(count sampled_reads)" ]
check "there were writes" [ "$(count sampled_writes)" -gt $((pages * 4)) ]
is_priced() { # REGION READ-NJ WRITE-NJ: a cache line
	expected=$(awk -v r="$(ledger "$1" sampled_reads)" -v w="$(ledger "$1" sampled_writes)" "BEGIN { printf \"%d\", r * $2 + w * $3 }")
	note "$1: $(ledger "$1" access_energy_nj) nJ, expected $expected"
	[ $(($(ledger "$1" access_energy_nj) - expected)) -le 1 ] && [ $(($(ledger "$1" access_energy_nj) - expected)) -ge -1 ]
}
check "energy of node0's accesses" is_priced node0 51.2 51.2
check "energy of node1's accesses" is_priced node1 25.6 256
check "latency of the accesses" [ $(($(ledger node0 access_latency_ns) + $(ledger node1 access_latency_ns))) = "$(count access_latency_ns)" ]
bill() { # PID REGION COLUMN
	awk -v pid="$1" -v region="$2" -v column="$3" 'NR == 1 { for (i = 2; i <= NF; i++) if ($i == column) at = i - 1 }
		$1 == pid && $3 == region { print $at }' $debug/vipzone/ledger
}
took_all() { # REGION
	for column in sampled_reads sampled_writes access_energy_nj access_latency_ns; do
		[ "$(bill $pid "$1" $column)" = "$(ledger "$1" $column)" ] || { note "$1: $column $(bill $pid "$1" $column)"; return 1; }
	done
}
check "all of node0's was this process's" took_all node0
check "all of node1's was, too" took_all node1
# REGION MW: by idle power x time, which lies between two times that are known to the 10 ms of /proc/uptime.
grows() {
	before=$(uptime_ms)
	was=$(ledger "$1" idle_energy_uj)
	after=$(uptime_ms)
	sleep 1
	least=$(($(uptime_ms) - after - 20))
	now=$(ledger "$1" idle_energy_uj)
	most=$(($(uptime_ms) - before + 20))
	note "$1: $((now - was)) uJ at $2 mW in $least to $most ms"
	[ $((now - was)) -ge $((least * $2)) ] && [ $((now - was)) -le $((most * $2)) ]
}
check "idle energy is idle power x time" grows node0 1000
check_data "it ends well" ends_well

# Two of those that the machine's policy covers.
before=$(ledger node1 sampled_writes)
echo 1 >$audit/sample_accesses
echo "machine region:node1" >$zone/add
: >/tmp/two
for factor in 1 3; do
	"$here/warm" $((pages * factor)) >>/tmp/two &
	eval "pid$factor=$!"
done
wait_for 60 sh -c '[ "$(grep -c ready /tmp/two)" = 2 ]'
# Rounds in which both have written all that they have; a few of one more or less do not matter.
audits 500
both_written() { for one in $pid1 $pid3; do [ "$(bill "$one" node1 sampled_writes)" -gt $((pages * 20)) ] || return 1; done; }
check "each process of the machine's policy has its part" wait_for 120 both_written
audits 0
one=$(bill $pid1 node1 sampled_writes) three=$(bill $pid3 node1 sampled_writes)
all=$(($(ledger node1 sampled_writes) - before))
note "writes: $one and $three of $all; $(bill $pid3 node1 access_energy_nj) nJ"
check "who writes three times as many pages has three times as much" [ $((three * 10)) -gt $((one * 25)) -a $((three * 10)) -lt $((one * 35)) ]
check "no more than there was" [ $((one + three)) -le $all -a $(((one + three) * 10)) -ge $((all * 9)) ]
is_billed() {
	expected=$(awk -v r="$(bill $pid3 node1 sampled_reads)" -v w="$three" 'BEGIN { printf "%d", r * 25.6 + w * 256 }')
	[ $(($(bill $pid3 node1 access_energy_nj) - expected)) -le 1 ] && [ $(($(bill $pid3 node1 access_energy_nj) - expected)) -ge -1 ]
}
check "by the same price" is_billed
kill -KILL $pid1 $pid3
wait $pid1 $pid3 2>/dev/null
check "who is gone has no row" [ -z "$(bill $pid1 node1 sampled_writes)" ]
echo machine >$zone/remove
echo 0 >$audit/sample_accesses

started "region:node0+node1 heat" "$here/warm" "$pages" --huge
audits 100
check "huge pages: idle ones leave, written ones stay" wait_for 20 on_node1 0 10 90 100
note "$said"
audits 0
check_data "huge pages: it ends well" ends_well

# More than the quota that can be saved up.
pages=$((pages * 8))
echo 2048 >$audit/quota_kib_s
started "region:node0 children" "$here/warm" "$pages" --stray 1
ask USR2
note "$said"
check "moved away" on_node1 0 5 90 100
before=$(cut -d . -f 1 /proc/uptime)
audits 100
sleep 1
audits 0
took=$(($(cut -d . -f 1 /proc/uptime) - before + 1))
repaired=$(count repaired_pages)
note "$repaired pages repaired in $took s"
check "repaired within the quota" [ "$repaired" -gt 0 -a $((repaired * 4)) -le $((4096 + 2048 * took)) ]
echo 65536 >$audit/quota_kib_s
audits 100
check "all is repaired" wait_for 30 on_node1 0 5 0 5
note "repaired $(count repaired_pages), astray seen $(count astray_node_pages)"
check "they were seen" [ "$(count astray_node_pages)" -ge "$(count repaired_pages)" ]
check "reads and writes are not sampled" equals "$dir/sampled_writes" 0
echo 1 >$audit/sample_accesses
check "unless asked for" wait_for 10 at_least "$dir/sampled_writes" 1
echo 0 >$audit/sample_accesses
check_data "it ends well" ends_well
pages=$((pages / 8))

# The kernel, too, has its view of where pages belong: with the processors, on the first node. It looks for that in
# hint faults. 6.1 does not tell where pages are that wait for one, as the idle ones do.
balances() { # 0 or 1
	[ ! -e /proc/sys/kernel/numa_balancing ] || echo "$1" >/proc/sys/kernel/numa_balancing
}
hinted() { awk '/^numa_hint_faults / { print $2 }' /proc/vmstat; }
migrated() { awk '/^numa_pages_migrated / { print $2 }' /proc/vmstat; }
hinted_since() { [ $(($(hinted) - $1)) -ge $pages ]; }
for delay in /proc/sys/kernel/numa_balancing_scan_delay_ms /sys/kernel/debug/sched/numa_balancing/scan_delay_ms; do
	[ ! -e $delay ] || echo 100 >$delay
done
audits 0
balances 1
started region:node1 "$here/warm" "$pages"
check "NUMA balancing asks" equals $suite/hooks/numa.misplaced/state callback
check "so it does" wait_for 120 hinted_since "$(hinted)"
check "and leaves them where the policy wants them" wait_for 10 on_node1 99 100 0 100
note "balanced: $said; $(migrated) pages migrated"
echo 0 >$zone/enabled
taken_since() { [ $(($(migrated) - $1)) -ge $((pages / 10)) ] && on_node1 0 90 0 100; }
check "it takes them while steering is off" wait_for 120 taken_since "$(migrated)"
note "balanced, not steered: $said"
echo 1 >$zone/enabled
audits 100
check "what it took comes home" wait_for 60 on_node1 99 100 0 100
audits 0
sleep 3
check "and stays" wait_for 10 on_node1 99 100 0 100
note "$said; repaired $(count repaired_pages)"
balances 0
audits 0
check_data "balanced: it ends well" ends_well

say node1 wear_budget_kib_per_day 1000
audits 100
started "region:node1+node0 wear" "$here/warm" "$pages"
check "wear: over budget" wait_for 20 equals $zone/ledger/node1/over_budget 1
check "wear: written pages leave, the others stay" wait_for 20 on_node1 0 5 95 100
note "moved $(count worn_moved_pages), written $(ledger node1 written_kib) KiB"
check "wear: they are counted" wait_for 10 at_least "$dir/worn_moved_pages" $((pages * 9 / 10))
other=$pid
mv /tmp/out /tmp/other
started "region:node1 wear" "$here/warm" "$pages"
check "wear: new pages go elsewhere" on_node1 0 5 0 5
check "wear: they are counted" at_least "$dir/fallback_wear" $pages
check_data "wear: it ends well" ends_well
pid=$other
mv /tmp/other /tmp/out
check_data "wear: so does the other" ends_well
check "wear: no policy is left" wait_for 10 sh -c "[ -z \"\$(ls $zone/policies)\" ]"
check "wear: what was written is not forgotten" equals $zone/ledger/node1/over_budget 1
audits 0
check "wear: without an audit, nothing is over budget" equals $zone/ledger/node1/over_budget 0
audits 100
check "wear: with one again, it is" wait_for 10 equals $zone/ledger/node1/over_budget 1
started "region:node1+node0 wear" "$here/warm" "$pages"
check "wear: the next program finds it so" on_node1 0 5 0 5
note "$said, $(count next_pages) from the next region"
check "wear: which is counted" at_least "$dir/next_pages" $pages
say node1 wear_budget_kib_per_day 0
check "wear: no budget, no limit" wait_for 10 equals $zone/ledger/node1/over_budget 0
echo "part 768M-800M" >$suite/regions/add
sleep 1000 &
passer=$!
echo "$passer region:part" >$zone/add
check "a region has an account from its first policy on" [ -d $zone/ledger/part ]
kill $passer
wait $passer 2>/dev/null
check "and can be removed when that is gone" wait_for 10 sh -c "echo part 2>/dev/null >$suite/regions/remove"
check "with its account" wait_for 10 [ ! -e $zone/ledger/part ]
note "cpu_ns $(cat $audit/cpu_ns) rounds $(cat $audit/rounds) history $(cat $audit/history_bytes)"
check "unload while it works" rmmod vipzone memsuite
check_data "contents survive the unload" ends_well
done_testing
