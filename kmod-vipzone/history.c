// SPDX-License-Identifier: GPL-2.0-only
/*
 * Histories of pages; history.h. By address: two bytes for each page of an
 * address space, in tables that cover as much as a page table does.
 */

#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "history.h"

#define TABLE_BYTES	(PTRS_PER_PTE * sizeof(u16))

/**
 * struct history - of an address space
 * @hash: in the table, by @mm
 * @mm: kept from being freed, so that it stays its own
 * @tables: by PMD number
 * @bytes: what they take
 */
struct history {
	struct hlist_node hash;
	struct mm_struct *mm;
	struct xarray tables;
	unsigned long bytes;
};

static DEFINE_HASHTABLE(histories, 6);
static unsigned long bytes;

static void forget_tables(struct history *history)
{
	unsigned long index;
	u16 *table;

	xa_for_each(&history->tables, index, table)
		kfree(table);
	xa_destroy(&history->tables);
	WRITE_ONCE(bytes, bytes - history->bytes);
	history->bytes = 0;
}

static struct history *find(const struct mm_struct *mm)
{
	struct history *history;

	hash_for_each_possible(histories, history, hash, (unsigned long)mm)
		if (history->mm == mm)
			return history;
	return NULL;
}

struct history *history_of(struct mm_struct *mm)
{
	struct history *history = find(mm);

	if (history) {
		/* Each takes less than its page table: much is for what is gone. */
		if (history->bytes > mm_pgtables_bytes(mm))
			forget_tables(history);
		return history;
	}
	history = kzalloc(sizeof(*history), GFP_KERNEL);
	if (!history)
		return NULL;
	mmgrab(mm);
	history->mm = mm;
	xa_init(&history->tables);
	hash_add(histories, &history->hash, (unsigned long)mm);
	return history;
}

u16 *history_table(struct history *history, unsigned long addr)
{
	unsigned long index = addr >> PMD_SHIFT;
	u16 *table = xa_load(&history->tables, index);

	if (table)
		return table;
	table = kzalloc(TABLE_BYTES, GFP_KERNEL);
	if (!table)
		return NULL;
	if (xa_err(xa_store(&history->tables, index, table, GFP_KERNEL))) {
		kfree(table);
		return NULL;
	}
	history->bytes += TABLE_BYTES;
	WRITE_ONCE(bytes, bytes + TABLE_BYTES);
	return table;
}

static void history_free(struct history *history)
{
	hash_del(&history->hash);
	forget_tables(history);
	mmdrop(history->mm);
	kfree(history);
}

void histories_sweep(bool all)
{
	struct history *history;
	struct hlist_node *next;
	int bucket;

	hash_for_each_safe(histories, bucket, next, history, hash)
		if (all || !atomic_read(&history->mm->mm_users))
			history_free(history);
}

unsigned long histories_bytes(void)
{
	return READ_ONCE(bytes);
}
