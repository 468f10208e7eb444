// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page tables of a target: only the bits of entries are looked at, never
 * the pages behind them.
 *
 * Everything is done in batches that hold mmap_lock for reading and an mm_users
 * reference for some ten microseconds. Reading takes no lock of a page table,
 * clearing a bit does.
 */

#include <linux/mm.h>
#include <linux/rcupdate.h>

#include <memsuite/pagewalk.h>

#include "curve/curve.h"
#include "curve/sample.h"
#include "target/target.h"
#include "track/walker.h"
#include "track/young_notifier.h"
#include "track/young_shadow.h"

/* Page tables that are enumerated, and entries looked at, in one batch. */
#define BATCH_TABLES	32
#define BATCH_ENTRIES	64

/* What is found at an address. */
#define PRESENT		BIT(0)
#define YOUNG		BIT(1)
#define OTHER_KIND	BIT(2)	/* split or collapsed meanwhile */

/**
 * struct sample_walk - all pages of an address space are sampled
 * @walk: over it
 * @sample: what they are added to
 * @swapped: how many were swapped out
 */
struct sample_walk {
	struct memsuite_walk walk;
	struct mrc_sample *sample;
	u64 swapped;
};

static u8 sample_walk_flags(const struct memsuite_walk *walk)
{
	return walk->vma->vm_file ? MRC_ENTRY_FILE : 0;
}

static unsigned long sample_ptes(struct memsuite_walk *walk, pte_t *pte,
				 unsigned long addr, unsigned long end)
{
	struct sample_walk *all = container_of(walk, struct sample_walk, walk);
	u8 flags = sample_walk_flags(walk);

	for (; addr < end; addr += PAGE_SIZE, pte++) {
		pte_t val = READ_ONCE(*pte);

		if (pte_none(val))
			continue;
		if (!pte_present(val)) {
			all->swapped++;
			mrc_sample_add(all->sample, MRC_BASE, addr,
				       flags | MRC_ENTRY_ABSENT);
			continue;
		}
		mrc_sample_add(all->sample, MRC_BASE, addr, flags);
	}
	return end;
}

static void sample_huge(struct memsuite_walk *walk, pmd_t *pmd,
			unsigned long addr, unsigned long end)
{
	struct sample_walk *all = container_of(walk, struct sample_walk, walk);

	mrc_sample_add(all->sample, MRC_HUGE, addr, sample_walk_flags(walk));
}

static const struct memsuite_walk_ops sample_walk_ops = {
	.pte_range = sample_ptes,
	.huge_pmd = sample_huge,
};

/**
 * mrc_walker_enumerate() - sample all mapped and swapped-out pages
 * @mm: the address space
 * @sample: after mrc_sample_start()
 * @swapped: how many were swapped out
 *
 * Context: may sleep.
 * Return: 0, -ESRCH (the address space is gone) or -EAGAIN (contended).
 */
int mrc_walker_enumerate(struct mm_struct *mm, struct mrc_sample *sample,
			 u64 *swapped)
{
	struct sample_walk all = {
		.walk = {
			.ops = &sample_walk_ops,
			.mm = mm,
			.flags = MEMSUITE_WALK_LOCKLESS,
			.wait = MEMSUITE_WALK_RETRY,
			.batch = BATCH_TABLES,
		},
		.sample = sample,
	};
	int err = memsuite_walk_all(&all.walk);

	*swapped = all.swapped;
	return err;
}

/**
 * mrc_walker_file_mapped() - whether an address still belongs to a file
 * @mm: the address space
 * @addr: the address
 *
 * Context: may sleep.
 * Return: true if it does.
 */
bool mrc_walker_file_mapped(struct mm_struct *mm, unsigned long addr)
{
	struct memsuite_walk_cursor at = { .mm = mm };
	bool mapped;

	if (memsuite_walk_lock(mm, MEMSUITE_WALK_RETRY))
		return false;
	rcu_read_lock();
	mapped = memsuite_walk_cursor_seek(&at, addr) != MEMSUITE_WALK_NO_AREA &&
		 at.vma->vm_file;
	rcu_read_unlock();
	memsuite_walk_unlock(mm);
	return mapped;
}

