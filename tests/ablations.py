# SPDX-License-Identifier: GPL-2.0-only
"""What tests/bench-ablations runs, as data: machines, workloads, studies and the columns of their tables.

A run is one of `memsuite diag stress`, with the arguments of a workload and of a configuration.
"""
import dataclasses
import typing

# Slowdown is told of one CPU only: the time of several is the sum of what all of them do.
MACHINES = {
    "one": ("one CPU, 384 MiB", ["--smp", "1", "--mem", "384M"]),
    "two": ("two CPUs, each with a node of 192 MiB", ["--smp", "2", "--numa", "192M,cpus=0", "--numa", "192M,cpus=1"]),
}

# The papers' test, and a window that ends while a run lasts.
COMMON = "--algorithm mats++ --lifetime 16"

# What is allocated in a second grows: 6, 24, 96 and 128 MiB, the last all at once.
WORKLOADS = {
    "low": "turnover --size 96 --period 16 --seconds 10",
    "medium": "turnover --size 96 --period 4 --seconds 10",
    "high": "turnover --size 96 --period 1 --seconds 10",
    "bursts": "burst --size 128 --period 1 --seconds 10",
}
DEMAND_MIB_S = {"low": 6, "medium": 24, "high": 96, "bursts": 128}
# Kept for longer than the window.
HELD = {"held": "resident --size 96 --seconds 32"}


def some(*names):
    return {name: WORKLOADS[name] for name in names}


def fixed(fidelity, threads=1, bandwidth_mib_s=1 << 20):
    """With no bound but that of the threads, as in the papers."""
    return f"--policy fixed --fidelity {fidelity} --threads {threads} --bandwidth {bandwidth_mib_s}"


def asteroid(method, **switches):
    """With what is left out off."""
    switches = {"core_local": 0, "recycle": 0, "skip_middle": 0, **switches}
    return " ".join([f"{fixed(8)} --set memdiag/method={method}",
                     *(f"--set memdiag/optimisations/{name}={value}" for name, value in switches.items()),
                     "--lifetime 8"])


def replenished(mib_s):
    """So much is tested in a second, with two writes and two reads."""
    return fixed(1, bandwidth_mib_s=4 * mib_s)


@dataclasses.dataclass
class Study:
    """Configurations that are compared, each under each workload.

    @paper: what it stands for there; @configurations: {name: arguments, or {workload: arguments}}; @columns: of the
    table, and @drawn of the chart, by their names in COLUMNS; @shows: what is to be seen.
    """
    title: str
    paper: str
    workloads: dict
    configurations: dict
    columns: str
    drawn: str
    shows: str
    machine: str = "one"

    def runs(self):
        """{(workload, configuration): arguments}"""
        for workload, arguments in self.workloads.items():
            for name, more in self.configurations.items():
                more = more[workload] if isinstance(more, dict) else more
                yield (workload, name), f"{arguments} {COMMON} {more}".split()


@dataclasses.dataclass
class Column:
    """@value: of what a run has told."""
    head: str
    value: typing.Callable
    digits: int = 1

    def cell(self, told):
        value = self.value(told)
        return "-" if value is None else f"{value:.{self.digits}f}"


