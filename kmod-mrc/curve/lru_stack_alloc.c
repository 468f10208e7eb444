// SPDX-License-Identifier: GPL-2.0-only
/* Memory of a stack; lru_stack.c is pure logic. */

#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "curve/lru_stack.h"
#include "curve/lru_stack_alloc.h"

/* What a stack may take of the memory that is available, while it grows beside the old one. */
#define AVAILABLE_PART	16
#define CAPACITY_MIN	4096

/**
 * mrc_lru_stack_alloc() - give a stack more room, or groups of another size
 * @s: the stack; not looked at if it has no memory
 * @memory: what it is in, or NULL
 * @capacity: pages; it gets no more than there are of memory, than one allocation
 *	can have, or than takes a part of what memory is available
 * @group_pages: pages in a group
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM; the stack is as it was then.
 */
int mrc_lru_stack_alloc(struct mrc_lru_stack *s, void **memory, u64 capacity, u32 group_pages)
{
	u64 most = min_t(u64, INT_MAX, (u64)max(si_mem_available(), 0L) * PAGE_SIZE /
				       AVAILABLE_PART);
	struct mrc_lru_stack to;
	void *new;

	capacity = min_t(u64, capacity, totalram_pages());
	while (mrc_lru_stack_size(capacity, group_pages) > most && capacity > CAPACITY_MIN)
		capacity /= 2;
	if (*memory && s->group_pages == group_pages && capacity <= s->capacity)
		return 0;
	new = kvmalloc(mrc_lru_stack_size(capacity, group_pages),
		       GFP_KERNEL | __GFP_NOWARN);
	if (!new)
		return -ENOMEM;
	mrc_lru_stack_init(&to, new, capacity, group_pages);
	if (*memory)
		mrc_lru_stack_copy(&to, s);
	kvfree(*memory);
	*memory = new;
	*s = to;
	return 0;
}
