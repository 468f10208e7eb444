// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page tables of a target: only the bits of entries are looked at, never
 * the pages behind them.
 *
 * Everything is done in batches that hold mmap_lock for reading and an
 * mm_users reference for some ten microseconds. Page tables of the areas that
 * are there are then freed by RCU only (file THP since 6.5, empty tables since
 * 6.14), so that reading needs no page table lock; clearing a bit does, and
 * looks at the PMD again once it holds it, as pte_offset_map_lock() does.
 */

#include <linux/delay.h>
#include <linux/hugetlb.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>

#include <compat/compat.h>
#include <compat/pagetable.h>

#include "curve/curve.h"
#include "curve/sample.h"
#include "target/target.h"
#include "track/ladder_schedule.h"
#include "track/walker.h"
#include "track/young_shadow.h"

/* Page tables that are enumerated, and entries looked at, in one batch. */
#define BATCH_TABLES	32
#define BATCH_ENTRIES	64

/* How often a lock that is contended is tried, a millisecond apart. */
#define TRIES		50

/* What is found at an address. */
#define PRESENT		BIT(0)
#define YOUNG		BIT(1)
#define OTHER_KIND	BIT(2)	/* split or collapsed meanwhile */

static int batch_begin(struct mm_struct *mm)
{
	if (!mmget_not_zero(mm))
		return -ESRCH;
	if (!mmap_read_trylock(mm)) {
		mmput(mm);
		return -EAGAIN;
	}
	return 0;
}

static void batch_end(struct mm_struct *mm)
{
	mmap_read_unlock(mm);
	/* The last reference tears the address space down: not here. */
	mmput_async(mm);
	cond_resched();
}

static int batch_begin_patiently(struct mm_struct *mm)
{
	int i, err;

	for (i = 0; i < TRIES; i++) {
		err = batch_begin(mm);
		if (err != -EAGAIN)
			break;
		usleep_range(500, 1000);
	}
	return err;
}

static bool eligible(const struct vm_area_struct *vma)
{
	return !(vma->vm_flags & (VM_HUGETLB | VM_IO | VM_PFNMAP | VM_MIXEDMAP));
}

/* All of a page table, or of the part of it that [addr, end) covers. */
static void enumerate_table(struct mrc_sample *sample, u64 *swapped,
			    pmd_t pmdval, unsigned long addr,
			    unsigned long end, u8 flags)
{
	pte_t *pte = pte_offset_kernel(&pmdval, addr);

	for (; addr < end; addr += PAGE_SIZE, pte++) {
		pte_t val = READ_ONCE(*pte);

		if (pte_none(val))
			continue;
		if (!pte_present(val)) {
			(*swapped)++;
			mrc_sample_add(sample, MRC_BASE, addr,
				       flags | MRC_F_ABSENT);
			continue;
		}
		mrc_sample_add(sample, MRC_BASE, addr, flags);
	}
}

/* Return: where to go on, 0 at the end. */
static unsigned long enumerate_batch(struct mm_struct *mm, unsigned long addr,
				     struct mrc_sample *sample, u64 *swapped)
{
	struct vm_area_struct *vma;
	int tables = 0;

	while ((vma = find_vma(mm, addr))) {
		u8 flags = vma->vm_file ? MRC_F_FILE : 0;
		unsigned long next;

		addr = max(addr, vma->vm_start);
		if (!eligible(vma))
			addr = vma->vm_end;
		for (; addr < vma->vm_end; addr = next) {
			pmd_t *pmd, val;

			if (++tables > BATCH_TABLES)
				return addr;
			pmd = memsuite_pmd_offset(mm, addr, &next);
			next = min(next, vma->vm_end);
			if (!pmd)
				continue;
			rcu_read_lock();
			val = READ_ONCE(*pmd);
			if (pmd_none(val) || !pmd_present(val)) {
				rcu_read_unlock();
				continue;
			}
			if (pmd_leaf(val)) {
				if (!(addr & ~PMD_MASK))
					mrc_sample_add(sample, MRC_HUGE, addr,
						       flags);
			} else if (!pmd_bad(val)) {
				enumerate_table(sample, swapped, val, addr,
						next, flags);
			}
			rcu_read_unlock();
		}
		if (++tables > BATCH_TABLES)
			return addr;
	}
	return 0;
}

/**
 * mrc_walk_enumerate() - sample all mapped and swapped-out pages
 * @mm: the address space
 * @sample: after mrc_sample_start()
 * @swapped: how many were swapped out
 *
 * Context: may sleep.
 * Return: 0, -ESRCH (the address space is gone) or -EAGAIN (contended).
 */
