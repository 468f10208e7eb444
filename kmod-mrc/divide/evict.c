// SPDX-License-Identifier: GPL-2.0-only
/*
 * Evicting the pages of one target that are used least. Pages that others map as
 * well are not this target's to evict.
 */

#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/swap.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <memsuite/reclaim_pages.h>

#include "divide/aging.h"
#include "divide/clock_hand.h"
#include "divide/evict.h"
#include "target/page_usage.h"
#include "target/share.h"
#include "target/target.h"
#include "track/young_shadow.h"

/* Pages looked at in one sweep. */
#define LOOKS_MAX	65536
/* Pages evicted at once. */
#define EVICT_BATCH	64
/* So many batches in which none could be written are enough. */
#define FUTILE_MAX	4
/* Pages right before the one that faults are left: it may go on with them. */
#define BEHIND		4
/* How long to wait when all was in use. */
#define REST		(HZ / 10)
/* How long the disk may keep a sweep that is not to wait for it. */
#define PATIENCE	(HZ / 10)

static bool is_cold(struct mrc_hand *h, unsigned long addr, unsigned long entry)
{
	unsigned int coldest = READ_ONCE(h->t->share.usage.coldest);
	const u8 *noted = mrc_hand_usage(h, addr);
	u8 usage = noted ? *noted : 0;

	if (mrc_usage_class(usage, false) > coldest)
		return false;
	return mrc_usage_class(usage, entry & _PAGE_ACCESSED ||
				      mrc_young_kept(h->t, addr)) <= coldest;
}

static bool is_wanted(struct mrc_hand *h, unsigned long addr, unsigned long *entry,
		      u64 nr)
{
	if (h->any)
		return true;
	/* Where nothing is noted, it stays if it was touched since it was seen before. */
	if (!h->noted)
		return !mrc_hand_take(h, addr, entry);
	if (is_cold(h, addr, READ_ONCE(*entry)))
		return true;
	h->t->share.warm += nr;
	return false;
}

static bool can_be_had(const struct mrc_hand *h, struct page *page, unsigned int order)
{
	if (!mrc_hand_is_whole(page, order))
		return false;
	return !h->no_swap || !memsuite_page_swap_backed(page) || memsuite_page_in_swap_cache(page);
}

/* Reclaim keeps what was touched. */
static void forget_touch(struct mrc_hand *h, unsigned long addr, unsigned long *entry,
			 u64 nr)
{
	bool touched = mrc_hand_take(h, addr, entry);
	u8 *usage = mrc_hand_usage(h, addr);

	if (usage)
		memset(usage, mrc_usage_evict(*usage, touched), nr);
}

static void pick(struct mrc_hand *h, struct page *page, unsigned long addr,
		 unsigned long *entry, unsigned int order)
{
	struct mrc_share *share = &h->t->share;
	u64 nr = 1ULL << order;

	h->walk.left--;
	if (memsuite_page_shared(compound_head(page))) {
		share->refused_shared += nr;
		return;
	}
	if (!can_be_had(h, page, order)) {
		share->refused_busy += nr;
		return;
	}
	if (!is_wanted(h, addr, entry, nr))
		return;
	if (!memsuite_reclaim_add(&share->evict, page)) {
		share->refused_busy += nr;
		return;
	}
	forget_touch(h, addr, entry, nr);
	h->picked += nr;
}

static bool has_room(const struct mrc_share *share)
{
	return share->evict.nr <= MEMSUITE_RECLAIM_MAX - EVICT_BATCH;
}

/* Return: pages that have left, or are being written. */
static u64 sweep_batch(struct mrc_hand *h, struct mm_struct *mm, u64 want, u64 *looks)
{
	struct mrc_share *share = &h->t->share;
	s64 before = share->evict.nr, rss = get_mm_rss(mm), gone = 0;

	h->picked = 0;
	h->batch = min_t(u64, want, EVICT_BATCH);
	*looks = mrc_hand_go(h, mm, &share->hand);
	if (*looks)
		gone = memsuite_reclaim_run(&share->evict) + share->evict.nr - before;
	/* Of a large one the parts that are being written are not known. */
	return max3(gone, rss - (s64)get_mm_rss(mm), 0LL);
}

