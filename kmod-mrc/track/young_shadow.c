// SPDX-License-Identifier: GPL-2.0-only
/*
 * Of the pages in a target's sample: accessed bits that mrc has cleared and owes to
 * reclaim, and bits that others have cleared. young_notifier.c gives back what is owed.
 */

#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include <compat/compat.h>

#include "target/target.h"
#include "track/young_shadow.h"

/*
 * What callbacks look things up in: they run under page table locks, while the
 * tracker replaces the sample.
 */
struct mrc_young_shadow {
	u32 n;
	unsigned long *young;	/* cleared by us, not yet given back */
	unsigned long *taken;	/* cleared by others in this ladder */
	unsigned long *seen;	/* cleared by the suite's others, for the ladder */
	unsigned long addr[];	/* ascending */
};

/**
 * mrc_young_shadow_free() - forget all bits
 * @t: the target
 *
 * Context: may sleep.
 */
void mrc_young_shadow_free(struct mrc_target *t)
{
	struct mrc_young_shadow *old = rcu_replace_pointer(t->shadow, NULL, true);

	/* Whoever evicts pages calls mrc_young_shadow_age() at any time. */
	if (old)
		synchronize_rcu();
	kvfree(old);
}

/* First index whose address is not below @addr. */
static u32 lower_bound(const struct mrc_young_shadow *s, unsigned long addr)
{
	u32 low = 0, high = s->n;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (s->addr[mid] < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Whether a page is in the sample; at which index. */
static bool is_sampled(const struct mrc_young_shadow *s, unsigned long addr, u32 *i)
{
	*i = s ? lower_bound(s, addr) : 0;
	return s && *i < s->n && s->addr[*i] == addr;
}

/* Whether a touch of page @i was taken, and not given back before. */
static bool return_touch(struct mrc_target *t, struct mrc_young_shadow *s, u32 i)
{
	if (!test_and_clear_bit(i, s->young))
		return false;
	atomic64_inc(&t->returned);
	return true;
}

/**
 * mrc_young_shadow_return() - somebody asks for the accessed bits of some pages
 * @t: the target
 * @start: of the first
 * @end: of the last
 * @clear: it asks once, and takes bits from the ladder
 * @ask: who it is: the suite has told what it has taken
 *
 * Context: any; under RCU.
 * Return: whether a bit was taken from it.
 */
bool mrc_young_shadow_return(struct mrc_target *t, unsigned long start,
			     unsigned long end, bool clear, enum memsuite_young_ask ask)
{
	struct mrc_young_shadow *s = rcu_dereference(t->shadow);
	bool young = false;
	u32 i;

	for (i = s ? lower_bound(s, start) : 0; s && i < s->n; i++) {
		if (s->addr[i] >= end)
			break;
		if (!clear) {
			young |= test_bit(i, s->young);
			continue;
		}
		if (ask == MEMSUITE_YOUNG_ASK_KERNEL)
			set_bit(i, s->taken);
		else if (ask == MEMSUITE_YOUNG_ASK_SET)
			set_bit(i, s->seen);
		young |= return_touch(t, s, i);
	}
	return young;
}

/**
 * mrc_young_shadow_renew() - the sample has been replaced
 * @t: the target
 *
 * What was taken from pages that are still sampled is kept. What was taken from
 * the others is lost: they were in the sample for seconds. Context: may sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int mrc_young_shadow_renew(struct mrc_target *t)
{
	struct mrc_young_shadow *old = rcu_dereference_protected(t->shadow, true);
	u32 n = t->sample.n, longs = BITS_TO_LONGS(n), i, k = 0;
	struct mrc_young_shadow *s;

	s = kvzalloc(struct_size(s, addr, n + 3 * longs), GFP_KERNEL);
	if (!s)
		return -ENOMEM;
	s->n = n;
	s->young = s->addr + n;
	s->taken = s->young + longs;
	s->seen = s->taken + longs;
	for (i = 0; i < n; i++) {
		s->addr[i] = t->sample.entry[i].addr;
		while (old && k < old->n && old->addr[k] < s->addr[i])
			k++;
		if (!old || k >= old->n || old->addr[k] != s->addr[i])
			continue;
		if (test_bit(k, old->young))
			__set_bit(i, s->young);
		if (test_bit(k, old->seen))
			__set_bit(i, s->seen);
	}
	rcu_assign_pointer(t->shadow, s);
	if (old) {
		synchronize_rcu();
		kvfree(old);
	}
	return 0;
}

/**
 * mrc_young_shadow_took() - an accessed bit was cleared
 * @t: the target
 * @i: index of the page in its sample
 *
 * Context: any, as long as the sample is not replaced.
 */
void mrc_young_shadow_took(struct mrc_target *t, u32 i)
{
	struct mrc_young_shadow *s = rcu_dereference_protected(t->shadow, true);

	if (!test_and_set_bit(i, s->young))
		t->stats.shadow_young++;
}

/**
 * mrc_young_shadow_begin() - a ladder begins: what others clear from here on counts
 * @t: the target
 */
void mrc_young_shadow_begin(struct mrc_target *t)
{
	struct mrc_young_shadow *s = rcu_dereference_protected(t->shadow, true);

	bitmap_zero(s->taken, s->n);
}

/**
 * mrc_young_shadow_lost() - whether others may have cleared an accessed bit
 * @t: the target
 * @i: index of the page in its sample
 *
 * Return: true if they did since mrc_young_shadow_begin().
 */
bool mrc_young_shadow_lost(struct mrc_target *t, u32 i)
{
	return test_bit(i, rcu_dereference_protected(t->shadow, true)->taken);
}

/**
 * mrc_young_shadow_age() - a hand (clock_hand.h) has cleared an accessed bit
 * @t: the target
 * @addr: of the page
 * @young: whether the bit was set
 *
 * Unlike others who do, it tells the ladder, which loses nothing. Context: any.
 *
 * Return: whether the page was touched since this was last called for it.
 */
bool mrc_young_shadow_age(struct mrc_target *t, unsigned long addr, bool young)
{
	struct mrc_young_shadow *s;
	u32 i;

	rcu_read_lock();
	s = rcu_dereference(t->shadow);
	if (is_sampled(s, addr, &i)) {
		if (young)
			set_bit(i, s->seen);
		young |= test_and_clear_bit(i, s->young);
	}
	rcu_read_unlock();
	return young;
}

/**
 * mrc_young_shadow_kept() - whether an accessed bit was cleared, and is to be given back
 * @t: the target
 * @addr: of the page
 *
 * Context: any.
 * Return: whether it is owed.
 */
bool mrc_young_shadow_kept(struct mrc_target *t, unsigned long addr)
{
	struct mrc_young_shadow *s;
	bool kept;
	u32 i;

	rcu_read_lock();
	s = rcu_dereference(t->shadow);
	kept = is_sampled(s, addr, &i) && test_bit(i, s->young);
	rcu_read_unlock();
	return kept;
}

/**
 * mrc_young_shadow_seen() - whether a touch was seen by mrc_young_shadow_age(); once
 * @t: the target
 * @i: index of the page in its sample
 *
 * Return: whether it was, since this was last asked.
 */
bool mrc_young_shadow_seen(struct mrc_target *t, u32 i)
{
	unsigned long *seen = rcu_dereference_protected(t->shadow, true)->seen;

	return test_bit(i, seen) && test_and_clear_bit(i, seen);
}