int mrc_walk_enumerate(struct mm_struct *mm, struct mrc_sample *sample,
		       u64 *swapped)
{
	unsigned long addr = 0;
	int err;

	*swapped = 0;
	do {
		err = batch_begin_patiently(mm);
		if (err)
			return err;
		addr = enumerate_batch(mm, addr, sample, swapped);
		batch_end(mm);
	} while (addr);
	return 0;
}

/**
 * mrc_walk_file_mapped() - whether an address still belongs to a file
 * @mm: the address space
 * @addr: the address
 *
 * Context: may sleep.
 * Return: true if it does.
 */
bool mrc_walk_file_mapped(struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma;
	bool mapped;

	if (batch_begin_patiently(mm))
		return false;
	vma = find_vma(mm, addr);
	mapped = vma && vma->vm_start <= addr && vma->vm_file && eligible(vma);
	batch_end(mm);
	return mapped;
}

static int look_pmd(struct mm_struct *mm, pmd_t *pmd, bool clear)
{
	spinlock_t *lock = pmd_lockptr(mm, pmd);
	pmd_t val = READ_ONCE(*pmd);
	int found = 0;

	if (!clear)
		return PRESENT | (pmd_young(val) ? YOUNG : 0);
	spin_lock(lock);
	val = READ_ONCE(*pmd);
	if (!pmd_none(val) && pmd_present(val) && pmd_leaf(val)) {
		found = PRESENT;
		if (pmd_young(val) &&
		    test_and_clear_bit(_PAGE_BIT_ACCESSED, (unsigned long *)pmd))
			found |= YOUNG;
	}
	spin_unlock(lock);
	return found;
}

/*
 * Where the entry looked at before was: they ascend, so that the next one is mostly
 * in the same area and page table. Good for one batch: under RCU, a table that is
 * taken away meanwhile stays, emptied.
 */
struct place {
	struct vm_area_struct *vma;
	unsigned long start;
	unsigned long end;
	pmd_t *pmd;
	pmd_t val;
	pte_t *table;		/* none if the PMD entry names none */
};

static int clear_pte(struct mm_struct *mm, struct place *at, pte_t *pte)
{
	spinlock_t *lock = pte_lockptr(mm, &at->val);
	int found = 0;
	pte_t val;

	spin_lock(lock);
	/* The table may have been taken away before its lock was ours. */
	if (memsuite_same_table(at->val, READ_ONCE(*at->pmd))) {
		val = READ_ONCE(*pte);
		if (pte_present(val)) {
			found = PRESENT;
			if (pte_young(val) &&
			    test_and_clear_bit(_PAGE_BIT_ACCESSED,
					       (unsigned long *)pte))
				found |= YOUNG;
		}
	}
	spin_unlock(lock);
	return found;
}

static int look_pte(struct mm_struct *mm, struct place *at,
		    unsigned long addr, bool clear)
{
	pte_t *pte = at->table + pte_index(addr), val = READ_ONCE(*pte);

	if (!pte_present(val))
		return 0;
	if (!pte_young(val))
		return PRESENT;
	return clear ? clear_pte(mm, at, pte) : PRESENT | YOUNG;
}

/*
 * Whoever unmaps frees page tables while others have the lock for reading, but
 * none of an area that is still there. Return: whether one is.
 */
static bool find_place(struct mm_struct *mm, struct place *at, unsigned long addr)
{
	at->table = NULL;
	at->start = addr;
	at->end = addr;
	if (!at->vma || addr >= at->vma->vm_end)
		at->vma = find_vma(mm, addr);
	if (!at->vma || addr < at->vma->vm_start || !eligible(at->vma))
		return false;
	at->pmd = memsuite_pmd_offset(mm, addr, &at->end);
	at->end = min(at->end, at->vma->vm_end);
	if (!at->pmd)
		return true;
	at->val = READ_ONCE(*at->pmd);
	if (!pmd_none(at->val) && pmd_present(at->val) && !pmd_leaf(at->val) &&
	    !pmd_bad(at->val))
		at->table = pte_offset_kernel(&at->val, addr) - pte_index(addr);
	return true;
}

/* Called under RCU. */
static int look(struct mm_struct *mm, struct place *at,
		const struct mrc_entry *e, bool clear)
{
	bool huge = e->flags & MRC_F_HUGE;

	if ((e->addr < at->start || e->addr >= at->end) &&
	    !find_place(mm, at, e->addr))
		return OTHER_KIND;
	if (at->table)
		return huge ? OTHER_KIND : look_pte(mm, at, e->addr, clear);
	if (!at->pmd || pmd_none(at->val) || !pmd_present(at->val))
		return 0;
	if (!!pmd_leaf(at->val) != huge)
		return OTHER_KIND;
	return huge ? look_pmd(mm, at->pmd, clear) : 0;
}

