// SPDX-License-Identifier: GPL-2.0-only
/*
 * Evicts the pages of a target that are used least. Pages that others map as well are
 * left alone.
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
#include "divide/memcg_protection.h"
#include "target/memory_share.h"
#include "target/page_usage.h"
#include "target/target.h"
#include "track/young_notifier.h"
#include "track/young_shadow.h"

/* Pages looked at in one call. */
#define LOOKS_MAX	65536
/* Pages evicted at once. */
#define EVICT_BATCH	64
/* After so many batches of which no page could be written, it gives up. */
#define FUTILE_MAX	4
/* So many pages before the one that faults are left: the program may go on with them. */
#define BEHIND		4
/* How long to wait when all was in use, and at most if it still is. */
#define REST		(HZ / 10)
#define REST_MAX	HZ
/* How long the disk may keep a caller that is not to wait for it. */
#define PATIENCE	(HZ / 10)

/* As the administrator has it, when it was last looked at. */
static bool may_swap = true;

static bool page_is_cold(struct mrc_clock_hand *h, unsigned long addr, unsigned long entry)
{
	unsigned int coldest = READ_ONCE(h->t->share.usage.coldest);
	const u8 *known = mrc_clock_hand_usage(h, addr);
	u8 usage = known ? *known : 0;

	if (mrc_page_usage_class(usage, false) > coldest)
		return false;
	return mrc_page_usage_class(usage, entry & _PAGE_ACCESSED ||
				      mrc_young_shadow_kept(h->t, addr) ||
				      mrc_young_elsewhere(h->t, h->walk.mm, addr, PAGE_SIZE,
							  false)) <= coldest;
}

static bool page_is_wanted(struct mrc_clock_hand *h, unsigned long addr, unsigned long *entry,
			   unsigned int order)
{
	if (h->any)
		return true;
	/* Where no usage is known, it stays if it was touched since it was last seen. */
	if (!h->use_map)
		return !mrc_clock_hand_take(h, addr, entry, order);
	if (page_is_cold(h, addr, READ_ONCE(*entry)))
		return true;
	h->t->share.warm += 1ULL << order;
	return false;
}

static bool page_can_be_had(const struct mrc_clock_hand *h, struct page *page, unsigned int order)
{
	if (!mrc_clock_hand_is_whole(page, order) || mrc_memcg_keeps(h->walk.mm, page))
		return false;
	return !h->no_swap || !memsuite_page_swap_backed(page) || memsuite_page_in_swap_cache(page);
}

/* Reclaim keeps what was touched. */
static void page_forget_touch(struct mrc_clock_hand *h, unsigned long addr, unsigned long *entry,
			      unsigned int order)
{
	bool touched = mrc_clock_hand_take(h, addr, entry, order);
	u8 *usage = mrc_clock_hand_usage(h, addr);

	if (usage)
		memset(usage, mrc_page_usage_evict(*usage, touched), 1UL << order);
}

static void page_pick(struct mrc_clock_hand *h, struct page *page, unsigned long addr,
		      unsigned long *entry, unsigned int order)
{
	struct mrc_share *share = &h->t->share;
	u64 nr = 1ULL << order;

	h->walk.left--;
	if (memsuite_page_shared(compound_head(page))) {
		share->refused_shared += nr;
		return;
	}
	if (!page_can_be_had(h, page, order)) {
		share->refused_busy += nr;
		return;
	}
	if (!page_is_wanted(h, addr, entry, order))
		return;
	if (!memsuite_reclaim_add(&share->reclaim, page)) {
		share->refused_busy += nr;
		return;
	}
	page_forget_touch(h, addr, entry, order);
	h->picked += nr;
}

static bool has_room(const struct mrc_share *share)
{
	return share->reclaim.nr <= MEMSUITE_RECLAIM_MAX - EVICT_BATCH;
}

/* Return: pages that have left, or are being written. */
static u64 evict_batch(struct mrc_clock_hand *h, struct mm_struct *mm, u64 want, u64 *looks)
{
	struct mrc_share *share = &h->t->share;
	s64 before = share->reclaim.nr, rss = get_mm_rss(mm), gone = 0;

	h->picked = 0;
	h->batch = min_t(u64, want, EVICT_BATCH);
	*looks = mrc_clock_hand_go(h, mm, &share->evict_hand);
	if (*looks)
		gone = memsuite_reclaim_run(&share->reclaim) + share->reclaim.nr - before;
	/* Of a large one the parts that are being written are not known. */
	return max3(gone, rss - (s64)get_mm_rss(mm), 0LL);
}