COLUMNS = {
    "slowdown": Column("slowdown", lambda told: told["cpu_slowdown_ratio"], 3),
    "elapsed": Column("slowdown, elapsed", lambda told: told["wall_slowdown_ratio"], 2),
    "rate": Column("tested, MiB/s", lambda told: told["tested_mib_per_s"], 0),
    "testers": Column("testers' CPU time, %", lambda told: told["tester_cpu_pct"]),
    "covered": Column("pages tested in time, %", lambda told: told["mean_covered_pct"]),
    "free": Column("free ones at worst, %", lambda told: told["worst_coverage"]["free_tested_pct"], 0),
    "user": Column("programs' at worst, %", lambda told: told["worst_coverage"]["user_tested_pct"], 0),
    "oldest": Column("programs' oldest, s", lambda told: told["worst_coverage"]["user_oldest_age_s"], 0),
    "good": Column("allocated with a good test, %", lambda told: told["tested_when_allocated_pct"], 2),
    "ondemand": Column("on demand, % of allocated", lambda told: told["on_demand_pct"], 2),
    "fidelity": Column("fidelity", lambda told: told["mean_fidelity"]),
    "threads": Column("testers", lambda told: told["mean_threads"]),
    "moved": Column("moved, pages/s", lambda told: told["moved_pages"] / told["measured_s"], 0),
    "shootdowns": Column("TLB shootdowns/s", lambda told: told["tlb_shootdowns_per_s"]),
    "base": Column("without tests", lambda told: told["base_tlb_shootdowns_per_s"]),
    "remote": Column("tested from another node, %", lambda told: told["tested_remotely_pct"]),
}

