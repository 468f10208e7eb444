# DRAM and PRAM as in Table 2 of "Linux kernel support to exploit phase change
# memory" (Linux Symposium 2010): for a machine whose node 0 is DRAM and whose
# node 1 is PRAM. Where there are no such nodes, define ranges instead:
#
#   dram 1G-2G technology=dram read_latency_ns=50 ...
#
# The table's idle power of DRAM is by size, that of PRAM is not. Its PRAM bears
# 10^8 writes.
node0 read_latency_ns=50 write_latency_ns=50 idle_power_mw_per_gib=1000 read_energy_fj_per_bit=100000 write_energy_fj_per_bit=100000
node1 read_latency_ns=50 write_latency_ns=1000 idle_power_mw=5 read_energy_fj_per_bit=50000 write_energy_fj_per_bit=500000 endurance_writes=100000000
