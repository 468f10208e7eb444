/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Low power first (ViPZonE, section 3.2.2 and Figure 7): memory that is used
 * much comes from the region that takes the least power for reads, or for
 * writes; memory that is used little leaves a share of that region free.
 */
#ifndef VIPZONE_PARSE_LOW_POWER_H
#define VIPZONE_PARSE_LOW_POWER_H

#include <linux/types.h>

#include "parse/order.h"

struct vipzone_command;

/*
 * What a program says of its memory, as ViPZonE numbers it. Nothing means read
 * mostly, and used little.
 */
#define VIPZONE_HINT_WRITE	0x10	/* written more than read */
#define VIPZONE_HINT_HIGH	0x20	/* used much */
#define VIPZONE_HINT_ALL	(VIPZONE_HINT_WRITE | VIPZONE_HINT_HIGH)

/* Where memory that is used little comes from. */
enum vipzone_low_util {
	VIPZONE_LOW_UTIL_THRESHOLD,	/* low power first, but for what is reserved */
	VIPZONE_LOW_UTIL_HIGH_POWER,	/* high power first */
	VIPZONE_LOW_UTIL_MOST_FREE,	/* the region that has most free memory */
	VIPZONE_LOW_UTIL_LOW_POWER,	/* low power first, as what is used much */
	VIPZONE_NR_LOW_UTILS,
};

/* Percent of each region that are kept for memory that is used much. */
#define VIPZONE_LOW_POWER_THRESHOLD_PCT	20

/**
 * struct vipzone_low_power - low power first
 * @set: the policy is of this kind
 * @read: where memory that is mostly read comes from, the least power first
 * @write: where memory that is mostly written comes from, likewise
 * @low_util: where memory that is used little comes from
 * @threshold_pct: share of each region kept for what is used much
 * @hint: what is assumed of memory without a hint, VIPZONE_HINT_*
 * @kernel: the kernel's own memory, too
 */
struct vipzone_low_power {
	bool set;
	struct vipzone_order read;
	struct vipzone_order write;
	enum vipzone_low_util low_util;
	u8 threshold_pct;
	u8 hint;
	bool kernel;
};

/**
 * vipzone_low_power_parse() - parse "LIST[,KEY=VALUE...]"
 * @list: is cut up
 * @command: @low_power and, from LIST, @orders are set
 *
 * Pure.
 *
 * Return: as vipzone_command_parse().
 */
int vipzone_low_power_parse(char *list, struct vipzone_command *command);

/**
 * vipzone_low_power_order() - which regions to try for a page
 * @command: a policy of that kind
 * @hint: what is known of the memory, VIPZONE_HINT_*
 * @spare: regions, by number, that have more free than is reserved
 * @most_free: that which has the most free memory
 * @order: result
 *
 * Pure.
 */
void vipzone_low_power_order(const struct vipzone_command *command, unsigned int hint,
			     unsigned int spare, unsigned int most_free,
			     struct vipzone_order *order);

#endif