/**
 * mrc_walk_clear() - clear the accessed bits of a part of the sample
 * @t: the target
 * @c: of its pages, the active ones of this climb
 *
 * Notes what the bits say of the time since they were last looked at, and
 * leaves active what can be watched. The caller flushes the TLBs. Context:
 * may sleep.
 *
 * Return: 0, -ESRCH or -EAGAIN.
 */
int mrc_walk_clear(struct mrc_target *t, struct mrc_climb *c)
{
	struct mm_struct *mm = t->mm;
	u32 i = 0, n = 0, k;
	int err;

	for (k = c - t->climb; k < MRC_SUBS; k += t->moments)
		memset(t->sub[k].valid, 0, sizeof(t->sub[k].valid));
	while (i < c->active_n) {
		u32 stop = min(c->active_n, i + BATCH_ENTRIES);
		u64 now = mrc_now_us();
		struct place at = {};

		err = batch_begin_patiently(mm);
		if (err)
			return err;
		rcu_read_lock();
		for (; i < stop; i++) {
			struct mrc_entry *e = &t->sample.entry[c->active[i]];
			bool watched = e->flags & MRC_F_WATCHED;
			int found = look(mm, &at, e, true);
			/* Taken by another before: asked after. */
			bool seen = mrc_young_seen(t, c->active[i]);

			e->flags &= ~(MRC_F_TOUCHED | MRC_F_CENSORED);
			e->after = 0;
			if (!c->steps)
				e->step = 0;
			if (found & OTHER_KIND ||
			    (c->steps && !(found & YOUNG) &&
			     mrc_young_lost(t, c->active[i]))) {
				e->flags |= MRC_F_CENSORED;
				continue;
			}
			t->stats.pte_reads++;
			if (found & YOUNG) {
				t->stats.pte_clears++;
				mrc_young_took(t, c->active[i]);
			}
			if (found & YOUNG || seen) {
				/*
				 * The first look says nothing about when, and
				 * neighbours of a file's page that faults are
				 * mapped as if they were touched.
				 */
				if (watched && !(e->flags & MRC_F_FILE &&
						 e->flags & MRC_F_ABSENT)) {
					e->seen_after = e->read;
					e->seen_by = now;
					e->step = c->steps;
					e->woke = e->woke ?: c->steps + 1;
				}
			}
			e->flags |= MRC_F_WATCHED;
			if (found & PRESENT)
				e->flags &= ~MRC_F_ABSENT;
			else
				e->flags |= MRC_F_ABSENT;
			e->read = now;
			t->sub[e->sub].valid[mrc_kind(e)]++;
			c->active[n++] = c->active[i];
		}
		rcu_read_unlock();
		batch_end(mm);
	}
	c->active_n = n;
	return 0;
}

/**
 * mrc_walk_read() - look which pages of it were touched
 * @t: the target
 * @c: of its pages, the active ones of this climb
 *
 * Those that were are active no more. Context: may sleep.
 *
 * Return: 0, -ESRCH or -EAGAIN (contended; what was not looked at stays active).
 */
int mrc_walk_read(struct mrc_target *t, struct mrc_climb *c)
{
	struct mm_struct *mm = t->mm;
	u32 i = 0, n = 0;
	int err = 0;

	while (i < c->active_n) {
		u32 stop = min(c->active_n, i + BATCH_ENTRIES);
		struct place at = {};
		u64 now;

		err = batch_begin(mm);
		if (err)
			break;
		now = mrc_now_us();
		rcu_read_lock();
		t->stats.pte_reads += stop - i;
		for (; i < stop; i++) {
			struct mrc_entry *e = &t->sample.entry[c->active[i]];
			int found = look(mm, &at, e, false);

			if (mrc_young_seen(t, c->active[i]))
				found |= YOUNG;
			c->looks++;
			c->looks_us += now - e->read;
			if (found & OTHER_KIND ||
			    (found & YOUNG && e->flags & MRC_F_FILE &&
			     e->flags & MRC_F_ABSENT) ||
			    (!(found & YOUNG) &&
			     mrc_young_lost(t, c->active[i]))) {
				e->flags |= MRC_F_CENSORED;
				t->sub[e->sub].valid[mrc_kind(e)]--;
				continue;
			}
			if (found & YOUNG) {
				e->by = now - e->read;
				e->rung = c->rungs;
				e->flags |= MRC_F_TOUCHED;
				e->flags &= ~MRC_F_ABSENT;
				continue;
			}
			e->after = now - e->read;
			if (found & PRESENT)
				e->flags &= ~MRC_F_ABSENT;
			else
				e->flags |= MRC_F_ABSENT;
			c->active[n++] = c->active[i];
		}
		rcu_read_unlock();
		batch_end(mm);
	}
	/* What a contended lock kept from being looked at stays. */
	while (i < c->active_n)
		c->active[n++] = c->active[i++];
	c->active_n = n;
	return err;
}
