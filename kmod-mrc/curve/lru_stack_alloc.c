// SPDX-License-Identifier: GPL-2.0-only
/* Memory of a stack; lru_stack.c is pure logic. */

#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "curve/lru_stack.h"
#include "curve/lru_stack_alloc.h"

/**
 * mrc_lru_stack_alloc() - give a stack more room, or groups of another size
 * @s: the stack; not looked at if it has no memory
 * @memory: what it is in, or NULL
 * @capacity: pages; it gets no more than there are of memory, nor than one allocation
 *	can have
 * @group_pages: pages in a group
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM; the stack is as it was then.
 */
int mrc_lru_stack_alloc(struct mrc_lru_stack *s, void **memory, u64 capacity, u32 group_pages)
{
	struct mrc_lru_stack to;
	void *new;

	capacity = min_t(u64, capacity, totalram_pages());
	while (mrc_lru_stack_size(capacity, group_pages) > INT_MAX)
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
