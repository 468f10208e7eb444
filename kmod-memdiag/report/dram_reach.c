// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether the reads of a test come from memory, told by their time of flight.
 * Also built in user space, where it is run natively.
 */

#include <linux/errno.h>	/* which 5.10 needs below */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/sort.h>
#include <asm/barrier.h>
#include <asm/special_insns.h>
#include <asm/tsc.h>

#include "march/engine.h"
#include "report/dram_reach.h"

#define SAMPLES		31

/* Scattered, so that no prefetcher foresees them, and each in another page. */
static const u64 *sample_word(const struct memdiag_engine_block *block, unsigned int i)
{
	size_t line = (i * 2654435761ULL >> 7) % block->nr_lines;

	return block->words + line * MEMDIAG_LINE_WORDS;
}

static unsigned int time_read(const u64 *word)
{
	u64 begun;

	mb();	/* what was flushed is flushed, what was written is written */
	begun = rdtsc_ordered();
	(void)READ_ONCE(*word);
	return rdtsc_ordered() - begun;
}

static int times_compare(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return x < y ? -1 : x > y;
}

static unsigned int times_median(unsigned int *times)
{
	sort(times, SAMPLES, sizeof(*times), times_compare, NULL);
	return times[SAMPLES / 2];
}

static void no_report(void *context, const struct memdiag_march_failure *failure)
{
}

void memdiag_dram_reach_measure(const struct memdiag_engine_block *block,
				enum memdiag_engine_method method,
				struct memdiag_dram_reach *reach)
{
	struct memdiag_engine_test test = {
		.method = method,
		.march = {
			.nr_elements = 1,
			.elements[0] = { .nr_ops = 1, .ops[0].write = true },
		},
	};
	unsigned int times[3][SAMPLES], i;

	memdiag_engine_run(&test, block, 0, no_report, NULL);
	for (i = 0; i < SAMPLES; i++) {
		const u64 *word = sample_word(block, i);

		times[0][i] = time_read(word);
		times[1][i] = time_read(word);
		clflush((void *)word);
		times[2][i] = time_read(word);
	}
	reach->tested = times_median(times[0]);
	reach->cached = times_median(times[1]);
	reach->memory = times_median(times[2]);
}

enum memdiag_dram_reach_verdict memdiag_dram_reach_judge(const struct memdiag_dram_reach *reach)
{
	if (!reach->memory || reach->memory < 2 * reach->cached)
		return MEMDIAG_REACH_UNKNOWN;
	return 2 * reach->tested >= reach->cached + reach->memory ?
	       MEMDIAG_REACH_YES : MEMDIAG_REACH_NO;
}
