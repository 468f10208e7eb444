// SPDX-License-Identifier: GPL-2.0-only
/*
 * bankmap: the solver of tools/bankmap on simulated DRAM, and its measurement of
 * latency. Prints KTAP; also built and run on the host, under ASan, by tests/bankmap.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../tools/bankmap/functions.c"
#include "../../../tools/bankmap/gf2.c"
#include "../../../tools/bankmap/import.c"
#include "../../../tools/bankmap/latency.c"
#include "../../../tools/bankmap/memory.c"
#include "../../../tools/bankmap/picture.c"
#include "../../../tools/bankmap/rows.c"
#include "../../../tools/bankmap/solver.c"
#include "../../../tools/bankmap/threshold.c"

/**
 * struct geometry - a simulated machine
 * @name: what the test is called
 * @nr: how many @functions
 * @functions: masks of bits of which the parities are the bank
 * @rows: bits of the row
 * @level: or, in place of functions: bytes in each of 8 banks
 * @mib: its memory
 * @holes: of 100 frames, how many the solver cannot use
 * @noise: of 1000 measurements, how many are disturbed
 * @jitter: how far measurements scatter
 * @conflict: how much longer a row conflict takes
 * @verdict: what the solver has to say
 */
struct geometry {
	const char *name;
	unsigned int nr;
	uint64_t functions[8];
	uint64_t rows;
	uint64_t level;
	unsigned int mib;
	unsigned int holes;
	unsigned int noise;
	unsigned int jitter;
	unsigned int conflict;
	enum verdict verdict;
};

static const struct geometry geometries[] = {
	{
		.name = "one channel, no XOR", .mib = 1024, .nr = 3,
		.functions = { 1 << 13, 1 << 14, 1 << 15 },
		.rows = 0x3fff0000, .jitter = 8, .conflict = 90,
	}, {
		.name = "XOR of two bits", .mib = 1024, .nr = 4,
		.functions = { 1 << 13 | 1 << 17, 1 << 14 | 1 << 18,
			       1 << 15 | 1 << 19, 1 << 16 | 1 << 20 },
		.rows = 0x3ffe0000, .jitter = 8, .conflict = 90, .holes = 30,
	}, {
		/* DRAMDig's Skylake: 2 ranks of 16 banks. */
		.name = "ranks, and bits below the page", .mib = 4096, .nr = 5,
		.functions = { 1 << 7 | 1 << 14, 1 << 15 | 1 << 18,
			       1 << 16 | 1 << 19, 1 << 17 | 1 << 20,
			       0xc3300 },
		.rows = 0xfffc0000, .jitter = 8, .conflict = 90, .holes = 30,
	}, {
		.name = "with noise", .mib = 2048, .nr = 4,
		.functions = { 1 << 6 | 1 << 13, 1 << 14 | 1 << 17,
			       1 << 15 | 1 << 18, 1 << 16 | 1 << 19 },
		.rows = 0x7ffe0000, .jitter = 12, .conflict = 80, .noise = 20,
	}, {
		.name = "banks that no parity tells", .mib = 1024,
		.level = 3 * 4096, .jitter = 8, .conflict = 90,
		.verdict = NO_FUNCTIONS,
	}, {
		.name = "no conflicts to be seen", .mib = 1024, .nr = 3,
		.functions = { 1 << 13, 1 << 14, 1 << 15 },
		.rows = 0x3fff0000, .jitter = 40, .conflict = 0,
		.verdict = NO_CONFLICTS,
	}, {
		.name = "nothing but noise", .mib = 1024, .nr = 3,
		.functions = { 1 << 13, 1 << 14, 1 << 15 },
		.rows = 0x3fff0000, .jitter = 20, .conflict = 0, .noise = 500,
		.verdict = NO_CONFLICTS,
	}, {
		.name = "conflicts that jitter hides", .mib = 1024, .nr = 3,
		.functions = { 1 << 13, 1 << 14, 1 << 15 },
		.rows = 0x3fff0000, .jitter = 120, .conflict = 60,
		.verdict = NO_CONFLICTS,
	},
};

