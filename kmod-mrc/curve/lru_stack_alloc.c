// SPDX-License-Identifier: GPL-2.0-only
/* Memory of a stack; lru_stack.c is pure logic. */

#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "curve/lru_stack.h"
#include "curve/lru_stack_alloc.h"

/**
 * mrc_restack() - give a stack more room, or groups of another size
 * @s: the stack; not looked at if it has no memory
 * @memory: what it is in, or NULL
 * @room: pages; it gets no more than there are of memory, nor than one allocation
 *	can have
 * @group_pages: pages in a group
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM; the stack is as it was then.
 */
int mrc_restack(struct mrc_stack *s, void **memory, u64 room, u32 group_pages)
{
	struct mrc_stack to;
	void *new;

	room = min_t(u64, room, totalram_pages());
	while (mrc_stack_size(room, group_pages) > INT_MAX)
		room /= 2;
	if (*memory && s->group_pages == group_pages && room <= s->room)
		return 0;
	new = kvmalloc(mrc_stack_size(room, group_pages),
		       GFP_KERNEL | __GFP_NOWARN);
	if (!new)
		return -ENOMEM;
	mrc_stack_init(&to, new, room, group_pages);
	if (*memory)
		mrc_stack_copy(&to, s);
	kvfree(*memory);
	*memory = new;
	*s = to;
	return 0;
}
