// SPDX-License-Identifier: GPL-2.0-only
/*
 * While memory is divided, a clock hand finds out how much each page of a target is
 * used: once memory is short, it is too late for that. It takes accessed bits, which
 * the kernel needs as well: young_notifier.c gives them back when the kernel asks.
 */

#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <compat/page.h>
#include <compat/pagetable.h>
#include <memsuite/page_map.h>

#include "divide/aging.h"
#include "divide/clock_hand.h"
#include "target/memory_share.h"
#include "target/page_usage.h"
#include "target/target.h"

/* How long one round over all pages takes at least. */
#define ROUND_US	(2 * USEC_PER_SEC)

static void page_age(struct mrc_clock_hand *h, struct page *page, unsigned long addr,
		     unsigned long *entry, unsigned int order)
{
	u8 *usage = mrc_clock_hand_usage(h, addr);

	h->walk.left--;
	/*
	 * Pages that others map are not evicted, nor parts of a page. Where there is no
	 * room for the usage, the accessed bit stays.
	 */
	if (!usage || memsuite_page_shared(compound_head(page)) ||
	    !mrc_clock_hand_is_whole(page, order))
		return;
	*usage = mrc_page_usage_age(*usage, mrc_clock_hand_take(h, addr, entry, order));
	/* It may be split. */
	memset(usage, *usage, 1UL << order);
	mrc_page_usage_count(&h->t->share.usage, *usage, 1ULL << order);
}

static void round_begin(struct mrc_share *share, u64 now)
{
	share->round = now;
	share->tables = 0;
}

/*
 * The map still has the usage of what is no longer mapped: it is dropped when that is
 * more than half. A page that a TLB has is used without its accessed bit being set: the
 * flush ends that once a round.
 */
static void round_end(struct mrc_share *share, struct mm_struct *mm)
{
	mrc_page_usage_round(&share->usage);
	if (share->usage_map.bytes > 2 * share->tables * PTRS_PER_PTE)
		memsuite_page_map_forget(&share->usage_map);
	memsuite_flush_tlb_mm(mm);
}

static void round_go_on(struct mrc_target *t, struct mm_struct *mm, s64 looks, u64 now)
{
	struct mrc_clock_hand hand = { .t = t, .see = page_age, .use_map = true, .fill_map = true };
	struct mrc_share *share = &t->share;
	u64 done;

	if (!share->aging_hand)
		round_begin(share, now);
	do {
		done = mrc_clock_hand_go(&hand, mm, &share->aging_hand);
		looks -= done;
		if (done)
			share->aged = now;
		cond_resched();
	} while (done && looks > 0 && share->aging_hand);
	share->tables += hand.tables;
	if (done && !share->aging_hand)
		round_end(share, mm);
}

/* Whether the kernel can be told what is taken from it, of this address space. */
static bool is_answered_for(const struct mrc_target *t, const struct mm_struct *mm)
{
	return READ_ONCE(t->notified) && READ_ONCE(t->mm) == mm;
}

/**
 * mrc_aging_knows() - whether it is known how much pages are used
 * @t: the target
 * @mm: an address space of its
 *
 * Return: whether it is known, of this address space.
 */
bool mrc_aging_knows(const struct mrc_target *t, const struct mm_struct *mm)
{
	return READ_ONCE(t->share.usage_mm) == mm && is_answered_for(t, mm);
}

/**
 * mrc_aging_go_on() - go on with a round over a target's pages, as far as it is time
 * @t: the target
 * @mm: its address space, which the caller keeps
 * @most: pages that may be looked at, or some more
 *
 * Context: may sleep.
 */
void mrc_aging_go_on(struct mrc_target *t, struct mm_struct *mm, u64 most)
{
	struct mrc_share *share = &t->share;
	u64 now = mrc_now_us(), us;

	mutex_lock(&share->aging);
	us = min_t(u64, now - share->aged, ROUND_US);
	if (share->usage_mm && !mrc_aging_knows(t, mm))
		mrc_aging_forget(t);
	if (is_answered_for(t, mm) &&
	    (share->aging_hand || now - share->round >= ROUND_US)) {
		WRITE_ONCE(share->usage_mm, mm);
		round_go_on(t, mm, min_t(u64, get_mm_rss(mm) * us / ROUND_US, most), now);
	}
	mutex_unlock(&share->aging);
}

/**
 * mrc_aging_forget() - what is known of a target's pages is void
 * @t: the target
 *
 * Context: may sleep; share.aging is held.
 */
void mrc_aging_forget(struct mrc_target *t)
{
	struct mrc_share *share = &t->share;

	WRITE_ONCE(share->usage_mm, NULL);
	memsuite_page_map_forget(&share->usage_map);
	memset(&share->usage, 0, sizeof(share->usage));
	share->aging_hand = 0;
	share->round = 0;
}

