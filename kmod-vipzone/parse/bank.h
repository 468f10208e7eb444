/* SPDX-License-Identifier: GPL-2.0-only */
/* The text form of a bank policy. */
#ifndef VIPZONE_PARSE_BANK_H
#define VIPZONE_PARSE_BANK_H

#include "parse/order.h"

struct vipzone_command;

/* Whom each list of a bank policy is for. */
enum vipzone_bank_assign {
	VIPZONE_BANK_NONE,
	VIPZONE_BANK_PERCPU,
	VIPZONE_BANK_PERPROCESS,
	VIPZONE_BANK_PERCGROUP,
	VIPZONE_BANK_RANDOM,
};

/**
 * struct vipzone_banks - lists of regions, one for each CPU, process or cgroup
 * @assign: which of these; with more of them than lists, they share
 * @nr: how many @orders; 0: it is no bank policy
 * @orders: the lists
 */
struct vipzone_banks {
	enum vipzone_bank_assign assign;
	u8 nr;
	struct vipzone_order orders[VIPZONE_MAX_REGIONS];
};

/**
 * vipzone_banks_parse() - parse "SPREAD=LIST[|LIST...]"
 * @text: what follows "bank:"; is cut up
 * @command: @banks is set, and @orders to all regions of it
 *
 * SPREAD is "percpu", "perprocess", "percgroup" or "random"; LIST as for
 * vipzone_command_parse(). No region may be in two lists.
 *
 * Pure.
 *
 * Return: 0, -EINVAL (malformed), -E2BIG (too many regions),
 * -ENAMETOOLONG.
 */
int vipzone_banks_parse(char *text, struct vipzone_command *command);

#endif
