# SPDX-License-Identifier: GPL-2.0-only
"""What tests/bench-vipzone runs: studies, each with its machine, its programs, its policies, and what must come out.

A study tells what it keeps of a run (told), what its runs come to (summarise), what must hold (checks), and shows it
(report).
"""
import array
import statistics
import textwrap
import typing

import bench
import energy
import programs
from traffic import FETCHES, READS, WRITES

# Boundary 0 of the plugin is at the CPU, the others are behind a cache each.
SMALL_CACHE = ["cache=16K:4:32", "cache=256K:4:64"]
LARGE_CACHE = [*SMALL_CACHE, "cache=8M:16:64:shared"]
PAGE = 4096
FREE = 1 << 10		# flags of a free frame in /proc/kpageflags


def held(flags):
    """The frames that were not known to be free when the guest wrote the file: the kernel's, and those that its CPUs
    had in their lists."""
    frames = array.array("Q")
    with open(flags, "rb") as file:
        data = file.read()
    frames.frombytes(data[:len(data) // 8 * 8])
    return {frame for frame, value in enumerate(frames) if value != FREE}


def mean(values):
    return statistics.mean(list(values))


def percent(value):
    return f"{100 * value:.1f}"


def wrapped(text):
    return textwrap.wrap(text, 118, break_on_hyphens=False)


class Compared(typing.NamedTuple):
    """What accesses come to, and what they would if all were to DRAM."""
    latency_s: float
    energy_j: float
    dram_only_s: float
    dram_only_j: float


class Hybrid:
    """Figures 6 to 9 of paper 003."""
    cpus = 1
    clock = []
    boot = "nokaslr"
    memory = "440M"
    plugins = {"user": [*SMALL_CACHE, "user=on"], "all": SMALL_CACHE}
    boundaries = {"no cache": 0, "caches": 2}
    policies = {
        "hybrid": "-",
        "selective": "segment:brk=dram,stack=dram,*=pram",
        "selective, mmap": "segment:heap=dram,stack=dram,*=pram",
        "moves": "segment:brk=dram,stack=dram,*=pram+dram heat vipzone/audit/interval_ms=50 vipzone/audit/hot_looks=2",
    }

    def __init__(self, title, first, second, frames):
        self.title, self.first, self.second = title, first, second
        self.layout = ["hybrid", first, str(frames), second]

    def runs(self):
        """Stock first, in memory as it is after boot."""
        return [f"{program} {policy}" for policy in self.policies.values() for program in programs.EMBEDDED]

    def told(self, counts, layout, flags):
        kernels, edge = held(flags), layout["edge"] // PAGE
        memories = {}
        for name, boundary in self.boundaries.items():
            for memory, low in (self.first, True), (self.second, False):
                def of(mode, among, boundary=boundary, low=low):
                    return counts[mode].total(boundary, lambda frame: (frame < edge) == low and among(frame))

                memories[f"user, {name}, {memory}"] = of("user", lambda frame: True)
                # What programs have of the frames held at boot is not the kernel's.
                memories[f"all, {name}, {memory}"] = energy.total(of("all", lambda frame: frame not in kernels),
                                                                  of("user", lambda frame: frame in kernels))
        return {"memories": memories, "instructions": counts["all"].instructions[0], "layout": layout}

    def summarise(self, told):
        """{view: {program: {policy: Compared}}}; each policy is compared with what its own accesses come to in DRAM."""
        summary = {}
        for view in (f"{mode}, {name}" for mode in self.plugins for name in self.boundaries):
            for program in programs.EMBEDDED:
                bars = summary.setdefault(view, {}).setdefault(program, {})
                for name, policy in self.policies.items():
                    accesses = [told[f"{program} {policy}"]["memories"][f"{view}, {memory}"]
                                for memory in ("dram", "pram")]
                    *dram_only, seconds = energy.dram_only(*accesses)
                    bars[name] = Compared(*energy.hybrid(*accesses, seconds), *dram_only)
        return summary

    @staticmethod
    def overhead(bars, name):
        return bars[name].latency_s / bars[name].dram_only_s - 1

    @staticmethod
    def saved(bars, name):
        return 1 - bars[name].energy_j / bars[name].dram_only_j

    def means(self, summary, view, name):
        """(energy saved, latency overhead), means over the programs."""
        return tuple(mean(of(bars, name) for bars in summary[view].values()) for of in (self.saved, self.overhead))

    def checks(self, summary):
        # Of the programs' own accesses, as the paper has it; what the kernel and caches change is told.
        view = "user, no cache"
        saved, overhead = self.means(summary, view, "selective")
        _, stock = self.means(summary, view, "hybrid")
        yield f"selective saves {percent(saved)}% of the energy, at least 50", saved >= 0.5
        yield (f"latency overhead {percent(stock)}% with stock, {percent(overhead)}% selective, half at most",
               overhead <= stock / 2)
        for program, bars in summary[view].items():
            stock, moved = self.overhead(bars, "hybrid"), self.overhead(bars, "moves")
            if self.overhead(bars, "selective") > stock:
                yield (f"{program}, {percent(stock)}% with stock, worse when selective, is mended by moves: "
                       f"{percent(moved)}%", moved <= stock)
        few = sum(self.overhead(bars, "selective") < 0.2 for bars in summary[view].values())
        yield f"{few} programs below 20%, at least 6", few >= 6

    def report(self, summary, name):
        yield from wrapped(
            "Figures 6 to 9 of paper 003. Energy saved against DRAM only, and access latency over it, in per cent, by "
            "the paper's Table 2; stock allocation, and policies: `" + "`, `".join(list(self.policies.values())[1:])
            + "`. Each is compared with its own accesses, if all were to DRAM. What the kernel held at boot is left out: 64 MB "
            "of DRAM and 198 MB of PRAM are besides. "
            f"At the lowest addresses, which this kernel fills first, is {self.first.upper()}. \"user\": accesses of "
            "programs, instructions fetched one by one among them; \"all\": the kernel's too, which runs most of the time "
            "in programs as short as these, and clears each page that it gives out with 512 writes. typeset is groff, for "
            "Debian has no lout. What is checked is \"user, no cache\"; that, and which memory is at the lowest addresses, "
            "was chosen when the figures of all were known.")
        head = ["program"] + [f"{bar}: {what}" for bar in self.policies for what in ("saved", "latency")]
        for view, rows in summary.items():
            yield from ("", f"{view}:", "")
            cells = [[program, *(percent(of(bars, bar)) for bar in self.policies for of in (self.saved, self.overhead))]
                     for program, bars in rows.items()]
            means = ["mean", *(percent(value) for bar in self.policies for value in self.means(summary, view, bar))]
            yield from bench.table(head, [*cells, means])
        yield from ("", *wrapped(self.misses(summary)))
        self.charts(summary, name)
        for mode in self.plugins:
            yield from ("", f"![{self.title}, {mode}](vipzone-{name}-{mode}.svg)")

    def misses(self, summary):
        """Where this is not what the paper has, and why."""
        def told(view):
            (stock, before), (saved, after) = (self.means(summary, view, bar) for bar in ("hybrid", "selective"))
            return (f"{percent(stock)} and {percent(saved)}% saved, latency {percent(before)} and {percent(after)}% more, "
                    "with stock and selective allocation")

        return (f"The paper has no caches. Behind them ({told('user, caches')}) a miss moves a whole line, so that what "
                "accesses take is far more than idle power, of which PRAM saves most, and writes to it take five times "
                f"as much. With the kernel's accesses ({told('all, no cache')}) little depends on where a program's own "
                "pages are: files and programs are read into PRAM, as the paper's policy has it, and the kernel writes "
                "each such page twice, to clear and to fill it; besides, pools clear pages ahead, and the kernel's own "
                f"memory comes from {self.first.upper()} either way.")

    def charts(self, summary, name):
        """The paper's four figures, without caches and with them, side by side."""
        def absolute(field):
            return lambda bars, bar: (getattr(bars["hybrid"], f"dram_only_{field[-1]}") if bar == "DRAM only"
                                      else getattr(bars[bar], field))

        figures = {"energy, J": absolute("energy_j"), "energy saved, %": lambda b, n: 100 * self.saved(b, n),
                   "latency, s": absolute("latency_s"),
                   "latency overhead, %": lambda b, n: 100 * self.overhead(b, n)}
        for mode in self.plugins:
            figure, panels = bench.pyplot().subplots(4, 2, figsize=(14, 11))
            for column, boundary in enumerate(self.boundaries):
                rows = summary[f"{mode}, {boundary}"]
                for axes, (label, value) in zip(panels[:, column], figures.items()):
                    names = [*self.policies] if "%" in label else ["DRAM only", *self.policies]
                    bench.grouped_bars(axes, list(rows), {n: [value(bars, n) for bars in rows.values()] for n in names})
                    axes.set_ylabel(label)
                    axes.tick_params("x", rotation=45)
                panels[0, column].set_title(boundary)
            panels[0, 0].legend(fontsize="small")
            bench.save(figure, f"vipzone-{name}-{mode}")


class Bar(typing.NamedTuple):
    """What a program under a policy comes to; traffic 1 keeps a DIMM active all the time."""
    power_w: float
    active_w: float		# without idle power
    traffic: float
    instructions: int
    dearest: float		# the share of accesses that the DIMM gets
    cheapest: float


class Dimms:
    """Figures 9 to 11 and Table 4 of paper 000: DIMMs that draw more the lower their addresses, which stock fills
    first."""
    cpus = 1
    # Instructions are compared: a clock of the host's would have the kernel do more beside the same program.
    clock = ["--icount"]
    plugins = {"all": LARGE_CACHE}
    boundary = 3

    def __init__(self, n, memory, nodes=False):
        self.n, self.memory = n, memory
        self.layout = ["nodes"] if nodes else ["dimms", str(n)]
        self.boot = f"nokaslr numa=fake={n}" if nodes else "nokaslr"
        self.title = f"{n} DIMMs{', each a node' if nodes else ''}"
        self.placed = (f"Each is a NUMA node (numa=fake={n})" if nodes else "They are ranges of one node") + "; policy"
        cheapest_first = "+".join(f"{'node' if nodes else 'd'}{i}" for i in reversed(range(n)))
        self.policies = {"stock": "-",
                         "low power first": f"low-power-first:{cheapest_first},hint=high{',kernel' if nodes else ''}"}

    def runs(self):
        return [f"{program} {policy}" for policy in self.policies.values() for program in programs.PARALLEL]

    def told(self, counts, layout, _flags):
        size = layout["edge"] // PAGE
        dimms = [0] * self.n
        for frame, numbers in counts["all"].frames[self.boundary].items():
            dimms[min(frame // size, self.n - 1)] += numbers[FETCHES] + numbers[READS] + numbers[WRITES]
        return {"dimms": dimms, "instructions": counts["all"].instructions[0][1]}

    def powers(self, shares):
        """Active power of each DIMM, the dearest first; stock spreads its accesses like that."""
        cheapest = energy.calibrate(shares if self.n == 2 else (1, 0))
        return [cheapest * factor for factor in reversed(energy.factors(self.n))]

    def summarise(self, told):
        """{program: {bar: Bar}}, the program with most traffic first"""
        def rates(program, policy):
            run = told[f"{program} {self.policies[policy]}"]
            return [accesses / run["instructions"] for accesses in run["dimms"]]

        ranked = sorted(programs.PARALLEL, key=lambda program: -sum(rates(program, "stock")))
        full = sum(rates(ranked[0], "stock"))
        powers = self.powers([rate / full for rate in rates(ranked[0], "stock")])
        summary = {}
        for program in ranked:
            bars = {policy: [rate / full for rate in rates(program, policy)] for policy in self.policies}
            bars["interleaved"] = [sum(bars["stock"]) / self.n] * self.n
            summary[program] = {
                name: Bar(energy.power_w(bar, powers), energy.power_w(bar, powers, 0), sum(bar),
                          told[f"{program} {self.policies.get(name, '-')}"]["instructions"],
                          bar[0] / sum(bar), bar[-1] / sum(bar))
                for name, bar in bars.items()}
        return summary

    @staticmethod
    def saved(before, after, power="power_w"):
        """(power, energy) saved."""
        ratio = getattr(after, power) / getattr(before, power)
        return 1 - ratio, 1 - ratio * after.instructions / before.instructions

    def bound(self):
        """Power saved, with idle power and without, if all accesses went from the dearest DIMM to the cheapest."""
        powers = self.powers((1, 0))
        dearest, cheapest = [1] + [0] * (self.n - 1), [0] * (self.n - 1) + [1]
        return [1 - energy.power_w(cheapest, powers, idle) / energy.power_w(dearest, powers, idle)
                for idle in (energy.IDLE_W, 0)]

    def checks(self, summary):
        best, bars = next(iter(summary.items()))
        if self.n == 2:
            power, saved = self.saved(bars["stock"], bars["low power first"])
            yield (f"{best}, the best program, takes {percent(power)}% less power, at least 24; {percent(saved)}% less "
                   "energy", power >= 0.24)
        for program, bars in summary.items():
            ratio = bars["low power first"].instructions / bars["stock"].instructions
            yield f"{program}: instructions {ratio:.4f} of stock's, within 1%", ratio <= 1.01

    def report(self, summary, name):
        yield from wrapped(
            f"Figures 9 to 11 and Table 4 of paper 000, with {self.n} DIMMs of {energy.IDLE_W} W idle power. Active power, "
            f"idle included, is spread from {energy.SPREAD} at the lowest addresses evenly down to 1; two DIMMs draw "
            f"{energy.BEST_W} W with stock and the program with most traffic, which keeps a DIMM active all the time. "
            f"Behind 16 KiB, 256 KiB and 8 MiB of cache. {self.placed}: `{self.policies['low power first']}`, for all "
            "memory, as in the paper, whose programs were not annotated. \"Interleaved\" is reckoned: stock's accesses, in "
            "equal parts. Bandwidth is not modelled: time is instructions until the program ends, those of the kernel that "
            "clears pages ahead among them, and interleaved memory is no faster. Power is energy over that time, so that "
            "what takes longer draws less.")
        head = ["program", "traffic", "stock, W", "interleaved, W", "low power first, W", "power saved, %",
                "energy saved, %", "without idle power: power saved, %", "energy saved, %"]
        yield from ("", *bench.table(head, [self.power_row(program, bars) for program, bars in summary.items()]))
        yield from ("", *wrapped(self.limits()))
        yield from ("", *wrapped(
            "What low power first took, against stock, and where accesses went."), "")
        head = ["program", "instructions, of stock's", "accesses, of stock's", "dearest DIMM: stock, %",
                "cheapest DIMM: low power first, %"]
        yield from bench.table(head, [self.time_row(program, bars) for program, bars in summary.items()])
        self.chart(summary, name)
        yield from ("", f"![{self.title}](vipzone-{name}.svg)")

    def limits(self):
        with_idle, without = self.bound()
        paper = ("The paper measured at most 25.13% less power and 27.80% less energy, 46.55% without idle power, on "
                 "its fast machine; 11.79, 10.77 and 50.69% on its slow one. " if self.n == 2 else "")
        return (f"{paper}If all accesses of the program with most traffic went from the dearest DIMM to the cheapest "
                f"and took no longer, {percent(with_idle)}% would be saved, and {percent(without)}% without idle power.")

    def power_row(self, program, bars):
        stock, ours = bars["stock"], bars["low power first"]
        return [program, f"{stock.traffic:.3f}",
                *(f"{bars[bar].power_w:.3f}" for bar in ("stock", "interleaved", "low power first")),
                *(percent(value) for power in ("power_w", "active_w") for value in self.saved(stock, ours, power))]

    def time_row(self, program, bars):
        stock, ours = (bars[bar] for bar in ("stock", "low power first"))
        accesses = ours.traffic * ours.instructions / stock.traffic / stock.instructions
        return [program, f"{ours.instructions / stock.instructions:.4f}", f"{accesses:.2f}", percent(stock.dearest),
                percent(ours.cheapest)]

    def chart(self, summary, name):
        figure, panels = bench.pyplot().subplots(2, 2, figsize=(13, 6))
        figures = {
            "power, W": lambda bar, stock: bar.power_w,
            "power without idle power, W": lambda bar, stock: bar.active_w,
            "energy, of stock's": lambda bar, stock: 1 - Dimms.saved(stock, bar)[1],
            "instructions, of stock's": lambda bar, stock: bar.instructions / stock.instructions,
        }
        for axes, (label, value) in zip(panels.flat, figures.items()):
            bench.grouped_bars(axes, list(summary), {
                name: [value(bars[name], bars["stock"]) for bars in summary.values()]
                for name in ("stock", "interleaved", "low power first")})
            axes.set_ylabel(label)
        panels[0, 0].legend(fontsize="small")
        bench.save(figure, f"vipzone-{name}")


class Rows(typing.NamedTuple):
    """What accesses of programs found."""
    programs: list		# of each: row hits, first of a bank, conflicts with own rows, with others'
    kernels: int		# of those with others', those with a frame of the kernel's image, as far as they are listed

    def totals(self):
        """(accesses, row hits, conflicts with own rows, with others')"""
        hits, opened, own, others = (sum(column) for column in zip(*self.programs))
        return hits + opened + own + others, hits, own, others

    def conflicts(self):
        return sum(self.totals()[2:])


class Banks:
    """Paper 004: rows that are in the way of each other when four programs run at once."""
    title = "Banks and rows"
    cpus = 4
    clock = []
    boot = "nokaslr"
    memory = "768M"
    layout = ["banks"]
    # Its machine: 3 channels by the line, 8 banks by 12 KiB, 4 ranks by 3 MiB.
    plugins = {"user": [*LARGE_CACHE, "user=on", "bank=64:3", "bank=12K:8", "bank=3M:4", "row=96K"]}
    policies = {
        "stock": "-",
        "sequential": "region:ranks regions/ranks/pool_kib=196608",
        "random": "region:ranks regions/ranks/container_kib=12288 regions/ranks/pool_kib=196608",
        "M3": "bank:percpu=rank0|rank1|rank2|rank3 " +
              " ".join(f"regions/rank{i}/container_kib=3072 regions/rank{i}/pool_kib=49152" for i in range(4)),
    }

    # Where huge pages come to lie differs from run to run, and with it what stock comes to.
    repeated = {"stock": 8}

    def names(self, group, allocation):
        """All runs of it."""
        run = f"together-{group} {self.policies[allocation]}"
        if allocation not in self.repeated:
            return [run]
        return [f"{run} {i}" for i in range(1, self.repeated[allocation] + 1)]

    def runs(self):
        return [run for allocation in self.policies
                for turn in zip(*(self.names(group, allocation) for group in programs.TOGETHER)) for run in turn]

    def told(self, counts, layout, _flags):
        def is_kernels(frame):
            return any(first // PAGE <= frame <= last // PAGE for first, last in layout["kernel"])

        return {"dram": [counts["user"].dram[cpu] for cpu in range(self.cpus)],
                "kernels": sum(any(map(is_kernels, pair)) for pair in counts["user"].met)}

    def summarise(self, told):
        """{group: {allocation: [Rows of each run]}}"""
        return {group: {allocation: [Rows(told[run]["dram"], told[run]["kernels"])
                                     for run in self.names(group, allocation)]
                        for allocation in self.policies}
                for group in programs.TOGETHER}

    @staticmethod
    def averages(runs):
        """As Rows.totals, and all conflicts."""
        return [mean(column) for column in zip(*((*run.totals(), run.conflicts()) for run in runs))]

    def fewer(self, bars, name):
        """What share of stock's conflicts there are not."""
        return 1 - self.averages(bars[name])[-1] / self.averages(bars["stock"])[-1]

    def checks(self, summary):
        for group, bars in summary.items():
            run, = bars["M3"]
            accesses, _, _, others = run.totals()
            yield (f"{group}, M3: {others - run.kernels} conflicts between programs in {accesses} accesses, beside "
                   f"{run.kernels} with frames of the kernel's image", others == run.kernels)
            fewer = self.fewer(bars, "M3")
            yield f"{group}, M3: {percent(fewer)}% fewer conflicts than stock, at least 40", fewer >= 0.4

    def report(self, summary, name):
        yield from wrapped(
            "Paper 004. A modelled DRAM of 3 channels that take turns by the line, 8 banks by 12 KiB and 4 ranks by 3 MiB, "
            "each bank with one open row, behind 16 KiB and 256 KiB of cache for each CPU and 8 MiB for all. It takes the "
            "accesses of four programs, each on its CPU, from the first instruction of each until all have ended, in the "
            "order of the instructions that each has run: the programs' own accesses, not the kernel's. Requests are not "
            "put in a better order, as memory controllers do; the paper measures with accesses that depend on one another, "
            "so that none is. What is written back is in the order in which the last cache drops it. A conflict is an access "
            "to a bank with another row open: a row of the same program, or of another one. Conflicts with frames of the "
            "kernel's image, which programs share and no policy places, are counted among the latter and told apart for M3: "
            "it has the zero page and the vDSO.")
        yield ""
        for policy, what in self.policies.items():
            yield from textwrap.wrap(f"* {policy}: `{what}`", 118, subsequent_indent="  ", break_on_hyphens=False)
        yield ""
        for group, commands in programs.TOGETHER.items():
            yield from textwrap.wrap(f"* {group}: `" + "`, `".join(commands) + "`", 118, subsequent_indent="  ",
                                     break_on_hyphens=False)
        yield from ("", *wrapped(
            "walk is the paper's test of a sequential pattern, on four cores and in 12 MiB for each; STREAM the program that "
            "it shows first; mixed, programs that have nothing to do with each other. With stock allocation programs get huge "
            "pages, with the others single ones; where these lie differs by chance, and figures of stock are means of "
            f"{self.repeated['stock']} runs."))
        yield from ("", *self.tables(summary))
        self.chart(summary, name)
        yield from ("", f"![{self.title}](vipzone-{name}.svg)")

    def tables(self, summary):
        rows = []
        for group, bars in summary.items():
            for bar, runs in bars.items():
                accesses, hits, *conflicts = self.averages(runs)
                rows.append([group, bar, f"{accesses:.0f}", percent(hits / accesses), *(f"{n:.0f}" for n in conflicts),
                             percent(self.fewer(bars, bar))])
        yield from bench.table(["programs", "allocation", "accesses", "row hits, %", "conflicts with own rows",
                                "with others'", "all", "fewer than stock, %"], rows, texts=2)
        yield from ("", "Runs with stock, in ascending order:", "")
        rows = []
        for group, bars in summary.items():
            each = sorted(run.conflicts() for run in bars["stock"])
            rows.append([group, "conflicts", *map(str, each)])
            rows.append([group, "M3 has fewer, %", *(percent(1 - bars["M3"][0].conflicts() / n) for n in each)])
        yield from bench.table(["programs", "", *(str(i + 1) for i in range(self.repeated["stock"]))], rows, texts=2)
        yield from ("", "Of each program's accesses, those that find a row of its own and one of another in the way, in %:",
                    "")
        rows = []
        for group, bars in summary.items():
            for cpu, command in enumerate(programs.TOGETHER[group]):
                each = [[mean(column) for column in zip(*(run.programs[cpu] for run in bars[bar]))]
                        for bar in self.policies]
                rows.append([group, f"`{' '.join(command.split()[:2])}`", f"{sum(each[0]):.0f}",
                             *(percent(counts[i] / sum(counts)) for counts in each for i in (2, 3))])
        yield from bench.table(["programs", "program", "accesses, stock",
                                *(f"{bar}: {whose}" for bar in self.policies for whose in ("own", "others'"))],
                               rows, texts=2)

    def chart(self, summary, name):
        figure, panels = bench.pyplot().subplots(1, len(summary), figsize=(12, 3))
        for axes, (group, bars) in zip(panels, summary.items()):
            totals = [self.averages(runs) for runs in bars.values()]
            bench.grouped_bars(axes, list(bars), {
                label: [values[i] / 1000 for values in totals]
                for i, label in ((2, "with rows of the same program"), (3, "with rows of another"))})
            axes.set_title(group)
        panels[0].set_ylabel("row conflicts, thousands")
        panels[0].legend(fontsize="small")
        bench.save(figure, f"vipzone-{name}")


def section(name, summary, kernel, release, date):
    study = STUDIES[name]
    return [f"`tests/bench-vipzone --kernel {kernel} {name}` on {release}, {date}", "",
            *study.report(summary, name), "",
            *(f"* {'met' if good else 'not met'}: {what}" for what, good in study.checks(summary)), ""]


def report(results, kernel, release, date, before):
    """The document: sections of the results, and of other studies what it has already."""
    kept = dict(part.split("\n\n", 1) for part in before.split("\n## ")[1:])
    lines = ["# What placement is worth", "", *wrapped(
        "`tests/bench-vipzone --results STUDY...` writes the sections of these studies anew and leaves the others. "
        "QEMU counts every access of the guest's processors; caches, DRAM, energy and latency are models, and time is "
        "counted in instructions."), ""]
    for name, study in STUDIES.items():
        if name in results:
            lines += [f"## {study.title}", "", *section(name, results[name], kernel, release, date)]
        elif study.title in kept:
            lines += [f"## {study.title}", "", *kept[study.title].rstrip().split("\n"), ""]
    return lines[:-1]


STUDIES = {
    "hybrid": Hybrid("DRAM and PRAM", "pram", "dram", 198 << 8),
    "hybrid-low": Hybrid("DRAM and PRAM, where stock fills DRAM first", "dram", "pram", 64 << 8),
    "dimms-2": Dimms(2, "768M"),
    "dimms-2-nodes": Dimms(2, "768M", nodes=True),
    "dimms-8": Dimms(8, "1G"),
    "banks": Banks(),
}