static unsigned int draw(unsigned int below)
{
	static uint64_t x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return below ? x % below : 0;
}

static unsigned int bank(const struct geometry *g, uint64_t address)
{
	unsigned int i, number = 0;

	if (g->level)
		return address / g->level % 8;
	for (i = 0; i < g->nr; i++)
		number |= parity(address & g->functions[i]) << i;
	return number;
}

static uint64_t row(const struct geometry *g, uint64_t address)
{
	return g->level ? address / (g->level * 8) : address & g->rows;
}

static unsigned int simulate(void *context, uint64_t a, uint64_t b)
{
	const struct geometry *g = context;
	unsigned int latency = 220 + draw(g->jitter) + draw(g->jitter);

	if (bank(g, a) == bank(g, b) && row(g, a) != row(g, b))
		latency += g->conflict;
	if (draw(1000) < g->noise)
		latency += draw(400);
	return latency;
}

static void map(struct memory *memory, const struct geometry *g)
{
	uint64_t frame, all = g->mib * 256ULL;

	memory->frames = malloc(all * sizeof(*memory->frames));
	memory->nr = 0;
	for (frame = 0; frame < all; frame++)
		if (draw(100) >= g->holes)
			memory->frames[memory->nr++] = frame;
	memory->latency = simulate;
	memory->context = (void *)g;
	memory->seed = 1;
}

/* What is found spans what there is. */
static int same_functions(const struct mapping *mapping,
			  const struct geometry *g)
{
	struct space found = {};
	unsigned int i;

	for (i = 0; i < mapping->nr; i++)
		space_add(&found, mapping->functions[i]);
	for (i = 0; i < g->nr; i++)
		if (space_reduce(&found, g->functions[i]))
			return 0;
	return mapping->nr == g->nr;
}

static int nr_results, nr_failed;

static void result(int ok, const char *name)
{
	nr_results++;
	nr_failed += !ok;
	printf("%sok %d %s\n", ok ? "" : "not ", nr_results, name);
}

static void try_geometry(const struct geometry *g)
{
	struct mapping mapping;
	struct memory memory;
	enum verdict verdict;

	map(&memory, g);
	verdict = solve(&memory, &mapping);
	printf("# %s: %s; threshold %u, %u sets, %u functions, rows 0x%llx\n",
	       g->name, verdict_text[verdict], mapping.histogram.threshold,
	       mapping.nr_sets, mapping.nr, (unsigned long long)mapping.rows);
	result(verdict == g->verdict &&
	       (verdict != FOUND || same_functions(&mapping, g)), g->name);
	if (g->verdict == FOUND)
		result(mapping.rows == g->rows, "its rows");
	free(memory.frames);
}

static void try_import(const char *name, const char *text, const char *map)
{
	FILE *from = fmemopen((void *)text, strlen(text), "r"), *to;
	char *said = NULL;
	size_t size;

	to = open_memstream(&said, &size);
	import(from, to, "m");
	fclose(to);
	fclose(from);
	if (strcmp(said, map))
		printf("# %s", said);
	result(!strcmp(said, map), name);
	free(said);
}

/**
 * struct delays - a simulated machine by its times
 * @name: what the test is called
 * @nr: frames that the tool got
 * @read: of a line in memory
 * @cached: of a line in a cache
 * @write: how much longer a flush takes that writes
 * @strange: how much longer lines take whose pages were not those accessed last
 * @scatter: of a chain, how far it is off at most, in 100
 * @read_doubt: what the tool has to say of reads
 * @write_doubt: and of writes
 */
struct delays {
	const char *name;
	size_t nr;
	unsigned int read;
	unsigned int cached;
	int write;
	unsigned int strange;
	unsigned int scatter;
	enum doubt read_doubt;
	enum doubt write_doubt;
};

#define OVERHEAD 800	/* of taking the time */

