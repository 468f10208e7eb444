/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walking over the page tables of a process, as mm/pagewalk.c does, which modules
 * cannot call.
 *
 * What is told apart here, and nowhere else: areas whose pages are not a process's own
 * to be looked at, huge pages, page tables, and entries without a page behind them.
 *
 * Page tables of an area that is there are freed by RCU only, while mmap_lock is held
 * for reading (file THP since 6.5, empty tables since 6.14). So reading an entry
 * takes RCU, and changing one also the lock of its table, and a look at the PMD entry
 * once that lock is held, as in pte_offset_map_lock().
 */
#ifndef MEMSUITE_PAGEWALK_H
#define MEMSUITE_PAGEWALK_H

#include <linux/bits.h>
#include <linux/mm.h>
#include <linux/spinlock.h>

#include <compat/compat.h>
#include <compat/pagetable.h>

/**
 * enum memsuite_walk_kind - what is found where an address is mapped
 * @MEMSUITE_WALK_NO_AREA: no area, or a special one, whose pages are not walked over
 * @MEMSUITE_WALK_HOLE: neither a page table nor a huge page
 * @MEMSUITE_WALK_TABLE: a page table
 * @MEMSUITE_WALK_HUGE: a huge page
 */
enum memsuite_walk_kind {
	MEMSUITE_WALK_NO_AREA,
	MEMSUITE_WALK_HOLE,
	MEMSUITE_WALK_TABLE,
	MEMSUITE_WALK_HUGE,
};

/**
 * struct memsuite_walk_cursor - where a walk is: at one PMD entry
 * @mm: the address space
 * @vma: the area, or NULL
 * @start: first address that @kind is known of
 * @end: first address behind those
 * @kind: what is found there
 * @pmd: the entry, or NULL
 * @pmdval: what it was when it was looked at
 * @table: the page table that it names, or NULL
 * @lock: that memsuite_walk_cursor_lock() has taken
 *
 * Zeroed but for @mm. Good for one hold of mmap_lock and of RCU.
 */
struct memsuite_walk_cursor {
	struct mm_struct *mm;
	struct vm_area_struct *vma;
	unsigned long start;
	unsigned long end;
	enum memsuite_walk_kind kind;
	pmd_t *pmd;
	pmd_t pmdval;
	pte_t *table;
	spinlock_t *lock;	/* of the page table, or of the PMD entry */
};

static inline enum memsuite_walk_kind memsuite_walk_pmd_kind(pmd_t pmdval)
{
	if (pmd_none(pmdval) || !pmd_present(pmdval))
		return MEMSUITE_WALK_HOLE;
	if (pmd_leaf(pmdval))
		return MEMSUITE_WALK_HUGE;
	return pmd_bad(pmdval) ? MEMSUITE_WALK_HOLE : MEMSUITE_WALK_TABLE;
}

/* Look at the PMD entry, which may have changed. */
static inline void memsuite_walk_cursor_read(struct memsuite_walk_cursor *cursor)
{
	cursor->pmdval = READ_ONCE(*cursor->pmd);
	cursor->kind = memsuite_walk_pmd_kind(cursor->pmdval);
	cursor->table = NULL;
	if (cursor->kind == MEMSUITE_WALK_TABLE)
		cursor->table = pte_offset_kernel(&cursor->pmdval, 0);
}

/* Look up the PMD entry of an address. Its area is there, and stays. */
static inline void memsuite_walk_cursor_look(struct memsuite_walk_cursor *cursor,
					     unsigned long addr)
{
	cursor->start = addr;
	cursor->kind = MEMSUITE_WALK_HOLE;
	cursor->table = NULL;
	cursor->pmd = memsuite_pmd_offset(cursor->mm, addr, &cursor->end);
	if (cursor->pmd)
		memsuite_walk_cursor_read(cursor);
}

/**
 * memsuite_walk_cursor_lock() - lock a page table, or a huge page's entry
 * @cursor: at one of them
 *
 * Context: mmap_lock and RCU held.
 * Return: false, and nothing is locked, if it is gone meanwhile.
 */
static inline bool memsuite_walk_cursor_lock(struct memsuite_walk_cursor *cursor)
{
	bool table = cursor->kind == MEMSUITE_WALK_TABLE;
	pmd_t now;

	cursor->lock = table ? pte_lockptr(cursor->mm, &cursor->pmdval) :
			       pmd_lockptr(cursor->mm, cursor->pmd);
	spin_lock(cursor->lock);
	now = READ_ONCE(*cursor->pmd);
	if (table ? memsuite_same_table(cursor->pmdval, now) :
		    memsuite_walk_pmd_kind(now) == MEMSUITE_WALK_HUGE)
		return true;
	spin_unlock(cursor->lock);
	/* What is there now is looked at by who comes next. */
	cursor->end = cursor->start;
	return false;
}

static inline void memsuite_walk_cursor_unlock(struct memsuite_walk_cursor *cursor)
{
	spin_unlock(cursor->lock);
}

/* The slow half of memsuite_walk_cursor_seek(). */
void memsuite_walk_cursor_move(struct memsuite_walk_cursor *cursor, unsigned long addr);

/**
 * memsuite_walk_cursor_seek() - go to an address
 * @cursor: is left where it is if that is in the same page table
 * @addr: the address
 *
 * Context: mmap_lock and RCU held.
 * Return: what is there.
 */
static inline enum memsuite_walk_kind
memsuite_walk_cursor_seek(struct memsuite_walk_cursor *cursor, unsigned long addr)
{
	if (addr < cursor->start || addr >= cursor->end)
		memsuite_walk_cursor_move(cursor, addr);
	return cursor->kind;
}

