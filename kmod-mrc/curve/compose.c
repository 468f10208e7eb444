// SPDX-License-Identifier: GPL-2.0-only
/* Miss rate curves of processes added up; see compose.h. */

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>

#include "curve/compose.h"
#include "curve/curve.h"

/* A rise of so much tells a slope, whatever its terms were rounded to. */
#define RISE		(1ULL << (MRC_COMPOSE_FRAC - 6))

/* ns that a page at a rate of 1 takes. */
#define PAGE_NS		(1000000000ULL * MRC_RATE)

static u64 time_ns(unsigned int i)
{
	return mrc_size(i) * MRC_COMPOSE_NS;
}

/* The size from which on entry i of the grid does not hold any more. */
static u64 end_of(unsigned int i)
{
	return i + 1 < MRC_SIZES ? mrc_size(i + 1) : mrc_size(i);
}

/**
 * mrc_compose_begin() - no process yet
 * @c: result
 */
void mrc_compose_begin(struct mrc_compose *c)
{
	memset(c, 0, sizeof(*c));
}

/*
 * The processor traps where a quotient has more than 64 bits. PAGE_NS has 40,
 * and no window is shorter than 2^15 ns.
 */
static u64 step_of(u64 pages, u64 rate)
{
	return pages >> 24 >= rate ? U64_MAX : mul_u64_u64_div_u64(pages, PAGE_NS, rate);
}

static u64 rate_of(u64 pages, u64 ns)
{
	if (pages >> 39)
		return mul_u64_u64_div_u64(pages >> MRC_COMPOSE_FRAC, PAGE_NS, ns);
	return mul_u64_u64_div_u64(pages, PAGE_NS, ns) >> MRC_COMPOSE_FRAC;
}

/**
 * mrc_compose_add() - one more process
 * @c: the sum
 * @rate: its misses a second on the size grid
 */
void mrc_compose_add(struct mrc_compose *c, const u64 *rate)
{
	u64 start = 0, from = 0, step = 0;
	unsigned int i, k = 0;

	/* On a step of the curve, the working set grows at the step's rate. */
	for (i = 0; i < MRC_SIZES && rate[i]; i++) {
		step = step_of(end_of(i) - from, rate[i]);
		for (; k < MRC_SIZES && time_ns(k) - start < step; k++)
			c->pages[k] += (from << MRC_COMPOSE_FRAC) +
				mul_u64_u64_div_u64(time_ns(k) - start,
						    min(rate[i], U64_MAX >> MRC_COMPOSE_FRAC) <<
						    MRC_COMPOSE_FRAC, PAGE_NS);
		if (k == MRC_SIZES)
			return;
		start += step;
		from = end_of(i);
	}
	/* All that it ever touches. */
	for (; k < MRC_SIZES; k++)
		c->pages[k] += from << MRC_COMPOSE_FRAC;
}

/**
 * mrc_compose_finish() - the curve of all
 * @c: the sum
 * @rate: their misses a second on the size grid, if they share a memory
 */
void mrc_compose_finish(const struct mrc_compose *c, u64 *rate)
{
	unsigned int i = 0, k;
	u64 pages = 0, ns = 0, now, least = U64_MAX;

	for (k = 0; k < MRC_SIZES; k++) {
		if (c->pages[k] - pages < RISE)
			continue;
		now = rate_of(c->pages[k] - pages, time_ns(k) - ns);
		/* A sum of concave functions, but for rounding. */
		least = min(least, now);
		for (; i < MRC_SIZES && mrc_size(i) << MRC_COMPOSE_FRAC < c->pages[k]; i++)
			rate[i] = least;
		pages = c->pages[k];
		ns = time_ns(k);
	}
	for (; i < MRC_SIZES; i++)
		rate[i] = 0;
}

/**
 * mrc_compose_at() - the working set size of a window
 * @c: the sum
 * @us: length of the window
 *
 * Return: pages, interpolated.
 */
u64 mrc_compose_at(const struct mrc_compose *c, u64 us)
{
	u64 ns = us * 1000, from = 0, pages = 0;
	unsigned int k;

	for (k = 0; k < MRC_SIZES; k++) {
		if (time_ns(k) >= ns)
			return (pages +
				mul_u64_u64_div_u64(c->pages[k] - pages,
						    ns - from,
						    time_ns(k) - from)) >>
				MRC_COMPOSE_FRAC;
		from = time_ns(k);
		pages = c->pages[k];
	}
	return pages >> MRC_COMPOSE_FRAC;
}
