/* SPDX-License-Identifier: GPL-2.0-only */
/* Who gets how much of the memory. */
#ifndef MRC_DIVIDE_PLAN_H
#define MRC_DIVIDE_PLAN_H

#include <linux/bits.h>
#include <linux/types.h>

#include "curve/curve.h"

struct mrc_claim;
struct mrc_share;
struct mrc_target;

/**
 * struct mrc_plan - who gets how much
 * @total: pages that are divided
 * @reserve: pages that are to stay available beside
 * @is_contended: several targets want more than that together
 * @n: targets that have a curve
 * @target: these; no longer than the targets are locked
 * @claim: in the same order
 * @rate: copies of their curves
 */
struct mrc_plan {
	u64 total;
	u64 reserve;
	bool is_contended;
	unsigned int n;
	struct mrc_target **target;
	struct mrc_claim *claim;
	u64 (*rate)[MRC_SIZES];
};

/* What the administrator sets of the division. */
struct mrc_division_tunables {
	u64 total_kib;
	u64 reserve_kib;
	u32 unit_kib;
	u32 utility;
	u32 miss_us;
	u32 interval_ms;
	u32 pressure_pct;
};

/* The most that may be asked for. */
#define MRC_KIB_MAX	BIT_ULL(42)

extern struct mrc_division_tunables mrc_division_tunables;

u64 mrc_plan_growth(const struct mrc_share *s);
bool mrc_plan_gives_back(const struct mrc_share *s);
u64 mrc_plan_returning(const struct mrc_share *s);
int mrc_plan_make(struct mrc_plan *plan, u64 total, const int *pid,
		  unsigned int pids);
void mrc_plan_free(struct mrc_plan *plan);

#endif
