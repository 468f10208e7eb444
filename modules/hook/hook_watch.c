// SPDX-License-Identifier: GPL-2.0-only
/* Whom the handlers of hooks are asked about; memsuite/hook_watch.h. */

#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

#include "hook/hook_private.h"

u8 memsuite_hook_watched[MEMSUITE_HOOK_WATCH_SIZE];
u8 memsuite_hook_watched_files[MEMSUITE_NR_HOOK_POINTS];

DEFINE_PER_CPU(struct memsuite_hook_entry_watch, memsuite_hook_entry_watch);
EXPORT_PER_CPU_SYMBOL_GPL(memsuite_hook_entry_watch);

#define SLOTS_AT_ONCE	512	/* changed in one hold of the lock */

/* Of a mark: it counts; it was made since marks began to be renewed. */
#define MARK		1
#define MARK_RENEWED	2

static DEFINE_SPINLOCK(watch_lock);	/* of memsuite_hook_watched, and what follows */
static unsigned int watchers[MEMSUITE_HOOK_WATCH_SIZE];
static u8 marks[MEMSUITE_HOOK_WATCH_SIZE];
static unsigned int watchers_of_all, watchers_of_files[MEMSUITE_NR_HOOK_POINTS];
static bool renewing;

static DEFINE_MUTEX(entry_lock);	/* of what follows, and memsuite_hook_entry_watch.all */
static unsigned int watchers_of_entry;

static unsigned int watch_slot(const struct mm_struct *mm)
{
	return ((unsigned long)mm >> MEMSUITE_HOOK_WATCH_SHIFT) % MEMSUITE_HOOK_WATCH_SIZE;
}

/* Under watch_lock. */
static void slot_update(unsigned int slot)
{
	WRITE_ONCE(memsuite_hook_watched[slot],
		   watchers[slot] || marks[slot] & MARK || watchers_of_all);
}

static void watch_change(const struct mm_struct *mm, int change)
{
	unsigned int slot = watch_slot(mm);
	unsigned long flags;

	spin_lock_irqsave(&watch_lock, flags);
	watchers[slot] += change;
	slot_update(slot);
	spin_unlock_irqrestore(&watch_lock, flags);
}

void memsuite_hook_watch(const struct mm_struct *mm)
{
	watch_change(mm, 1);
}
EXPORT_SYMBOL_GPL(memsuite_hook_watch);

void memsuite_hook_unwatch(const struct mm_struct *mm)
{
	watch_change(mm, -1);
}
EXPORT_SYMBOL_GPL(memsuite_hook_unwatch);

/* Does it to all slots, and updates them. */
static void all_slots_change(void (*change)(unsigned int slot))
{
	unsigned int slot = 0;
	unsigned long flags;

	while (slot < MEMSUITE_HOOK_WATCH_SIZE) {
		spin_lock_irqsave(&watch_lock, flags);
		do {
			if (change)
				change(slot);
			slot_update(slot);
		} while (++slot % SLOTS_AT_ONCE);
		spin_unlock_irqrestore(&watch_lock, flags);
	}
}

static void watch_all_change(int change)
{
	unsigned long flags;

	spin_lock_irqsave(&watch_lock, flags);
	watchers_of_all += change;
	spin_unlock_irqrestore(&watch_lock, flags);
	all_slots_change(NULL);
}

void memsuite_hook_watch_all(void)
{
	watch_all_change(1);
}
EXPORT_SYMBOL_GPL(memsuite_hook_watch_all);

void memsuite_hook_unwatch_all(void)
{
	watch_all_change(-1);
}
EXPORT_SYMBOL_GPL(memsuite_hook_unwatch_all);

static void watch_files_change(enum memsuite_hook_point_id id, int change)
{
	unsigned long flags;

	spin_lock_irqsave(&watch_lock, flags);
	watchers_of_files[id] += change;
	WRITE_ONCE(memsuite_hook_watched_files[id], watchers_of_files[id] > 0);
	spin_unlock_irqrestore(&watch_lock, flags);
}

void memsuite_hook_watch_files(enum memsuite_hook_point_id id)
{
	watch_files_change(id, 1);
}
EXPORT_SYMBOL_GPL(memsuite_hook_watch_files);

void memsuite_hook_unwatch_files(enum memsuite_hook_point_id id)
{
	watch_files_change(id, -1);
}
EXPORT_SYMBOL_GPL(memsuite_hook_unwatch_files);

void memsuite_hook_mark(const struct mm_struct *mm)
{
	unsigned int slot = watch_slot(mm);
	unsigned long flags;

	spin_lock_irqsave(&watch_lock, flags);
	marks[slot] |= renewing ? MARK | MARK_RENEWED : MARK;
	slot_update(slot);
	spin_unlock_irqrestore(&watch_lock, flags);
}
EXPORT_SYMBOL_GPL(memsuite_hook_mark);

static void mark_begin_anew(unsigned int slot)
{
	marks[slot] &= MARK;
}

static void mark_end_anew(unsigned int slot)
{
	marks[slot] = marks[slot] & MARK_RENEWED ? MARK : 0;
}

static void renewing_set(bool on)
{
	unsigned long flags;

	spin_lock_irqsave(&watch_lock, flags);
	renewing = on;
	spin_unlock_irqrestore(&watch_lock, flags);
}

void memsuite_hook_marks_renew_begin(void)
{
	all_slots_change(mark_begin_anew);
	renewing_set(true);
}
EXPORT_SYMBOL_GPL(memsuite_hook_marks_renew_begin);

/* A slot that is marked behind this keeps both bits. */
void memsuite_hook_marks_renew_end(void)
{
	all_slots_change(mark_end_anew);
	renewing_set(false);
}
EXPORT_SYMBOL_GPL(memsuite_hook_marks_renew_end);

static void watch_entry_change(int change)
{
	int cpu;

	mutex_lock(&entry_lock);
	watchers_of_entry += change;
	for_each_possible_cpu(cpu)
		WRITE_ONCE(per_cpu(memsuite_hook_entry_watch, cpu).all, watchers_of_entry > 0);
	mutex_unlock(&entry_lock);
}

void memsuite_hook_watch_entry(void)
{
	watch_entry_change(1);
}
EXPORT_SYMBOL_GPL(memsuite_hook_watch_entry);

void memsuite_hook_unwatch_entry(void)
{
	watch_entry_change(-1);
}
EXPORT_SYMBOL_GPL(memsuite_hook_unwatch_entry);
