// SPDX-License-Identifier: GPL-2.0-only
/* Histories of pages; page_history.h. */

#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include <memsuite/page_map.h>

#include "audit/page_history.h"

/**
 * struct history - of an address space
 * @hash: in the table, by @mm
 * @mm: kept from being freed, so that it stays its own
 * @notes: two bytes for each page
 */
struct history {
	struct hlist_node hash;
	struct mm_struct *mm;
	struct memsuite_page_map notes;
};

static DEFINE_HASHTABLE(histories, 6);
static unsigned long bytes;

static void forget_tables(struct history *history)
{
	WRITE_ONCE(bytes, bytes - history->notes.bytes);
	memsuite_page_map_free(&history->notes);
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
		if (history->notes.bytes > mm_pgtables_bytes(mm))
			forget_tables(history);
		return history;
	}
	history = kzalloc(sizeof(*history), GFP_KERNEL);
	if (!history)
		return NULL;
	mmgrab(mm);
	history->mm = mm;
	memsuite_page_map_init(&history->notes, sizeof(u16));
	hash_add(histories, &history->hash, (unsigned long)mm);
	return history;
}

u16 *history_table(struct history *history, unsigned long addr)
{
	unsigned long before = history->notes.bytes;
	u16 *table = memsuite_page_map_make(&history->notes, addr, GFP_KERNEL);

	WRITE_ONCE(bytes, bytes + history->notes.bytes - before);
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
