// SPDX-License-Identifier: GPL-2.0-only
/* Policies whose regions share pages by weight; spread.h. */

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <compat/page.h>

#include "parse/turns.h"
#include "policy/lookup.h"
#include "policy/spread.h"

/* All pages of a folio belong where its first one does. */
static unsigned long place_of_folio(struct page *page, unsigned long place)
{
	struct page *head = compound_head(page);
	unsigned long before = page_to_pfn(page) - page_to_pfn(head);

	return (place - before) >> memsuite_page_order(head);
}

const struct vipzone_order *vipzone_spread_away_to(const struct vipzone_policy *policy,
						   enum vipzone_segment segment,
						   const struct vipzone_order *order,
						   struct page *page, unsigned long place)
{
	const struct vipzone_turns *turns = policy->turns[segment];
	const struct vipzone_turn_lists *lists;

	if (likely(!turns))
		return vipzone_page_is_placed(policy, order, page) ? NULL : order;
	lists = vipzone_turns_at(turns, place_of_folio(page, place));
	if (vipzone_page_is_placed(policy, &lists->only, page))
		return NULL;
	return vipzone_page_is_placed(policy, order, page) ? &lists->only : &lists->all;
}

/* Of a segment before this one that shares in the same way, or NULL: mostly all do. */
static struct vipzone_turns *turns_alike(const struct vipzone_policy *policy, unsigned int segment)
{
	const struct vipzone_order *orders = policy->command.orders;
	unsigned int i;

	for (i = 0; i < segment; i++)
		if (!memcmp(&orders[i], &orders[segment], sizeof(*orders)))
			return policy->turns[i];
	return NULL;
}

int vipzone_spread_open(struct vipzone_policy *policy)
{
	const struct vipzone_order *orders = policy->command.orders;
	struct vipzone_turns *turns;
	unsigned int segment;

	for (segment = 0; segment < VIPZONE_NR_SEGMENTS; segment++) {
		if (!vipzone_order_is_weighted(&orders[segment]))
			continue;
		turns = turns_alike(policy, segment);
		if (!turns) {
			turns = kmalloc(vipzone_turns_size(&orders[segment]),
					policy->base ? GFP_KERNEL_ACCOUNT : GFP_KERNEL);
			if (!turns)
				return -ENOMEM;
			vipzone_turns_init(turns, &orders[segment]);
		}
		policy->turns[segment] = turns;
	}
	return 0;
}

void vipzone_spread_close(struct vipzone_policy *policy)
{
	unsigned int segment;

	for (segment = 0; segment < VIPZONE_NR_SEGMENTS; segment++)
		if (policy->turns[segment] != turns_alike(policy, segment))
			kfree(policy->turns[segment]);
}
