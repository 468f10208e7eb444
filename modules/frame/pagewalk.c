// SPDX-License-Identifier: GPL-2.0-only
/* Walking over the page tables of a process; include/memsuite/pagewalk.h. */

#include <linux/delay.h>
#include <linux/export.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include <compat/compat.h>
#include <compat/pagetable.h>
#include <compat/shmem.h>
#include <memsuite/pagewalk.h>

/* How often a contended lock is tried with MEMSUITE_WALK_RETRY, a millisecond apart. */
#define RETRIES		50

/* Entries walked in one hold of their lock, preemption off; it may end with a flush of TLBs. */
#define ENTRIES_AT_ONCE	64

/* Areas of devices, of hugetlbfs, and those that may hold any frames. */
static bool area_is_special(const struct vm_area_struct *vma)
{
	return vma->vm_flags & (VM_HUGETLB | VM_IO | VM_PFNMAP | VM_MIXEDMAP);
}

static bool walk_wants_area(const struct memsuite_walk *walk,
			    const struct vm_area_struct *vma)
{
	if (area_is_special(vma))
		return false;
	if (walk->flags & MEMSUITE_WALK_ANON && !vma->anon_vma &&
	    !(walk->flags & MEMSUITE_WALK_SHMEM && memsuite_shmem_of(vma)))
		return false;
	return !(walk->flags & MEMSUITE_WALK_EVICTABLE && vma->vm_flags & VM_LOCKED);
}

/* Return: where to go on. */
static unsigned long walk_entries(struct memsuite_walk *walk,
				  struct memsuite_walk_cursor *cursor,
				  unsigned long addr, unsigned long end)
{
	if (cursor->kind == MEMSUITE_WALK_TABLE)
		return walk->ops->pte_range ?
			walk->ops->pte_range(walk, cursor->table + pte_index(addr),
					     addr, end) : end;
	/* What begins before the walk does was seen by then as small pages. */
	if (walk->ops->huge_pmd && !(addr & ~PMD_MASK))
		walk->ops->huge_pmd(walk, cursor->pmd, addr, end);
	return end;
}

static unsigned long walk_locked(struct memsuite_walk *walk,
				 struct memsuite_walk_cursor *cursor,
				 unsigned long addr, unsigned long end)
{
	if (walk->flags & MEMSUITE_WALK_LOCKLESS)
		return walk_entries(walk, cursor, addr, end);
	if (!memsuite_walk_cursor_lock(cursor))
		return end;
	end = walk_entries(walk, cursor, addr, end);
	memsuite_walk_cursor_unlock(cursor);
	return end;
}

static bool walk_is_over(const struct memsuite_walk *walk)
{
	return walk->stop || walk->left <= 0;
}

/* One hold of RCU. What the PMD entry is may have changed since the one before. */
static unsigned long walk_some(struct memsuite_walk *walk,
			       struct memsuite_walk_cursor *cursor,
			       unsigned long addr, unsigned long end)
{
	rcu_read_lock();
	memsuite_walk_cursor_read(cursor);
	if (cursor->kind == MEMSUITE_WALK_TABLE)
		end = min(end, ALIGN(addr + 1, ENTRIES_AT_ONCE * PAGE_SIZE));
	if (cursor->kind != MEMSUITE_WALK_HOLE)
		end = walk_locked(walk, cursor, addr, end);
	rcu_read_unlock();
	return end;
}

static unsigned long walk_pmd(struct memsuite_walk *walk, unsigned long addr,
			      unsigned long end)
{
	struct memsuite_walk_cursor cursor = { .mm = walk->mm };

	walk->left--;
	memsuite_walk_cursor_look(&cursor, addr);
	end = min(end, cursor.end);
	if (cursor.kind == MEMSUITE_WALK_HOLE)
		return end;
	if (walk->ops->enter)
		walk->ops->enter(walk, addr);
	do {
		addr = walk_some(walk, &cursor, addr, end);
	} while (addr < end && !walk_is_over(walk));
	return addr;
}