static int look_at_huge(struct memsuite_walk_cursor *at, bool clear)
{
	int found = PRESENT;

	if (!clear)
		return PRESENT | (pmd_young(READ_ONCE(*at->pmd)) ? YOUNG : 0);
	if (!memsuite_walk_cursor_lock(at))
		return 0;
	if (pmd_young(READ_ONCE(*at->pmd)) &&
	    test_and_clear_bit(_PAGE_BIT_ACCESSED, (unsigned long *)at->pmd))
		found |= YOUNG;
	memsuite_walk_cursor_unlock(at);
	return found;
}

static int clear_pte(struct memsuite_walk_cursor *at, pte_t *pte)
{
	int found = 0;
	pte_t val;

	if (!memsuite_walk_cursor_lock(at))
		return 0;
	val = READ_ONCE(*pte);
	if (pte_present(val)) {
		found = PRESENT;
		if (pte_young(val) &&
		    test_and_clear_bit(_PAGE_BIT_ACCESSED, (unsigned long *)pte))
			found |= YOUNG;
	}
	memsuite_walk_cursor_unlock(at);
	return found;
}

static int look_at_pte(struct memsuite_walk_cursor *at, unsigned long addr, bool clear)
{
	pte_t *pte = at->table + pte_index(addr), val = READ_ONCE(*pte);

	if (!pte_present(val))
		return 0;
	if (!pte_young(val))
		return PRESENT;
	return clear ? clear_pte(at, pte) : PRESENT | YOUNG;
}

static int entry_find(struct memsuite_walk_cursor *at, const struct mrc_entry *e,
		      bool clear)
{
	enum memsuite_walk_kind kind = memsuite_walk_cursor_seek(at, e->addr);
	bool huge = e->flags & MRC_ENTRY_HUGE;

	if (kind == MEMSUITE_WALK_TABLE)
		return huge ? OTHER_KIND : look_at_pte(at, e->addr, clear);
	if (kind == MEMSUITE_WALK_HUGE)
		return huge ? look_at_huge(at, clear) : OTHER_KIND;
	return kind == MEMSUITE_WALK_NO_AREA ? OTHER_KIND : 0;
}

/*
 * Entries ascend by address, so that the next one is mostly in the same page table.
 * Called under RCU.
 */
static int entry_look(struct mrc_target *t, struct memsuite_walk_cursor *at,
		      const struct mrc_entry *e, bool clear)
{
	int found = entry_find(at, e, clear);
	unsigned long size = e->flags & MRC_ENTRY_HUGE ? PMD_SIZE : PAGE_SIZE;

	if (found & PRESENT && (clear || !(found & YOUNG)) &&
	    mrc_young_elsewhere(t, at->mm, e->addr, size, clear))
		found |= YOUNG;
	return found;
}

/**
 * mrc_walker_clear() - clear the accessed bits of a part of the sample
 * @t: the target
 * @c: whose active pages are looked at
 *
 * Notes what the bits say of the time since they were last looked at, and
 * leaves active what can be watched. The caller flushes the TLBs. Context:
 * may sleep.
 *
 * Return: 0, -ESRCH or -EAGAIN.
 */
