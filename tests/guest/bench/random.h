/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers at random, the same in each run. */
#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

#include <stdint.h>

static uint64_t rng = 88172645463325252ULL;	/* Marsaglia's xorshift */

/* From 0 to below 1. */
static double uniform(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (rng >> 11) * (1.0 / (1ULL << 53));
}

#endif
