// SPDX-License-Identifier: GPL-2.0-only
/* Histories of pages; page_history.h. */

#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include <memsuite/page_map.h>

#include "audit/page_history.h"

/**
 * struct vipzone_page_history - of an address space
 * @hash: in the table, by @mm
 * @mm: kept from being freed, so that it stays its own
 * @map: what is known of each page
 */
struct vipzone_page_history {
	struct hlist_node hash;
	struct mm_struct *mm;
	struct memsuite_page_map map;
};

static DEFINE_HASHTABLE(histories, 10);
static unsigned long bytes;

static void history_forget(struct vipzone_page_history *history)
{
	WRITE_ONCE(bytes, bytes - history->map.bytes);
	memsuite_page_map_free(&history->map);
}

static struct vipzone_page_history *history_find(const struct mm_struct *mm)
{
	struct vipzone_page_history *history;

	hash_for_each_possible(histories, history, hash, (unsigned long)mm)
		if (history->mm == mm)
			return history;
	return NULL;
}

/*
 * It takes less than the page tables, which are there for each page of a huge one that is private,
 * but not of shared memory: else much is for what is gone.
 */
static unsigned long history_most(struct mm_struct *mm)
{
	return mm_pgtables_bytes(mm) + get_mm_rss(mm) * sizeof(struct vipzone_hotness);
}

struct vipzone_page_history *vipzone_page_history_there(struct mm_struct *mm)
{
	struct vipzone_page_history *history = history_find(mm);

	if (history && history->map.bytes > history_most(mm))
		history_forget(history);
	return history;
}

struct vipzone_page_history *vipzone_page_history_of(struct mm_struct *mm)
{
	struct vipzone_page_history *history = vipzone_page_history_there(mm);

	if (history)
		return history;
	history = kzalloc(sizeof(*history), GFP_KERNEL);
	if (!history)
		return NULL;
	mmgrab(mm);
	history->mm = mm;
	memsuite_page_map_init(&history->map, sizeof(struct vipzone_hotness));
	hash_add(histories, &history->hash, (unsigned long)mm);
	return history;
}

struct vipzone_hotness *vipzone_page_history_table(struct vipzone_page_history *history,
						   unsigned long addr, gfp_t gfp)
{
	unsigned long before = history->map.bytes;
	struct vipzone_hotness *table = memsuite_page_map_make(&history->map, addr, gfp);

	WRITE_ONCE(bytes, bytes + history->map.bytes - before);
	return table;
}

struct vipzone_hotness *vipzone_page_history_find(struct vipzone_page_history *history,
						  unsigned long addr)
{
	return memsuite_page_map_find(&history->map, addr);
}

static void history_free(struct vipzone_page_history *history)
{
	hash_del(&history->hash);
	history_forget(history);
	mmdrop(history->mm);
	kfree(history);
}

void vipzone_page_history_sweep(bool all)
{
	struct vipzone_page_history *history;
	struct hlist_node *next;
	int bucket;

	hash_for_each_safe(histories, bucket, next, history, hash)
		if (all || !atomic_read(&history->mm->mm_users))
			history_free(history);
}

unsigned long vipzone_page_history_bytes(void)
{
	return READ_ONCE(bytes);
}
