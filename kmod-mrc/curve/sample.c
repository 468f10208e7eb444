// SPDX-License-Identifier: GPL-2.0-only
/* Stratified spatial sampling of virtual pages; see sample.h. */

#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/types.h>

#include "curve/curve.h"
#include "curve/sample.h"

#define BASE_SHIFT	12
#define HUGE_SHIFT	21
#define HUGE_PAGES	(1 << (HUGE_SHIFT - BASE_SHIFT))

/* The finalizer of MurmurHash3. */
static u64 sample_hash(u64 x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	return x ^ (x >> 33);
}

/**
 * mrc_sample_pick() - the page that stands for a stratum
 * @salt: of the hash
 * @level: log2 of the pages in a stratum
 * @stratum: its number
 *
 * Descends a binary tree: the pick of a stratum is that of one of its halves.
 *
 * Return: the number of the page.
 */
u64 mrc_sample_pick(u64 salt, unsigned int level, u64 stratum)
{
	for (; level; level--)
		stratum = 2 * stratum +
			  (sample_hash(salt ^ (stratum << 6 | level)) & 1);
	return stratum;
}

/**
 * mrc_sample_level() - the level at which a number of pages fits a limit
 * @pages: how many
 * @limit: how many samples there may be
 *
 * Return: the smallest such level.
 */
unsigned int mrc_sample_level(u64 pages, u32 limit)
{
	unsigned int level = 0;

	while (level < MRC_LEVEL_MAX && pages >> level > limit)
		level++;
	return level;
}

/**
 * mrc_sample_number() - number of a sampled page among those of its kind
 * @entry: the page
 *
 * Return: its address over its size.
 */
u64 mrc_sample_number(const struct mrc_entry *entry)
{
	return entry->addr >> (mrc_entry_kind(entry) == MRC_HUGE ? HUGE_SHIFT :
							     BASE_SHIFT);
}

static bool page_is_picked(const struct mrc_sample *sample, enum mrc_kind kind,
			   u64 number)
{
	unsigned int level = sample->level[kind];

	return mrc_sample_pick(sample->salt, level, number >> level) == number;
}

/**
 * mrc_sample_start() - begin an enumeration
 * @sample: emptied; salt, room and entry must be set
 * @samples: samples of base pages wanted at most; half as many of huge ones
 * @expected: how many pages there will be of each kind, roughly
 */
void mrc_sample_start(struct mrc_sample *sample, u32 samples,
		      const u64 *expected)
{
	unsigned int kind;

	sample->n = 0;
	sample->limit[MRC_BASE] = samples;
	sample->limit[MRC_HUGE] = samples / 2;
	for (kind = 0; kind < MRC_KINDS; kind++) {
		sample->count[kind] = 0;
		sample->mapped[kind] = 0;
		sample->stratum[kind] = U64_MAX;
		sample->level[kind] = mrc_sample_level(expected[kind],
						       sample->limit[kind]);
	}
}

/* Go up a level, and drop what is not picked there. */
static void sample_halve(struct mrc_sample *sample, enum mrc_kind kind)
{
	u32 i, n = 0;

	sample->level[kind]++;
	sample->stratum[kind] = U64_MAX;
	sample->count[kind] = 0;
	for (i = 0; i < sample->n; i++) {
		const struct mrc_entry *e = &sample->entry[i];

		if (mrc_entry_kind(e) == kind) {
			if (!page_is_picked(sample, kind, mrc_sample_number(e)))
				continue;
			sample->count[kind]++;
		}
		sample->entry[n++] = *e;
	}
	sample->n = n;
}

/**
 * mrc_sample_add() - one mapped or swapped-out page was found
 * @sample: being enumerated
 * @kind: of what kind
 * @addr: address, higher than the ones before
 * @flags: MRC_F_* to start with
 */