/* Return: where to go on; 0: the end has been reached. */
static unsigned long walk_areas(struct memsuite_walk *walk, unsigned long addr,
				unsigned long end)
{
	while ((walk->vma = find_vma(walk->mm, addr)) && walk->vma->vm_start < end) {
		unsigned long area_end = min(walk->vma->vm_end, end);

		addr = max(addr, walk->vma->vm_start);
		if (!walk_wants_area(walk, walk->vma))
			addr = area_end;
		while (addr < area_end) {
			if (walk_is_over(walk))
				return addr;
			addr = walk_pmd(walk, addr, area_end);
		}
		if (addr >= end)
			break;
		walk->left--;
		if (walk_is_over(walk))
			return addr;
	}
	return 0;
}

void memsuite_walk_cursor_move(struct memsuite_walk_cursor *cursor, unsigned long addr)
{
	struct vm_area_struct *vma = cursor->vma;

	if (!vma || addr < vma->vm_start || addr >= vma->vm_end)
		vma = find_vma(cursor->mm, addr);
	cursor->vma = vma;
	if (!vma || addr < vma->vm_start || area_is_special(vma)) {
		cursor->start = addr;
		cursor->end = addr;
		cursor->kind = MEMSUITE_WALK_NO_AREA;
		cursor->table = NULL;
		return;
	}
	memsuite_walk_cursor_look(cursor, addr);
	cursor->end = min(cursor->end, vma->vm_end);
}
EXPORT_SYMBOL_GPL(memsuite_walk_cursor_move);

static int mm_lock(struct mm_struct *mm, enum memsuite_walk_wait wait)
{
	int err = 0;

	if (!mmget_not_zero(mm))
		return -ESRCH;
	if (wait == MEMSUITE_WALK_WAIT)
		mmap_read_lock(mm);
	else if (wait == MEMSUITE_WALK_KILLABLE)
		err = mmap_read_lock_killable(mm);
	else if (!mmap_read_trylock(mm))
		err = -EAGAIN;
	/* The last reference tears the address space down: not here. */
	if (err)
		mmput_async(mm);
	return err;
}

int memsuite_walk_lock(struct mm_struct *mm, enum memsuite_walk_wait wait)
{
	int i, err = mm_lock(mm, wait);

	if (wait != MEMSUITE_WALK_RETRY)
		return err;
	for (i = 1; err == -EAGAIN && i < RETRIES; i++) {
		usleep_range(500, 1000);
		err = mm_lock(mm, wait);
	}
	return err;
}
EXPORT_SYMBOL_GPL(memsuite_walk_lock);

void memsuite_walk_unlock(struct mm_struct *mm)
{
	mmap_read_unlock(mm);
	mmput_async(mm);
	cond_resched();
}
EXPORT_SYMBOL_GPL(memsuite_walk_unlock);

int memsuite_walk_batch(struct memsuite_walk *walk)
{
	int err = memsuite_walk_lock(walk->mm, walk->wait);

	if (err)
		return err;
	walk->left = walk->batch;
	walk->stop = false;
	walk->addr = walk_areas(walk, walk->addr, TASK_SIZE_MAX);
	memsuite_walk_unlock(walk->mm);
	return 0;
}
EXPORT_SYMBOL_GPL(memsuite_walk_batch);

int memsuite_walk_all(struct memsuite_walk *walk)
{
	int err;

	do {
		err = memsuite_walk_batch(walk);
	} while (!err && walk->addr);
	return err;
}
EXPORT_SYMBOL_GPL(memsuite_walk_all);

void memsuite_walk_range(struct memsuite_walk *walk, unsigned long start,
			 unsigned long end)
{
	walk->left = LONG_MAX;
	walk->stop = false;
	walk_areas(walk, start, end);
}
EXPORT_SYMBOL_GPL(memsuite_walk_range);