static const struct delays delays[] = {
	{ .name = "DRAM", .nr = 16384, .read = 360, .cached = 8, .write = 75, .scatter = 5 },
	{ .name = "a slow memory, and noise", .nr = 256, .read = 900, .cached = 8, .write = 2600, .scatter = 20 },
	{ .name = "an emulator", .nr = 16384, .read = 30, .cached = 30, .scatter = 5,
	  .read_doubt = ALL_AS_CACHED, .write_doubt = ALL_AS_CACHED },
	{ .name = "an emulator that looks for pages first", .nr = 16384, .read = 30, .cached = 30,
	  .strange = 900, .scatter = 5, .read_doubt = ALL_AS_CACHED, .write_doubt = ALL_AS_CACHED },
	{ .name = "nothing but noise of reads", .nr = 16384, .read = 360, .cached = 8, .write = 75,
	  .scatter = 95, .read_doubt = TOO_WIDE, .write_doubt = TOO_WIDE },
	{ .name = "writes that noise hides", .nr = 16384, .read = 360, .cached = 8, .write = 20,
	  .scatter = 20, .write_doubt = TOO_WIDE },
	{ .name = "writes that take no time", .nr = 16384, .read = 360, .cached = 8, .write = -20,
	  .scatter = 5, .write_doubt = BELOW_NOTHING },
	{ .name = "too few pages", .nr = 255, .read = 360, .cached = 8, .write = 75, .scatter = 5,
	  .read_doubt = TOO_FEW_FRAMES, .write_doubt = TOO_FEW_FRAMES },
};

/* The first of the lines that were accessed last. */
static uint64_t known_line;

static unsigned int simulate_chain(void *context, enum access access,
				   const uint64_t *lines, unsigned int nr)
{
	const struct delays *d = context;
	unsigned int each = access == READ_MEMORY ? d->read : d->cached;

	if (access == FLUSH_CLEAN || access == FLUSH_DIRTY)
		each = 300 + (access == FLUSH_DIRTY ? d->write : 0);
	else if (nr && lines[0] != known_line)
		each += d->strange;
	if (nr)
		known_line = lines[0];
	each = each * nr;
	return OVERHEAD + each * (100 - d->scatter) / 100 +
	       draw(each * d->scatter / 50 + 1);
}

/* A doubt, or within 5% of what there is. */
static int told(const struct duration *duration, double cycles, enum doubt doubt)
{
	printf("# %s: %.1f, spread %u%%\n", doubt_text[duration->doubt],
	       duration->cycles, duration->spread_pct);
	return duration->doubt == doubt &&
	       (doubt || (duration->cycles > cycles * 0.95 &&
			  duration->cycles < cycles * 1.05));
}

static void try_delays(const struct delays *d)
{
	struct duration read, write;
	struct memory memory = {
		.frames = calloc(d->nr, sizeof(*memory.frames)), .nr = d->nr,
		.chain = simulate_chain, .context = (void *)d, .seed = 1,
	};
	size_t i;

	for (i = 0; i < d->nr; i++)
		memory.frames[i] = 4096 + i;
	measure_latency(&memory, &read, &write);
	result(told(&read, d->read, d->read_doubt), d->name);
	result(told(&write, d->write, d->write_doubt), "its writes");
	free(memory.frames);
}

int main(void)
{
	unsigned int i;

	printf("KTAP version 1\n");
	for (i = 0; i < sizeof(geometries) / sizeof(*geometries); i++)
		try_geometry(&geometries[i]);
	try_import("what drama prints",
		   "Searching for set 1 (try 1)\n43% (ETA: 1s)\n214:   12 ###\nreduced to 2 functions\n"
		   "13 17  (Correct: 100%)\n6 14 18  (Correct: 98%)\n",
		   "m xor=0x22000,0x44040\n");
	try_import("what DRAMDig prints",
		   "=== bank addr funs (3): ===\n17, 20,\n7, 14,\n8, 9, 12, 13, 18, 19,\n"
		   " === row bits: (3) ===\n18, 19, 20,\n === column bits: (2)===\n0, 1,\n",
		   "m xor=0x120000,0x4080,0xc3300 row=0x1c0000\n");
	for (i = 0; i < sizeof(delays) / sizeof(*delays); i++)
		try_delays(&delays[i]);
	printf("1..%d\n", nr_results);
	return nr_failed > 0;
}
