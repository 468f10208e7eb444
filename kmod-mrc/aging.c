// SPDX-License-Identifier: GPL-2.0-only
/*
 * Account of how much each page of a target is used, kept while memory is divided:
 * when it is short, it is too late. The kernel, whose accessed bits are taken for
 * it, is told when it asks (young.c).
 */

#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>

#include <compat/page.h>
#include <memsuite/notes.h>

#include "hand.h"
#include "mrc.h"

/* How long one round of all pages takes at least; and pages looked at at once. */
#define ROUND_US	(2 * USEC_PER_SEC)
#define LOOKS_MAX	32768

static void *new_table(struct ms_notes *notes, unsigned long addr)
{
	return ms_notes_make(notes, addr, GFP_NOWAIT | __GFP_NOWARN);
}

static void age(struct mrc_hand *h, struct page *page, unsigned long addr,
		unsigned long *entry, unsigned int order)
{
	u8 *usage = mrc_hand_usage(h, addr);

	h->looks--;
	if (!usage)
		return;
	*usage = mrc_usage_age(*usage, mrc_hand_take(h, addr, entry));
	/* Others' pages are not evicted. */
	if (!ms_page_shared(compound_head(page)))
		mrc_usage_count(&h->t->share.usage, *usage, 1ULL << order);
}

static void end_round(struct mrc_target *t, struct mm_struct *mm)
{
	mrc_usage_round(&t->share.usage);
	if (ms_notes_outgrown(&t->share.notes, mm))
		ms_notes_forget(&t->share.notes);
}

/**
 * mrc_aging() - go on with a round over a target's pages, as far as it is time
 * @t: the target
 * @mm: its address space, which the caller keeps
 *
 * Context: may sleep.
 */
void mrc_aging(struct mrc_target *t, struct mm_struct *mm)
{
	struct mrc_hand hand = { .t = t, .see = age, .table = new_table };
	struct mrc_share *share = &t->share;
	u64 now = mrc_now_us(), us = min_t(u64, now - share->aged, ROUND_US), done;
	s64 looks = min_t(u64, get_mm_rss(mm) * us / ROUND_US, LOOKS_MAX);

	if (looks <= 0 || !mutex_trylock(&share->sweeping))
		return;
	share->aged = now;
	while (looks > 0) {
		done = mrc_hand_go(&hand, mm, &share->ager);
		if (!done)
			break;
		looks -= done;
		if (!share->ager) {
			end_round(t, mm);
			break;
		}
		cond_resched();
	}
	mutex_unlock(&share->sweeping);
}

/**
 * mrc_aging_give_back() - the kernel asks whether a page was touched
 * @t: the target
 * @addr: of the page
 * @clear: it asks once
 *
 * Context: under the lock of the page table, or without it if not @clear.
 * Return: whether the accessed bit was taken from it.
 */
bool mrc_aging_give_back(struct mrc_target *t, unsigned long addr, bool clear)
{
	u8 *usage = ms_notes_find(&t->share.notes, addr);

	if (!usage)
		return false;
	usage += pte_index(addr);
	if (!(READ_ONCE(*usage) & MRC_USAGE_OWED))
		return false;
	if (clear)
		*usage &= ~MRC_USAGE_OWED;
	return true;
}