int mrc_walker_clear(struct mrc_target *t, struct mrc_ladder_schedule *c)
{
	struct mm_struct *mm = t->mm;
	u32 i = 0, n = 0, k;
	int err;

	for (k = c - t->schedule; k < MRC_SUBS; k += t->moments)
		memset(t->sub[k].valid, 0, sizeof(t->sub[k].valid));
	while (i < c->active_n) {
		u32 stop = min(c->active_n, i + BATCH_ENTRIES);
		u64 now = mrc_now_us();
		struct memsuite_walk_cursor at = { .mm = mm };

		err = memsuite_walk_lock(mm, MEMSUITE_WALK_RETRY);
		if (err)
			return err;
		rcu_read_lock();
		for (; i < stop; i++) {
			struct mrc_entry *e = &t->sample.entry[c->active[i]];
			bool watched = e->flags & MRC_ENTRY_WATCHED;
			int found = entry_look(t, &at, e, true);
			/* Taken by another before: asked after. */
			bool seen = mrc_young_shadow_seen(t, c->active[i]);

			e->flags &= ~(MRC_ENTRY_TOUCHED | MRC_ENTRY_CENSORED);
			e->after = 0;
			if (!c->steps)
				e->step = 0;
			if (found & OTHER_KIND ||
			    (c->steps && !(found & YOUNG) &&
			     mrc_young_shadow_lost(t, c->active[i]))) {
				e->flags |= MRC_ENTRY_CENSORED;
				continue;
			}
			t->stats.pte_reads++;
			if (found & YOUNG) {
				t->stats.pte_clears++;
				mrc_young_shadow_took(t, c->active[i]);
			}
			if (found & YOUNG || seen) {
				/*
				 * The first look says nothing about when, and
				 * neighbours of a file's page that faults are
				 * mapped as if they were touched.
				 */
				if (watched && !(e->flags & MRC_ENTRY_FILE &&
						 e->flags & MRC_ENTRY_ABSENT)) {
					e->seen_after = e->read;
					e->seen_by = now;
					e->step = c->steps;
					e->woke = e->woke ?: c->steps + 1;
				}
			}
			e->flags |= MRC_ENTRY_WATCHED;
			if (found & PRESENT)
				e->flags &= ~MRC_ENTRY_ABSENT;
			else
				e->flags |= MRC_ENTRY_ABSENT;
			e->read = now;
			t->sub[e->sub].valid[mrc_entry_kind(e)]++;
			c->active[n++] = c->active[i];
		}
		rcu_read_unlock();
		memsuite_walk_unlock(mm);
	}
	c->active_n = n;
	return 0;
}

/**
 * mrc_walker_read() - look which pages of a part of the sample were touched
 * @t: the target
 * @c: whose active pages are looked at
 *
 * Those that were are active no more. Context: may sleep.
 *
 * Return: 0, -ESRCH or -EAGAIN (contended; what was not looked at stays active).
 */
int mrc_walker_read(struct mrc_target *t, struct mrc_ladder_schedule *c)
{
	struct mm_struct *mm = t->mm;
	u32 i = 0, n = 0;
	int err = 0;

	while (i < c->active_n) {
		u32 stop = min(c->active_n, i + BATCH_ENTRIES);
		struct memsuite_walk_cursor at = { .mm = mm };
		u64 now;

		err = memsuite_walk_lock(mm, MEMSUITE_WALK_TRY);
		if (err)
			break;
		now = mrc_now_us();
		rcu_read_lock();
		t->stats.pte_reads += stop - i;
		for (; i < stop; i++) {
			struct mrc_entry *e = &t->sample.entry[c->active[i]];
			int found = entry_look(t, &at, e, false);

			if (mrc_young_shadow_seen(t, c->active[i]))
				found |= YOUNG;
			c->looks++;
			c->looks_us += now - e->read;
			if (found & OTHER_KIND ||
			    (found & YOUNG && e->flags & MRC_ENTRY_FILE &&
			     e->flags & MRC_ENTRY_ABSENT) ||
			    (!(found & YOUNG) &&
			     mrc_young_shadow_lost(t, c->active[i]))) {
				e->flags |= MRC_ENTRY_CENSORED;
				t->sub[e->sub].valid[mrc_entry_kind(e)]--;
				continue;
			}
			if (found & YOUNG) {
				e->by = now - e->read;
				e->point = c->points;
				e->flags |= MRC_ENTRY_TOUCHED;
				e->flags &= ~MRC_ENTRY_ABSENT;
				continue;
			}
			e->after = now - e->read;
			if (found & PRESENT)
				e->flags &= ~MRC_ENTRY_ABSENT;
			else
				e->flags |= MRC_ENTRY_ABSENT;
			c->active[n++] = c->active[i];
		}
		rcu_read_unlock();
		memsuite_walk_unlock(mm);
	}
	/* What a contended lock kept from being looked at stays. */
	while (i < c->active_n)
		c->active[n++] = c->active[i++];
	c->active_n = n;
	return err;
}
