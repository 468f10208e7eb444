/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The curve of several processes together, from their own curves. Pure logic,
 * like curve.h.
 *
 * Their address spaces are disjoint, so that the working sets of all in a
 * window add up: s(t) is the sum of what each touches in t, and where all share
 * one memory of s(t) pages, they miss ds/dt in it (the composition of Xiang and
 * others, "HOTL", ASPLOS 2013). Sums of means need not be of the same moment,
 * so that each process keeps its own ladder; and since s(t) follows from any
 * miss rate curve, as the rate is its slope, nothing but the curves is needed.
 */
#ifndef MRC_CURVE_COMPOSE_H
#define MRC_CURVE_COMPOSE_H

#include <linux/types.h>

#include "curve/curve.h"

/* Times are of the size grid, in this unit: from 64 us to two and a half hours. */
#define MRC_COMPOSE_NS	64000ULL
/* Fractional bits of pages here: many small terms are added up. */
#define MRC_COMPOSE_FRAC	20

/**
 * struct mrc_compose - the working set function of processes together
 * @pages: touched in each time, with MRC_COMPOSE_FRAC
 */
struct mrc_compose {
	u64 pages[MRC_SIZES];
};

void mrc_compose_begin(struct mrc_compose *c);
void mrc_compose_add(struct mrc_compose *c, const u64 *rate);
void mrc_compose_finish(const struct mrc_compose *c, u64 *rate);
u64 mrc_compose_at(const struct mrc_compose *c, u64 us);

#endif
