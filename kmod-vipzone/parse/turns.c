// SPDX-License-Identifier: GPL-2.0-only
/* Regions that share pages by weight; turns.h. Pure logic: also built in user space. */

#include <linux/gcd.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "parse/turns.h"

/* 200 and 100 are 2 and 1. */
static unsigned int common_factor(const struct vipzone_order *order)
{
	unsigned long factor = order->weight[0];
	unsigned int i;

	for (i = 1; i < order->nr; i++)
		factor = gcd(factor, order->weight[i]);
	return factor;
}

static unsigned int turns_in_a_round(const struct vipzone_order *order)
{
	unsigned int i, sum = 0;

	for (i = 0; i < order->nr; i++)
		sum += order->weight[i];
	return sum / common_factor(order);
}

size_t vipzone_turns_size(const struct vipzone_order *order)
{
	return sizeof(struct vipzone_turns) + order->nr * sizeof(struct vipzone_turn_lists) +
	       turns_in_a_round(order);
}

/* At each turn, a region earns its weight; who has the most takes it, and pays for a round. */
static void turns_deal(struct vipzone_turns *turns, const struct vipzone_order *order)
{
	int earned[VIPZONE_MAX_REGIONS] = {};
	unsigned int i, turn, most;
	int round = turns->nr * common_factor(order);

	for (turn = 0; turn < turns->nr; turn++) {
		for (most = 0, i = 0; i < order->nr; i++) {
			earned[i] += order->weight[i];
			if (earned[i] > earned[most])
				most = i;
		}
		earned[most] -= round;
		turns->turn[turn] = most;
	}
}

static void lists_init(struct vipzone_turn_lists *lists, const struct vipzone_order *order,
		       unsigned int first)
{
	unsigned int i;

	memset(lists, 0, sizeof(*lists));
	lists->only.nr = 1;
	lists->only.region[0] = order->region[first];
	lists->all = lists->only;
	for (i = 0; i < order->nr; i++)
		if (i != first)
			lists->all.region[lists->all.nr++] = order->region[i];
}

void vipzone_turns_init(struct vipzone_turns *turns, const struct vipzone_order *order)
{
	unsigned int i;

	turns->nr = turns_in_a_round(order);
	turns->turn = (u8 *)&turns->of[order->nr];
	turns_deal(turns, order);
	for (i = 0; i < order->nr; i++)
		lists_init(&turns->of[i], order, i);
}
