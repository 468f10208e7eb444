// SPDX-License-Identifier: GPL-2.0-only
/* Notes on pages by their address; include/memsuite/page_map.h. */

#include <linux/export.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <compat/compat.h>
#include <memsuite/page_map.h>

void memsuite_page_map_init(struct memsuite_page_map *notes, unsigned int width)
{
	xa_init(&notes->tables);
	notes->width = width;
	notes->bytes = 0;
}
EXPORT_SYMBOL_GPL(memsuite_page_map_init);

void *memsuite_page_map_find(struct memsuite_page_map *notes, unsigned long addr)
{
	return xa_load(&notes->tables, addr >> PMD_SHIFT);
}
EXPORT_SYMBOL_GPL(memsuite_page_map_find);

void *memsuite_page_map_make(struct memsuite_page_map *notes, unsigned long addr, gfp_t gfp)
{
	unsigned int size = PTRS_PER_PTE * notes->width;
	void *table = memsuite_page_map_find(notes, addr);

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
EXPORT_SYMBOL_GPL(memsuite_page_map_make);

void memsuite_page_map_forget(struct memsuite_page_map *notes)
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
EXPORT_SYMBOL_GPL(memsuite_page_map_forget);

void memsuite_page_map_free(struct memsuite_page_map *notes)
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
EXPORT_SYMBOL_GPL(memsuite_page_map_free);