/*
 * Where what is cold is sparse among all that could be evicted, it takes what is less
 * cold as well.
 *
 * Return: false if all that there is was taken.
 */
static bool find_enough(struct mrc_hand *h, u64 all)
{
	struct mrc_share *share = &h->t->share;
	bool sparse;

	share->found += h->picked;
	if (share->found + share->warm < (READ_ONCE(share->usage.all) ?: all))
		return true;
	sparse = mrc_usage_sparse(share->found, share->found + share->warm);
	share->found = 0;
	share->warm = 0;
	return !sparse || mrc_usage_raise(&share->usage);
}

/*
 * Of a loop that does not fit, LRU evicts just what comes next, so that all of it
 * is missed. What was used last is what it will not use for longest: that is
 * what lies before the page that has just faulted, if the loop goes up.
 */
static bool go_back(struct mrc_share *share, u64 want)
{
	unsigned long fault = READ_ONCE(share->fault);
	unsigned long back = (BEHIND + want) << PAGE_SHIFT;

	if (!READ_ONCE(share->loops) || fault < back)
		return false;
	share->hand = (fault & PAGE_MASK) - back;
	return true;
}

/**
 * mrc_sweep_settle() - free what the hand evicted and has been written since
 * @t: the target
 *
 * Context: may sleep.
 */
void mrc_sweep_settle(struct mrc_target *t)
{
	if (!mutex_trylock(&t->share.sweeping))
		return;
	memsuite_reclaim_begin(&t->share.evict);
	mutex_unlock(&t->share.sweeping);
}

/* Return: pages that have left, or are being written. */
static u64 sweep(struct mrc_hand *h, struct mm_struct *mm, u64 want, bool wait)
{
	struct mrc_share *share = &h->t->share;
	unsigned long until = jiffies + PATIENCE;
	u64 all = get_mm_rss(mm), looks, done = 0, got, gone = 0;
	unsigned int futile = 0;

	for (looks = 0; looks < LOOKS_MAX && has_room(share); looks += done) {
		if (gone >= want || (!wait && time_after(jiffies, until)))
			return gone;
		got = sweep_batch(h, mm, want - gone, &done);
		gone += got;
		if (!done)
			return gone;
		if (h->picked)
			futile = got ? 0 : futile + 1;
		if (futile >= FUTILE_MAX || !find_enough(h, all))
			break;
		cond_resched();
	}
	/* What is being written makes room sooner than what is in use. */
	if (!gone && has_room(share))
		share->rest_until = jiffies + REST;
	return gone;
}

/**
 * mrc_sweep() - evict the pages of a target that are used least
 * @t: the target
 * @mm: its address space, which the caller keeps
 * @want: how many pages
 * @wait: until there is room for them among those that are being written
 * @evicted: the count to add them to: one of @t->share
 *
 * Context: may sleep; without @wait, for a disk only as long as a batch takes.
 * Return: pages that it is smaller by, as far as can be told.
 */
u64 mrc_sweep(struct mrc_target *t, struct mm_struct *mm, u64 want,
	      bool wait, u64 *evicted)
{
	struct mrc_share *share = &t->share;
	struct mrc_hand hand = { .t = t, .see = pick };
	u64 gone = 0;

	/* Another thread is at it. */
	if (!mutex_trylock(&share->sweeping))
		return 0;
	/* The division may have ended since the caller has looked. */
	if (READ_ONCE(share->pages) != U64_MAX &&
	    time_after_eq(jiffies, share->rest_until)) {
		memsuite_reclaim_begin(&share->evict);
		if (wait)
			memsuite_reclaim_wait(&share->evict, EVICT_BATCH);
		hand.noted = mrc_aging_knows(t, mm);
		hand.any = go_back(share, want);
		hand.no_swap = get_nr_swap_pages() <= 0;
		gone = sweep(&hand, mm, want, wait);
		*evicted += gone;
	}
	mutex_unlock(&share->sweeping);
	return gone;
}
