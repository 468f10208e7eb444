// SPDX-License-Identifier: GPL-2.0-only
/*
 * Account of how much each page of a target is used, kept while memory is divided:
 * when it is short, it is too late. The kernel, whose accessed bits are taken for
 * it, is told when it asks (young_notifier.c).
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
#include "target/page_usage.h"
#include "target/share.h"
#include "target/target.h"

/* How long one round over all pages takes at least. */
#define ROUND_US	(2 * USEC_PER_SEC)

static void age(struct mrc_hand *h, struct page *page, unsigned long addr,
		unsigned long *entry, unsigned int order)
{
	u8 *usage = mrc_hand_usage(h, addr);

	h->walk.left--;
	/* Others' are not evicted, nor parts; and what cannot be noted is not taken. */
	if (!usage || memsuite_page_shared(compound_head(page)) ||
	    !mrc_hand_is_whole(page, order))
		return;
	*usage = mrc_usage_age(*usage, mrc_hand_take(h, addr, entry));
	/* It may be split. */
	memset(usage, *usage, 1UL << order);
	mrc_usage_count(&h->t->share.usage, *usage, 1ULL << order);
}

static void begin_round(struct mrc_share *share, u64 now)
{
	share->round = now;
	share->tables = 0;
}

/*
 * Of what was mapped once, notes are left. And what a TLB has, is used without an
 * accessed bit: not for longer than a round.
 */
static void end_round(struct mrc_share *share, struct mm_struct *mm)
{
	mrc_usage_round(&share->usage);
	if (share->notes.bytes > 2 * share->tables * PTRS_PER_PTE)
		memsuite_page_map_forget(&share->notes);
	memsuite_flush_tlb_mm(mm);
}

static void go_round(struct mrc_target *t, struct mm_struct *mm, s64 looks, u64 now)
{
	struct mrc_hand hand = { .t = t, .see = age, .noted = true, .keeps = true };
	struct mrc_share *share = &t->share;
	u64 done;

	if (!share->ager)
		begin_round(share, now);
	do {
		done = mrc_hand_go(&hand, mm, &share->ager);
		looks -= done;
		if (done)
			share->aged = now;
		cond_resched();
	} while (done && looks > 0 && share->ager);
	share->tables += hand.tables;
	if (done && !share->ager)
		end_round(share, mm);
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
 */
bool mrc_aging_knows(const struct mrc_target *t, const struct mm_struct *mm)
{
	return READ_ONCE(t->share.noted) == mm && is_answered_for(t, mm);
}

/**
 * mrc_aging() - go on with a round over a target's pages, as far as it is time
 * @t: the target
 * @mm: its address space, which the caller keeps
 * @most: pages that may be looked at, or some more
 *
 * Context: may sleep.
 */
void mrc_aging(struct mrc_target *t, struct mm_struct *mm, u64 most)
{
	struct mrc_share *share = &t->share;
	u64 now = mrc_now_us(), us;

	mutex_lock(&share->aging);
	us = min_t(u64, now - share->aged, ROUND_US);
	if (share->noted && !mrc_aging_knows(t, mm))
		mrc_aging_forget(t);
	if (is_answered_for(t, mm) &&
	    (share->ager || now - share->round >= ROUND_US)) {
		WRITE_ONCE(share->noted, mm);
		go_round(t, mm, min_t(u64, get_mm_rss(mm) * us / ROUND_US, most), now);
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

	WRITE_ONCE(share->noted, NULL);
	memsuite_page_map_forget(&share->notes);
	memset(&share->usage, 0, sizeof(share->usage));
	share->ager = 0;
	share->round = 0;
}