void mrc_sample_add(struct mrc_sample *sample, enum mrc_kind kind,
		    unsigned long addr, u8 flags)
{
	struct mrc_entry e = {
		.addr = addr,
		.flags = flags | (kind == MRC_HUGE ? MRC_ENTRY_HUGE : 0),
	};

	u64 number = mrc_sample_number(&e), stratum = number >> sample->level[kind];

	sample->mapped[kind]++;
	/* Every page comes by here: hash once a stratum. */
	if (stratum != sample->stratum[kind]) {
		sample->stratum[kind] = stratum;
		sample->pick[kind] = mrc_sample_pick(sample->salt, sample->level[kind],
						     stratum);
	}
	if (sample->pick[kind] != number)
		return;
	while (sample->count[kind] >= sample->limit[kind] ||
	       sample->n >= sample->capacity) {
		if (sample->level[kind] >= MRC_LEVEL_MAX)
			return;
		sample_halve(sample, kind);
		if (!page_is_picked(sample, kind, number))
			return;
	}
	sample->entry[sample->n++] = e;
	sample->count[kind]++;
}

static int by_address(const void *a, const void *b)
{
	const struct mrc_entry *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return 0;
}

/**
 * mrc_sample_inherit() - take over what the sample before knew
 * @sample: enumerated
 * @old: the one before; same salt
 * @keep: whether a page that is no longer there is to be kept as a ghost
 * @arg: passed to @keep
 *
 * Assigns the sub-samples, too: of eight strata that follow one another, each
 * goes to another one, so that all are spread alike.
 */
void mrc_sample_inherit(struct mrc_sample *sample,
			const struct mrc_sample *old,
			bool (*keep)(void *arg, const struct mrc_entry *old),
			void *arg)
{
	u32 i, k = 0, n = sample->n;

	for (i = 0; i < old->n; i++) {
		const struct mrc_entry *was = &old->entry[i];
		struct mrc_entry *is;

		while (k < n && sample->entry[k].addr < was->addr)
			k++;
		is = &sample->entry[k];
		if (k < n && is->addr == was->addr) {
			if (mrc_entry_kind(is) != mrc_entry_kind(was))
				continue;
			is->seen_after = was->seen_after;
			is->seen_by = was->seen_by;
			is->read = was->read;
			is->flags |= was->flags & (MRC_ENTRY_WATCHED | MRC_ENTRY_ABSENT);
			continue;
		}
		if (sample->n >= sample->capacity ||
		    !page_is_picked(sample, mrc_entry_kind(was), mrc_sample_number(was)) ||
		    !keep(arg, was))
			continue;
		is = &sample->entry[sample->n++];
		*is = *was;
		is->flags |= MRC_ENTRY_GHOST | MRC_ENTRY_ABSENT;
	}
	if (sample->n > n)
		sort(sample->entry, sample->n, sizeof(*sample->entry),
		     by_address, NULL);
	for (i = 0; i < sample->n; i++) {
		struct mrc_entry *e = &sample->entry[i];
		u64 stratum = mrc_sample_number(e) >> sample->level[mrc_entry_kind(e)];

		e->sub = (stratum ^ sample_hash(sample->salt + stratum / MRC_SUBS)) %
			 MRC_SUBS;
	}
}

/**
 * mrc_sample_weight() - pages that one sampled page stands for
 * @sample: enumerated
 * @kind: of which kind
 * @valid: how many sampled pages of this kind are counted
 *
 * All mapped pages over those sampled, and not the nominal rate: what is
 * sampled of a program is never quite its share (reference mrc, section 2a).
 *
 * Return: base pages, in fixed point.
 */
u64 mrc_sample_weight(const struct mrc_sample *sample, enum mrc_kind kind,
		      u64 valid)
{
	u64 pages = sample->mapped[kind] << MRC_FRAC;

	if (kind == MRC_HUGE)
		pages *= HUGE_PAGES;
	return valid ? div64_u64(pages + valid / 2, valid) : 0;
}
