// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tagged ranges that the address spaces of a fork share until one of them changes
 * its own. A fork is seen in a tracepoint, with preemption off: there is no time to
 * copy what may be 32,768 tags.
 */

#include <linux/atomic.h>
#include <linux/slab.h>

#include "tags/shared_tags.h"

/* That many tags take time to free, and the grace period ends in an interrupt. */
static struct workqueue_struct *freeing_queue;

static void shared_tags_free(struct work_struct *work)
{
	struct vipzone_shared_tags *tags = container_of(to_rcu_work(work),
							struct vipzone_shared_tags, freeing);

	vipzone_tag_ranges_exit(&tags->ranges);
	kfree(tags);
}

struct vipzone_shared_tags *vipzone_shared_tags_alloc(gfp_t gfp)
{
	struct vipzone_shared_tags *tags = kmalloc(sizeof(*tags), gfp | __GFP_ACCOUNT);

	if (!tags)
		return NULL;
	vipzone_tag_ranges_init(&tags->ranges);
	tags->users = 1;
	INIT_RCU_WORK(&tags->freeing, shared_tags_free);
	return tags;
}

struct vipzone_shared_tags *vipzone_shared_tags_copy(struct vipzone_shared_tags *from,
						     atomic64_t *lost)
{
	struct vipzone_shared_tags *copy = vipzone_shared_tags_alloc(GFP_NOWAIT | __GFP_NOWARN);

	atomic64_add(copy ? vipzone_tag_ranges_copy(&copy->ranges, &from->ranges) :
			    from->ranges.nr, lost);
	return copy;
}

void vipzone_shared_tags_put(struct vipzone_shared_tags *tags)
{
	bool last;

	spin_lock(&tags->ranges.lock);
	last = !--tags->users;
	spin_unlock(&tags->ranges.lock);
	if (last)
		queue_rcu_work(freeing_queue, &tags->freeing);
}

int vipzone_shared_tags_init(void)
{
	freeing_queue = alloc_workqueue("vipzone_tags", WQ_UNBOUND, 0);
	return freeing_queue ? 0 : -ENOMEM;
}

void vipzone_shared_tags_exit(void)
{
	/* What waits for a grace period is queued after it. */
	rcu_barrier();
	destroy_workqueue(freeing_queue);
}
