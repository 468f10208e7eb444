// SPDX-License-Identifier: GPL-2.0-only
/*
 * Evicting the pages of one target that are used least. Pages that others map as
 * well are not this target's to evict.
 */

#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <memsuite/evict.h>

#include "hand.h"
#include "mrc.h"

/* Pages looked at in one sweep. */
#define LOOKS_MAX	262144
/* Of so many that could be evicted, enough are to be cold. */
#define STRETCH		32768
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

/* Of which nothing is noted, it stays if it was touched since it was seen before. */
static bool is_idle(struct mrc_hand *h, unsigned long addr, unsigned long *entry)
{
	return !mrc_hand_take(h, addr, entry);
}

static bool is_cold(struct mrc_hand *h, unsigned long addr, unsigned long entry)
{
	unsigned int coldest = h->t->share.usage.coldest;
	u8 usage = *mrc_hand_usage(h, addr);

	if (mrc_usage_class(usage, false) > coldest)
		return false;
	return mrc_usage_class(usage, entry & _PAGE_ACCESSED ||
				      mrc_young_kept(h->t, addr)) <= coldest;
}

/* Reclaim keeps what was touched. */
static void forget_touch(struct mrc_hand *h, unsigned long addr, unsigned long *entry)
{
	bool touched = mrc_hand_take(h, addr, entry);
	u8 *usage = mrc_hand_usage(h, addr);

	if (usage)
		*usage = mrc_usage_evict(*usage, touched);
}

static void pick(struct mrc_hand *h, struct page *page, unsigned long addr,
		 unsigned long *entry, unsigned int order)
{
	struct mrc_share *share = &h->t->share;
	bool is_noted = mrc_hand_usage(h, addr);
	u64 nr = 1ULL << order;

	h->looks--;
	if (!h->any && !is_noted && !is_idle(h, addr, entry))
		return;
	if (ms_page_shared(compound_head(page))) {
		share->refused_shared += nr;
		return;
	}
	if (!h->any && is_noted && !is_cold(h, addr, READ_ONCE(*entry))) {
		h->warm += nr;
		return;
	}
	/* Of a large folio that is mapped page by page, each has its own bit. */
	if (page != compound_head(page) || ms_page_order(page) != order ||
	    !ms_evict_add(&share->evict, page)) {
		share->refused_busy += nr;
		return;
	}
	forget_touch(h, addr, entry);
	h->picked += nr;
}

static bool has_room(const struct mrc_share *share)
{
	return share->evict.nr <= MS_EVICT_MAX - EVICT_BATCH;
}

/* Return: looks that were made; 0: the lock could not be had. */
static u64 sweep_batch(struct mrc_hand *h, struct mm_struct *mm, u64 want)
{
	u64 looks;

	h->picked = 0;
	h->batch = min_t(u64, want, EVICT_BATCH);
	looks = mrc_hand_go(h, mm, &h->t->share.hand);
	if (looks)
		ms_evict_run(&h->t->share.evict);
	return looks;
}

/*
 * Where what is cold is sparse, it takes what is less cold as well.
 *
 * Return: false if all that there is was taken.
 */
static bool find_enough(struct mrc_hand *h, u64 all)
{
	bool sparse;

	h->found += h->picked;
	if (h->found + h->warm < min_t(u64, all, STRETCH))
		return true;
	sparse = mrc_usage_sparse(h->found, h->found + h->warm);
	h->found = 0;
	h->warm = 0;
	return !sparse || mrc_usage_raise(&h->t->share.usage);
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
	ms_evict_begin(&t->share.evict);
	mutex_unlock(&t->share.sweeping);
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
	struct mrc_hand hand = { .t = t, .see = pick, .table = ms_notes_find };
	u64 before, last, after, done;
	unsigned int futile = 0;
	unsigned long until;
	s64 looks;

	/* Another thread is at it. */
	if (!mutex_trylock(&share->sweeping))
		return 0;
	before = get_mm_rss(mm);
	/* The division may have ended since the caller has looked. */
	if (READ_ONCE(share->pages) == U64_MAX ||
	    time_before(jiffies, share->rest_until)) {
		mutex_unlock(&share->sweeping);
		return 0;
	}
	ms_evict_begin(&share->evict);
	if (wait)
		ms_evict_wait(&share->evict, EVICT_BATCH);
	hand.any = go_back(share, want);
	after = before;
	until = jiffies + PATIENCE;
	for (looks = LOOKS_MAX; looks > 0 && has_room(share); looks -= done) {
		if (before - min(before, after) >= want || futile >= FUTILE_MAX ||
		    (!wait && time_after(jiffies, until)))
			break;
		last = after;
		done = sweep_batch(&hand, mm, want - (before - min(before, after)));
		after = get_mm_rss(mm);
		if (!done || !find_enough(&hand, before))
			break;
		if (hand.picked)
			futile = after < last ? 0 : futile + 1;
		cond_resched();
	}
	after = min(before, after);
	*evicted += before - after;
	/* What is being written makes room sooner than what is in use. */
	if (before == after && has_room(share))
		share->rest_until = jiffies + REST;
	mutex_unlock(&share->sweeping);
	return before - after;
}