/**
 * memsuite_walk_is_swapped() - whether the page at an address is in swap, or on its way
 * @mm: the address space
 * @addr: the address
 *
 * Context: mmap_lock or the lock of the area is held, as in a page fault. Does not
 * sleep, and calls nothing that could be traced.
 *
 * Return: true if it is.
 */
static inline bool memsuite_walk_is_swapped(struct mm_struct *mm, unsigned long addr)
{
	struct memsuite_walk_cursor cursor = { .mm = mm };
	pte_t pte;

	memsuite_walk_cursor_look(&cursor, addr);
	if (!cursor.table)
		return false;
	pte = READ_ONCE(cursor.table[pte_index(addr)]);
	return !pte_none(pte) && !pte_present(pte);
}

/* The page that an entry maps: NULL for what is not present, special, or no memory. */
static inline struct page *memsuite_walk_pte_page(pte_t pte)
{
	unsigned long pfn;

	if (!pte_present(pte) || pte_special(pte))
		return NULL;
	pfn = pte_pfn(pte);
	return pfn_valid(pfn) ? pfn_to_page(pfn) : NULL;
}

/* The first page of a huge one: NULL for what is no memory. */
static inline struct page *memsuite_walk_pmd_page(pmd_t pmd)
{
	unsigned long pfn = pmd_pfn(pmd);

	return pfn_valid(pfn) ? pfn_to_page(pfn) : NULL;
}

struct memsuite_walk;

/**
 * struct memsuite_walk_ops - what a walk does with what it meets; each may be NULL
 * @enter: it comes to a page table or a huge page, which may be gone when the next
 *	one is called. May sleep
 * @pte_range: entries of [@addr, @end), all in one page table, @pte the first of them,
 *	under its lock and RCU. Returns @end, or where it has stopped, and then sets
 *	@stop of the walk
 * @huge_pmd: the entry of a huge page, from its first address on, under its lock and RCU
 *
 * A page table at a time, so that a walk takes one indirect call for 512 entries.
 */
struct memsuite_walk_ops {
	void (*enter)(struct memsuite_walk *walk, unsigned long addr);
	unsigned long (*pte_range)(struct memsuite_walk *walk, pte_t *pte,
				   unsigned long addr, unsigned long end);
	void (*huge_pmd)(struct memsuite_walk *walk, pmd_t *pmd, unsigned long addr,
			 unsigned long end);
};

/* Only areas that have anonymous pages, */
#define MEMSUITE_WALK_ANON	BIT(0)
/* Only areas whose pages may be evicted: no mlock(). */
#define MEMSUITE_WALK_EVICTABLE	BIT(1)
/* Entries are only read: without the lock of the page table. */
#define MEMSUITE_WALK_LOCKLESS	BIT(2)
/* With MEMSUITE_WALK_ANON: or shared memory. */
#define MEMSUITE_WALK_SHMEM	BIT(3)

/**
 * enum memsuite_walk_wait - how mmap_lock is taken
 * @MEMSUITE_WALK_TRY: not at all if another has it
 * @MEMSUITE_WALK_RETRY: it is tried for some 50 ms
 * @MEMSUITE_WALK_WAIT: as long as it takes
 * @MEMSUITE_WALK_KILLABLE: as long as it takes, or until the caller is killed
 */
enum memsuite_walk_wait {
	MEMSUITE_WALK_TRY,
	MEMSUITE_WALK_RETRY,
	MEMSUITE_WALK_WAIT,
	MEMSUITE_WALK_KILLABLE,
};

/**
 * struct memsuite_walk - a walk over an address space
 * @ops: what to do with what it meets
 * @mm: the address space
 * @flags: MEMSUITE_WALK_*
 * @wait: how mmap_lock is taken
 * @batch: so much of @left is there in one hold of mmap_lock
 * @addr: where to begin; then where to go on, 0 at the end
 * @vma: the area that it is in
 * @left: until mmap_lock is dropped: a PMD entry or an area that it comes to takes 1,
 *	operations may take more
 * @stop: an operation ends the batch
 *
 * Embed it in what the operations need.
 */
struct memsuite_walk {
	const struct memsuite_walk_ops *ops;
	struct mm_struct *mm;
	unsigned int flags;
	enum memsuite_walk_wait wait;
	unsigned int batch;
	unsigned long addr;
	struct vm_area_struct *vma;
	long left;
	bool stop;
};

/**
 * memsuite_walk_lock() - take mmap_lock for reading, and a reference
 * @mm: the address space
 * @wait: how
 *
 * Context: may sleep.
 * Return: 0, -ESRCH (the address space is gone), -EAGAIN (contended) or -EINTR.
 */
int memsuite_walk_lock(struct mm_struct *mm, enum memsuite_walk_wait wait);

/**
 * memsuite_walk_unlock() - the reverse
 * @mm: the address space
 *
 * Context: may sleep; reschedules.
 */
void memsuite_walk_unlock(struct mm_struct *mm);

/**
 * memsuite_walk_batch() - go on for one hold of mmap_lock
 * @walk: the walk
 *
 * Context: may sleep; reschedules.
 * Return: 0, or an error of memsuite_walk_lock(), and the walk is where it was.
 */
int memsuite_walk_batch(struct memsuite_walk *walk);

/**
 * memsuite_walk_all() - go on to the end, batch after batch
 * @walk: the walk
 *
 * Context: may sleep; reschedules.
 * Return: 0, or an error of memsuite_walk_lock().
 */
int memsuite_walk_all(struct memsuite_walk *walk);

/**
 * memsuite_walk_range() - walk over a part of an address space, in one go
 * @walk: the walk
 * @start: first address
 * @end: first address behind it
 *
 * Context: mmap_lock held. Does not sleep if the operations do not.
 */
void memsuite_walk_range(struct memsuite_walk *walk, unsigned long start,
			 unsigned long end);

#endif
