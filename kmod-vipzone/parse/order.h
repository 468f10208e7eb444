/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of regions, and which segments each is for. */
#ifndef VIPZONE_PARSE_ORDER_H
#define VIPZONE_PARSE_ORDER_H

#include <linux/types.h>

#include "parse/segment.h"

#define VIPZONE_MAX_REGIONS	32
#define VIPZONE_ALL_SEGMENTS	((1U << VIPZONE_NR_SEGMENTS) - 1)

struct vipzone_command;

/**
 * struct vipzone_order - where pages come from
 * @nr: how many regions; none leaves the pages to the kernel
 * @region: their numbers in the command, in order of preference
 * @weight: what shares of the pages they have; all 0: the first that has a page gives it
 */
struct vipzone_order {
	u8 nr;
	u8 region[VIPZONE_MAX_REGIONS];
	u8 weight[VIPZONE_MAX_REGIONS];
};

static inline bool vipzone_order_is_weighted(const struct vipzone_order *order)
{
	return order->weight[0];
}

/**
 * vipzone_order_number() - the number of a region in a command
 * @name: the region
 * @command: the region is added if the command did not name it before
 *
 * Pure.
 *
 * Return: the number, -EINVAL (no name), -E2BIG (too many regions) or
 * -ENAMETOOLONG.
 */
int vipzone_order_number(const char *name, struct vipzone_command *command);

/**
 * vipzone_order_parse_weighted() - parse "REGION[=WEIGHT][+REGION[=WEIGHT]...]"
 * @list: is cut up; all regions have weights, or none has
 * @command: regions that it did not name before are added
 * @order: result
 *
 * Pure.
 *
 * Return: 0, -EINVAL (malformed, one of them twice, a weight is missing, or there is nothing to
 * share), -ERANGE (a weight is not 1 to 255), -E2BIG or -ENAMETOOLONG.
 */
int vipzone_order_parse_weighted(char *list, struct vipzone_command *command,
				 struct vipzone_order *order);

/**
 * vipzone_order_parse() - parse "REGION[+REGION...]"
 * @list: is cut up
 * @command: regions that it did not name before are added
 * @order: result
 *
 * Pure.
 *
 * Return: 0, -EINVAL (malformed, one of them twice), -E2BIG or
 * -ENAMETOOLONG.
 */
int vipzone_order_parse(char *list, struct vipzone_command *command,
			struct vipzone_order *order);

/**
 * vipzone_order_set() - say where the pages of some segments come from
 * @command: of which @orders is set
 * @segments: a mask of them
 * @order: where from
 *
 * Pure.
 */
void vipzone_order_set(struct vipzone_command *command, unsigned int segments,
		       const struct vipzone_order *order);

#endif
