// SPDX-License-Identifier: GPL-2.0-only
/* Notes on pages by their address; include/memsuite/notes.h. */

#include <linux/export.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include <compat/compat.h>
#include <memsuite/notes.h>

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

bool ms_notes_outgrown(const struct ms_notes *notes, struct mm_struct *mm)
{
	return notes->bytes / notes->width * sizeof(pte_t) > 2 * mm_pgtables_bytes(mm);
}
EXPORT_SYMBOL_GPL(ms_notes_outgrown);

void ms_notes_forget(struct ms_notes *notes)
{
	unsigned long index;
	void *table;

	xa_for_each(&notes->tables, index, table) {
		xa_erase(&notes->tables, index);
		kvfree_rcu_mightsleep(table);
	}
	notes->bytes = 0;
}
EXPORT_SYMBOL_GPL(ms_notes_forget);
