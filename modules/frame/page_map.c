// SPDX-License-Identifier: GPL-2.0-only
/* What is known of pages, by their address; include/memsuite/page_map.h. */

#include <linux/export.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <compat/compat.h>
#include <memsuite/page_map.h>

void memsuite_page_map_init(struct memsuite_page_map *map, unsigned int width)
{
	xa_init(&map->tables);
	map->width = width;
	map->bytes = 0;
}
EXPORT_SYMBOL_GPL(memsuite_page_map_init);

void *memsuite_page_map_find(struct memsuite_page_map *map, unsigned long addr)
{
	return xa_load(&map->tables, addr >> PMD_SHIFT);
}
EXPORT_SYMBOL_GPL(memsuite_page_map_find);

void *memsuite_page_map_make(struct memsuite_page_map *map, unsigned long addr, gfp_t gfp)
{
	unsigned int size = PTRS_PER_PTE * map->width;
	void *table = memsuite_page_map_find(map, addr);

	if (table)
		return table;
	table = kzalloc(size, gfp);
	if (!table)
		return NULL;
	if (xa_err(xa_store(&map->tables, addr >> PMD_SHIFT, table, gfp))) {
		kfree(table);
		return NULL;
	}
	map->bytes += size;
	return table;
}
EXPORT_SYMBOL_GPL(memsuite_page_map_make);

void memsuite_page_map_forget(struct memsuite_page_map *map)
{
	unsigned long index;
	void *table;

	xa_for_each(&map->tables, index, table) {
		xa_erase(&map->tables, index);
		kvfree_rcu_mightsleep(table);
		cond_resched();
	}
	map->bytes = 0;
}
EXPORT_SYMBOL_GPL(memsuite_page_map_forget);

void memsuite_page_map_free(struct memsuite_page_map *map)
{
	unsigned long index;
	void *table;

	xa_for_each(&map->tables, index, table) {
		kfree(table);
		cond_resched();
	}
	xa_destroy(&map->tables);
	map->bytes = 0;
}
EXPORT_SYMBOL_GPL(memsuite_page_map_free);
