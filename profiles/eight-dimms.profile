# Eight DIMMs of the same kind whose power differs, as in Figure 4 of "ViPZonE:
# Hardware Power Variability-Aware Virtual Memory Management for Energy Savings".
# For a machine that tells of eight regions, dimm0 to dimm7, and does not
# interleave them; adapt the names (memsuite zone list), and measure your own.
#
# Of Figure 4, a drawing, the text gives no numbers. What it gives is about the
# two DIMMs that differ the most: both together take 1.41 W when idle, and
# facesim took 25.13 % less power, 27.80 % less energy, and without idle power
# 46.55 % less energy, with everything on the thriftier one. Only one pair of
# numbers does that: 1823 and 1010 mW beyond idle power. These are dimm0 and
# dimm7, idle power included. The six between them are placed in equal steps,
# which is an assumption; so is that writing takes what reading does, since the
# text says only that one is high where the other is.
dimm0 idle_power_mw=705 read_power_mw=2528 write_power_mw=2528
dimm1 idle_power_mw=705 read_power_mw=2412 write_power_mw=2412
dimm2 idle_power_mw=705 read_power_mw=2296 write_power_mw=2296
dimm3 idle_power_mw=705 read_power_mw=2180 write_power_mw=2180
dimm4 idle_power_mw=705 read_power_mw=2063 write_power_mw=2063
dimm5 idle_power_mw=705 read_power_mw=1947 write_power_mw=1947
dimm6 idle_power_mw=705 read_power_mw=1831 write_power_mw=1831
dimm7 idle_power_mw=705 read_power_mw=1715 write_power_mw=1715
