# SPDX-License-Identifier: GPL-2.0-only
"""Energy and latency of memory from counted accesses, as papers 003 (hybrid DRAM+PRAM) and 000 (ViPZonE) reckon them.

Accesses are six numbers: how many fetches, reads and writes, each followed by their bytes; see traffic.py.
"""
import dataclasses

from traffic import FETCHED, FETCHES, READ, READS, WRITES, WRITTEN

DUTY = 0.4		# of the time memory is accessed, hybrid PRAM, section 5.1


@dataclasses.dataclass
class Memory:
    """Paper 003, Table 2."""
    read_ns: float
    write_ns: float
    read_nj_bit: float
    write_nj_bit: float

    def latency_s(self, accesses):
        reads = accesses[FETCHES] + accesses[READS]
        return (reads * self.read_ns + accesses[WRITES] * self.write_ns) / 1e9

    def active_j(self, accesses):
        read = accesses[FETCHED] + accesses[READ]
        return 8 * (read * self.read_nj_bit + accesses[WRITTEN] * self.write_nj_bit) / 1e9


DRAM = Memory(50, 50, 0.1, 0.1)
PRAM = Memory(50, 1000, 0.05, 0.5)
DRAM_IDLE_W_GB = 1
PRAM_IDLE_W = 0.005
DRAM_ONLY_IDLE_W = 0.256 * DRAM_IDLE_W_GB
HYBRID_IDLE_W = 0.064 * DRAM_IDLE_W_GB + PRAM_IDLE_W


def total(*accesses):
    return [sum(numbers) for numbers in zip(*accesses)]


def energy_j(active_j, idle_w, seconds):
    """T x (0.4 active + 0.6 idle), where "active" is the power that the accesses come to while memory is accessed."""
    return active_j + (1 - DUTY) * idle_w * seconds


def hybrid(dram, pram, seconds):
    """(latency in s, energy in J) of accesses to the two, over @seconds."""
    return (DRAM.latency_s(dram) + PRAM.latency_s(pram),
            energy_j(DRAM.active_j(dram) + PRAM.active_j(pram), HYBRID_IDLE_W, seconds))


def dram_only(dram, pram):
    """(latency in s, energy in J, T in s) of the same accesses, if all were to DRAM."""
    accesses = total(dram, pram)
    seconds = DRAM.latency_s(accesses) / DUTY
    return DRAM.latency_s(accesses), energy_j(DRAM.active_j(accesses), DRAM_ONLY_IDLE_W, seconds), seconds


# Paper 000. Power of a DIMM is idle power, and what its accesses come to.

IDLE_W = 0.705
SPREAD = 1.47		# active power of the dearest over that of the cheapest, idle power included
BEST_W = 3.23		# what two draw with the stock kernel and the program that gains most


def factors(n):
    """Active power of @n DIMMs, idle power included, the cheapest 1: evenly spread."""
    return [1 + (SPREAD - 1) * i / (n - 1) for i in range(n)]


def calibrate(rates):
    """Active power of the cheapest DIMM in W, such that the stock kernel draws BEST_W.

    @rates: accesses of that program to the dear DIMM and to the cheap one, over all of them.
    """
    dear, cheap = rates
    return (BEST_W - 2 * IDLE_W + IDLE_W * (dear + cheap)) / (SPREAD * dear + cheap)


def power_w(rates, powers, idle_w=IDLE_W):
    """What DIMMs draw.

    @rates: accesses to each a second, over those that keep a DIMM active all the time
    @powers: active power of each, IDLE_W included
    """
    return sum(idle_w + rate * (active - IDLE_W) for rate, active in zip(rates, powers))
