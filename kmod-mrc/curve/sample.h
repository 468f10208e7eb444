/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which pages are sampled. Pure logic, like curve.h.
 *
 * Pages are virtual, so that a page stays sampled while it is swapped out. An
 * address range is divided into strata of 2^level pages, and a hash picks one
 * page of each. The picks of a level are a subset of those of the level below,
 * so that a sample that has grown too large is halved (fixed-size SHARDS,
 * Waldspurger and others, FAST 2015), and each page has the same chance, as
 * there; but since every stratum gives one page, a loop's length is known to a
 * stratum, where independent picks would leave an error of its square root.
 */
#ifndef MRC_CURVE_SAMPLE_H
#define MRC_CURVE_SAMPLE_H

#include <linux/bits.h>
#include <linux/types.h>

#include "curve/curve.h"

/* Base and huge pages are sampled apart: each has one accessed bit. */
enum mrc_kind {
	MRC_BASE,
	MRC_HUGE,
	MRC_KINDS,
};

/* Levels up to this; 2^24 base pages are 64 GiB a stratum. */
#define MRC_LEVEL_MAX	24

#define MRC_ENTRY_HUGE	BIT(0)	/* kind */
#define MRC_ENTRY_FILE	BIT(1)	/* of a file: may be mapped without a touch */
#define MRC_ENTRY_GHOST	BIT(2)	/* not mapped when last enumerated */
#define MRC_ENTRY_ABSENT	BIT(3)	/* not present when last looked at */
#define MRC_ENTRY_WATCHED	BIT(4)	/* looked at before this ladder */
#define MRC_ENTRY_TOUCHED	BIT(5)	/* touched in this ladder */
#define MRC_ENTRY_CENSORED	BIT(6)	/* this ladder cannot tell */

/**
 * struct mrc_entry - a sampled page
 * @addr: its address
 * @seen_after: when last known to be touched: after this, in us
 * @seen_by: and by this; 0 if never seen
 * @read: when last looked at, in us; in a ladder, when it was cleared
 * @left: when last looked at before this ladder, in us; 0: never
 * @idle: for how long it had not been touched by then, in us
 * @after: first touch of this ladder, after its accessed bit was cleared, us
 * @by: and by this
 * @flags: MRC_F_*
 * @sub: its sub-sample
 * @point: the look at which it was found touched
 * @step: the last clearing of this ladder that found it touched since the one
 *	before; 0: none did
 * @woke: the first clearing of this ladder that found it touched, counted from
 *	one; 0: none did
 */
struct mrc_entry {
	unsigned long addr;
	u64 seen_after;
	u64 seen_by;
	u64 read;
	u64 left;
	u64 idle;
	u32 after;
	u32 by;
	u8 flags;
	u8 sub;
	u8 point;
	u8 step;
	u8 woke;
};

/**
 * struct mrc_sample - the sampled pages of one address space
 * @salt: of the hash
 * @capacity: how many @entry has room for
 * @n: how many are there
 * @limit: most that there may be of each kind
 * @count: how many there are of each kind, ghosts left out
 * @level: log2 of the pages (base or huge) in a stratum
 * @mapped: all pages of each kind that were offered
 * @stratum: the stratum that the last page offered was in
 * @pick: what stands for it
 * @entry: in order of address
 */
struct mrc_sample {
	u64 salt;
	u32 capacity;
	u32 n;
	u32 limit[MRC_KINDS];
	u32 count[MRC_KINDS];
	u32 level[MRC_KINDS];
	u64 mapped[MRC_KINDS];
	u64 stratum[MRC_KINDS];
	u64 pick[MRC_KINDS];
	struct mrc_entry *entry;
};

u64 mrc_sample_pick(u64 salt, unsigned int level, u64 stratum);
unsigned int mrc_sample_level(u64 pages, u32 limit);

void mrc_sample_start(struct mrc_sample *sample, u32 samples,
		      const u64 *expected);
void mrc_sample_add(struct mrc_sample *sample, enum mrc_kind kind,
		    unsigned long addr, u8 flags);
void mrc_sample_inherit(struct mrc_sample *sample,
			const struct mrc_sample *old,
			bool (*keep)(void *arg, const struct mrc_entry *old),
			void *arg);
u64 mrc_sample_number(const struct mrc_entry *entry);
u64 mrc_sample_weight(const struct mrc_sample *sample, enum mrc_kind kind,
		      u64 valid);

static inline enum mrc_kind mrc_entry_kind(const struct mrc_entry *entry)
{
	return entry->flags & MRC_ENTRY_HUGE ? MRC_HUGE : MRC_BASE;
}

#endif
