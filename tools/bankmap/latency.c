// SPDX-License-Identifier: GPL-2.0-only
/* How long memory takes for an access: medians of many short chains of them. */
#include "latency.h"

/*
 * Chains so long that taking the time counts little, of pages so few that the
 * processor has their translations at hand.
 */
#define READS		16	/* in a chain */
#define READ_CHAINS	1024

/*
 * More than the queue of a memory controller holds: of slow memory, it is full
 * after a few, and the others have to wait for the memory itself.
 */
#define WRITES		MAX_CHAIN
#define WRITE_CHAINS	256

/* Enough for a chain of reads in different pages, and to be none of chance. */
#define FEWEST_FRAMES	256

/* Natively, it takes ten times as long and more to get a line past the caches. */
#define TIMES_CACHED	4

#define WIDEST_PCT	50

const char * const doubt_text[] = {
	[TOLD] = "told",
	[TOO_FEW_FRAMES] = "too few pages of that range were to be had: 1 MiB is needed",
	[ALL_AS_CACHED] = "what was flushed from the caches is read as fast as what was not: there are none, as in an emulator",
	[TOO_WIDE] = "the measurements lie too far apart: too much noise",
	[BELOW_NOTHING] = "they take no longer than what is taken off them as overhead: too much noise, or nothing to measure",
};

static unsigned int time_of(const struct memory *memory, enum access access,
			    const uint64_t *lines, unsigned int nr)
{
	return memory->chain(memory->context, access, lines, nr);
}

/* Random lines of random frames. */
static void draw_lines(struct memory *memory, uint64_t *lines, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		lines[i] = memory_any(memory);
}

/* The median of the times of chains, by access, without what is always there. */
static struct duration summarise(int *times, unsigned int nr, unsigned int length,
				 double overhead)
{
	struct duration duration = {};
	double median;

	sort_times(times, nr);
	median = times[nr / 2] - overhead;
	duration.cycles = median / length;
	if (median <= 0) {
		duration.doubt = BELOW_NOTHING;
		return duration;
	}
	duration.spread_pct = (times[nr * 3 / 4] - times[nr / 4]) * 100. / median;
	if (duration.spread_pct > WIDEST_PCT)
		duration.doubt = TOO_WIDE;
	return duration;
}

/* What it takes to take the time of nothing. */
static double overhead_of(const struct memory *memory)
{
	int times[READ_CHAINS];
	unsigned int i;

	for (i = 0; i < READ_CHAINS; i++)
		times[i] = time_of(memory, READ_MEMORY, NULL, 0);
	sort_times(times, READ_CHAINS);
	return times[READ_CHAINS / 2];
}

/*
 * What the lines hold is written back by a pass over all of them. Then each chain
 * is read three times. The first counts, when the rows of the DRAM are as they
 * happen to be. An emulator that has no caches takes longer for it, too, for want
 * of translations, but not for the third, after another flush.
 */
static struct duration measure_reads(struct memory *memory)
{
	static uint64_t lines[READ_CHAINS][READS];
	static int first[READ_CHAINS], cached[READ_CHAINS], again[READ_CHAINS];
	double overhead = overhead_of(memory);
	struct duration read, near, far;
	unsigned int i;

	draw_lines(memory, lines[0], READ_CHAINS * READS);
	for (i = 0; i < READ_CHAINS; i++)
		time_of(memory, READ_MEMORY, lines[i], READS);
	for (i = 0; i < READ_CHAINS; i++) {
		first[i] = time_of(memory, READ_MEMORY, lines[i], READS);
		cached[i] = time_of(memory, READ_CACHE, lines[i], READS);
		again[i] = time_of(memory, READ_MEMORY, lines[i], READS);
	}
	read = summarise(first, READ_CHAINS, READS, overhead);
	near = summarise(cached, READ_CHAINS, READS, overhead);
	far = summarise(again, READ_CHAINS, READS, overhead);
	if (far.cycles <= TIMES_CACHED * near.cycles)
		read.doubt = ALL_AS_CACHED;
	return read;
}

/* Of the same lines, so that only what has to be written makes a difference. */
static struct duration measure_writes(struct memory *memory)
{
	static int longer[WRITE_CHAINS];
	uint64_t lines[WRITES];
	unsigned int i;

	for (i = 0; i < WRITE_CHAINS; i++) {
		draw_lines(memory, lines, WRITES);
		longer[i] = -(int)time_of(memory, FLUSH_CLEAN, lines, WRITES);
		longer[i] += time_of(memory, FLUSH_DIRTY, lines, WRITES);
	}
	return summarise(longer, WRITE_CHAINS, WRITES, 0);
}

void measure_latency(struct memory *memory, struct duration *read,
		     struct duration *write)
{
	if (memory->nr < FEWEST_FRAMES) {
		*read = (struct duration){ .doubt = TOO_FEW_FRAMES };
		*write = *read;
		return;
	}
	*read = measure_reads(memory);
	*write = read->doubt ? *read : measure_writes(memory);
}