/*
 * Where what is cold is sparse among all that could be evicted, it takes what is less
 * cold as well.
 *
 * Return: false if all that there is was taken.
 */
static bool find_enough(struct mrc_clock_hand *h, u64 all)
{
	struct mrc_share *share = &h->t->share;
	bool sparse;

	share->found += h->picked;
	if (share->found + share->warm < (READ_ONCE(share->usage.all) ?: all))
		return true;
	sparse = mrc_page_usage_sparse(share->found, share->found + share->warm);
	share->found = 0;
	share->warm = 0;
	return !sparse || mrc_page_usage_raise(&share->usage);
}

/*
 * Of a loop that does not fit, LRU evicts just what comes next, so that all of it is
 * missed. The page used just now is the one that will not be used for longest: if the
 * loop goes up, it lies right before the page that has just faulted.
 */
static bool go_back(struct mrc_share *share, u64 want)
{
	unsigned long fault = READ_ONCE(share->fault);
	unsigned long back = (BEHIND + want) << PAGE_SHIFT;

	if (!READ_ONCE(share->loops) || fault < back)
		return false;
	share->evict_hand = (fault & PAGE_MASK) - back;
	return true;
}

/**
 * mrc_evict_look() - look whether the administrator lets pages be swapped out
 *
 * Context: may sleep; a kernel thread.
 */
void mrc_evict_look(void)
{
	WRITE_ONCE(may_swap, memsuite_reclaim_may_swap());
}

/**
 * mrc_evict_settle() - free pages that were evicted and have been written since
 * @t: the target
 *
 * Context: may sleep.
 */
void mrc_evict_settle(struct mrc_target *t)
{
	if (!mutex_trylock(&t->share.evicting))
		return;
	memsuite_reclaim_begin(&t->share.reclaim);
	mutex_unlock(&t->share.evicting);
}

/* What may be evicted yet; what is being written is still counted where it is charged. */
static u64 evict_allowance(const struct mrc_share *share, struct mm_struct *mm)
{
	u64 slack = mrc_memcg_slack(mm);

	return slack > share->reclaim.nr ? slack - share->reclaim.nr : 0;
}

/* Return: pages that have left, or are being written. */
static u64 evict_pages(struct mrc_clock_hand *h, struct mm_struct *mm, u64 want, bool wait)
{
	struct mrc_share *share = &h->t->share;
	unsigned long until = jiffies + PATIENCE;
	u64 all = get_mm_rss(mm), looks, done = 0, got, gone = 0, allowed;
	unsigned int futile = 0;

	for (looks = 0; looks < LOOKS_MAX && has_room(share); looks += done) {
		if (gone >= want || (!wait && time_after(jiffies, until)))
			return gone;
		allowed = evict_allowance(share, mm);
		if (!allowed)
			return gone;
		got = evict_batch(h, mm, min(want - gone, allowed), &done);
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
	if (!gone && has_room(share)) {
		share->rest = clamp_t(unsigned long, 2 * share->rest, REST, REST_MAX);
		share->rest_until = jiffies + share->rest;
	} else {
		share->rest = 0;
	}
	return gone;
}

/**
 * mrc_evict() - evict the pages of a target that are used least
 * @t: the target
 * @mm: its address space, which the caller keeps
 * @want: how many pages
 * @wait: until there is room for them among those that are being written
 * @evicted: the count to add them to: one of @t->share
 *
 * Context: may sleep; without @wait, for a disk only as long as a batch takes.
 * Return: pages that it is smaller by, as far as can be told.
 */
u64 mrc_evict(struct mrc_target *t, struct mm_struct *mm, u64 want,
	      bool wait, u64 *evicted)
{
	struct mrc_share *share = &t->share;
	struct mrc_clock_hand hand = { .t = t, .see = page_pick };
	u64 gone = 0;

	/* Another thread is at it. */
	if (!mutex_trylock(&share->evicting))
		return 0;
	/* The division may have ended since the caller has looked. */
	if (READ_ONCE(share->pages) != U64_MAX &&
	    time_after_eq(jiffies, share->rest_until)) {
		memsuite_reclaim_begin(&share->reclaim);
		if (wait)
			memsuite_reclaim_wait(&share->reclaim, EVICT_BATCH);
		hand.use_map = mrc_aging_knows(t, mm);
		hand.any = go_back(share, want);
		hand.no_swap = !READ_ONCE(may_swap) || get_nr_swap_pages() <= 0 ||
			       !mrc_memcg_may_swap(mm);
		gone = evict_pages(&hand, mm, want, wait);
		*evicted += gone;
	}
	mutex_unlock(&share->evicting);
	return gone;
}
