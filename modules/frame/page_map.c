// SPDX-License-Identifier: GPL-2.0-only
/* Notes on pages by their address; include/memsuite/page_map.h. */

#include <linux/export.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <compat/compat.h>
#include <memsuite/page_map.h>

void ms_notes_init(struct ms_notes *notes, unsigned int width)
{
	xa_init(&notes->tables);
	notes->width = width;
	notes->bytes = 0;
}
EXPORT_SYMBOL_GPL(ms_notes_init);

void *ms_notes_find(struct ms_notes *notes, unsigned long addr)
{
	return xa_load(&notes->tables, addr >> PMD_SHIFT);
}
EXPORT_SYMBOL_GPL(ms_notes_find);

void *ms_notes_make(struct ms_notes *notes, unsigned long addr, gfp_t gfp)
{
	unsigned int size = PTRS_PER_PTE * notes->width;
	void *table = ms_notes_find(notes, addr);

	if (table)
		return table;
	table = kzalloc(size, gfp);
	if (!table)
		return NULL;
	if (xa_err(xa_store(&notes->tables, addr >> PMD_SHIFT, table, gfp))) {
		kfree(table);
		return NULL;
	}
	notes->bytes += size;
	return table;
}
EXPORT_SYMBOL_GPL(ms_notes_make);

void ms_notes_forget(struct ms_notes *notes)
{
	unsigned long index;
	void *table;

	xa_for_each(&notes->tables, index, table) {
		xa_erase(&notes->tables, index);
		kvfree_rcu_mightsleep(table);
		cond_resched();
	}
	notes->bytes = 0;
}
EXPORT_SYMBOL_GPL(ms_notes_forget);

void ms_notes_free(struct ms_notes *notes)
{
	unsigned long index;
	void *table;

	xa_for_each(&notes->tables, index, table) {
		kfree(table);
		cond_resched();
	}
	xa_destroy(&notes->tables);
	notes->bytes = 0;
}
EXPORT_SYMBOL_GPL(ms_notes_free);