STUDIES = {
    "moving": Study(
        "Moving pages in use", "Figure 15",
        {**HELD, **some("high")}, {"off": "", "on": "--move-interval 1000"},
        "slowdown rate covered user oldest moved ondemand", "covered slowdown",
        "Without moving, what a program keeps for longer than the window expires; with it, it goes to pages "
        "tested lately. In the paper coverage falls from 51.4 to 41.5% without, most for programs that keep "
        "their pages."),
    "optimisations": Study(
        "Asteroid's optimisations, one after the other", "Figure 31",
        {**some("high"), "seldom": "burst --size 96 --period 10 --seconds 20"}, {
            "COMeT": asteroid("page-words"),
            "lines": asteroid("page-lines"),
            "core-local": asteroid("page-lines", core_local=1),
            "recycling": asteroid("page-lines", core_local=1, recycle=1),
            "no middle": asteroid("page-lines", core_local=1, recycle=1, skip_middle=1),
            "strips": f"{fixed(8)} --lifetime 8",
        },
        "slowdown elapsed rate testers covered free good ondemand", "slowdown good ondemand",
        "Each row but the last adds an optimisation to the one before; the last is memdiag's own way, strips "
        "past the caches. The paper's slowdown falls from 1.5 to 2.3 with each of them, for there the programs "
        "wait for tests on demand. Here the cost of a test counts in instructions: what lines gain over words "
        "by bursts of memory is not in it. Core-local tests need several cores."),
    "cores": Study(
        "Tests on demand on each core", "Figure 27",
        {"medium": "turnover --size 32 --period 4 --seconds 8 --instances 2"},
        {"off": "--policy ondemand --set memdiag/optimisations/core_local=0", "on": "--policy ondemand"},
        "elapsed ondemand good", "elapsed",
        "Two programs on two CPUs, whose pages are tested on demand when their tests have expired. The CPUs take "
        "turns, and who waits for a lock gives way to its holder: what waiting costs is not in these figures.",
        "two"),
    "nodes": Study(
        "Testers on the node of the memory", "Figure 32",
        {"medium": "turnover --size 64 --period 4 --seconds 10"},
        {"off": f"{fixed(8, 2)} --set memdiag/optimisations/node_local=0", "on": fixed(8, 2)},
        "remote rate covered ondemand", "remote",
        "The paper shows the slowdown that remote memory makes. Instructions take as long on either node here, "
        "so that the share of pages tested from another node is what can be told.", "two"),
    "fidelity": Study(
        "Fixed configurations and the adaptive one", "Tables 8 and 9, Figure 33",
        WORKLOADS,
        {"adaptive": "", **{f"Fix1.{fidelity}": fixed(fidelity) for fidelity in (8, 16, 24, 32)},
         "on demand": "--policy ondemand"},
        "slowdown elapsed rate fidelity testers covered free good ondemand", "slowdown fidelity ondemand",
        "With one CPU, FixN of more threads is left out: the clock sums what all CPUs do, and two threads would "
        "be no faster. The paper's adaptive policy stays within 1.04 while Fix1.32 comes to 1.25 when the "
        "demand is high."),
    "rates": Study(
        "Fixed rates of replenishment and adaptive ones", "Figure 16",
        some("low", "high"),
        {"Min": replenished(min(DEMAND_MIB_S.values())), "Max": replenished(max(DEMAND_MIB_S.values())),
         "Application": {name: replenished(DEMAND_MIB_S[name]) for name in ("low", "high")},
         "COMeT": "--policy comet", "adaptive": ""},
        "slowdown elapsed rate testers covered good ondemand", "slowdown good",
        "Min and Max replenish at the least and the largest demand of all workloads, Application at the "
        "workload's own; the paper's slowdowns are worst with Min, whose pages are tested on demand. Here what "
        "a fixed rate leaves untested shows as pages allocated without a good test, and coverage."),
    "window": Study(
        "The vulnerability window", "Section 4.2.3",
        HELD, {f"{seconds} s": f"--move-interval 1000 --lifetime {seconds}" for seconds in (8, 16, 24)},
        "slowdown rate moved covered user oldest ondemand", "rate moved",
        "Memory that is kept is moved once in about three quarters of the window. In the paper 2 minutes cost "
        "up to 1.11, 3 minutes 1.04 on average, and 4 gain little more."),
    "delta": Study(
        "How often memory in use is looked through, δ", "Section 4.2.3",
        HELD, {f"{ms / 1000:g} s": f"--move-interval {ms}" for ms in (250, 1000, 4000)},
        "slowdown rate moved covered user oldest ondemand", "slowdown moved",
        "A page is moved when its test would expire before the next look: with a large δ earlier than need be. "
        "In the paper slowdown grows from 1.04 to 1.06 at 30 s of a window of 180 s."),
    "replenishment": Study(
        "How often the demand is read, replenish-δ", "Figure 14",
        some("high"), {f"{ms} ms": f"--policy comet --set memdiag/control/monitor_ms={ms}"
                       for ms in (5, 15, 25, 35, 45)},
        "slowdown elapsed rate testers covered good ondemand", "slowdown testers",
        "With COMeT's own policy, whose budget is given out at each reading. In the paper 25, 35 and 45 ms "
        "differ little, and 15 ms costs 1.06 instead of 1.04."),
    "overload": Study(
        "Overload", "Table 5",
        {f"{number} programs": f"turnover --size 48 --period 1 --seconds 8 --instances {number}"
         for number in (1, 2, 3, 4)}, {"adaptive": ""},
        "slowdown elapsed rate fidelity testers covered good ondemand", "slowdown rate",
        "Several programs at once on one CPU, against as many without tests. The paper has 1.02 to 1.14, "
        "growing with the number of programs."),
    "shootdowns": Study(
        "TLB shootdowns", "Figures 21 to 23",
        {name: f"resident --size 48 --seconds 6 --readers {readers}"
         for name, readers in {"alone": 0, "2 threads": 1, "4 threads": 3}.items()},
        {"not moved": "--lifetime 4", "every 1 s": "--lifetime 4 --move-interval 1000",
         "every 0.25 s": "--lifetime 4 --move-interval 250"},
        "base shootdowns moved covered user", "shootdowns",
        "A program of several threads that read its memory all the time, while its pages are moved. The paper "
        "tells that their rate grows with the threads and is low. Slowdown is left out, for the clock sums both "
        "CPUs.", "two"),
    "bursts": Study(
        "Bursts of demand over time", "Figure 34",
        {"bursts": "burst --size 128 --period 6 --seconds 30 --series"}, {"adaptive": ""},
        "slowdown elapsed rate fidelity testers covered good ondemand", "",
        "A burst every 6 s. In the paper's timeline tests ahead follow the demand but for the peak of a burst; "
        "then pages are tested on demand, and the tests go on at a higher rate for a while."),
}
