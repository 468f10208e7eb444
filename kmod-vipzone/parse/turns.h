/* SPDX-License-Identifier: GPL-2.0-only */
/* Regions that share pages by weight: each place in an area or file is the turn of one of them. */
#ifndef VIPZONE_PARSE_TURNS_H
#define VIPZONE_PARSE_TURNS_H

#include <linux/types.h>

#include "parse/order.h"

/**
 * struct vipzone_turn_lists - where the pages of a region's turns come from
 * @all: that region first, then the others in the order in which they were written
 * @only: that region alone, for pages that lie in another of them
 */
struct vipzone_turn_lists {
	struct vipzone_order all;
	struct vipzone_order only;
};

/**
 * struct vipzone_turns - regions that take turns
 * @nr: turns in a round
 * @turn: whose each of them is, as a number in @of
 * @of: for each region of the order
 */
struct vipzone_turns {
	unsigned int nr;
	u8 *turn;
	struct vipzone_turn_lists of[];
};

/**
 * vipzone_turns_size() - how large the turns of an order are
 * @order: with weights
 *
 * Pure.
 *
 * Return: bytes.
 */
size_t vipzone_turns_size(const struct vipzone_order *order);

/**
 * vipzone_turns_init() - deal out the turns of an order
 * @turns: of vipzone_turns_size() bytes
 * @order: with weights
 *
 * In a round, each region has as many turns as its weight says, spread as evenly as can be: with
 * 3 and 1, the second region has the third turn of four. Then pages that are used together, too,
 * lie in all regions.
 *
 * Pure.
 */
void vipzone_turns_init(struct vipzone_turns *turns, const struct vipzone_order *order);

/**
 * vipzone_turns_at() - whose turn a page is
 * @turns: of its regions
 * @place: its number in the area or the file, counted in pages of its own size
 *
 * Counted so, huge pages are shared out among themselves, and small ones likewise. If a huge page
 * were the 512 small ones that it takes the place of, all would be the turn of one region wherever
 * 512 is a multiple of a round.
 *
 * Pure.
 *
 * Return: where it comes from.
 */
static inline const struct vipzone_turn_lists *vipzone_turns_at(const struct vipzone_turns *turns,
								unsigned long place)
{
	/* A division of 32 bits is the faster one. */
	return &turns->of[turns->turn[(u32)place % turns->nr]];
}

#endif
