/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef VIPZONE_COMMAND_H
#define VIPZONE_COMMAND_H

#include <linux/types.h>

#include <memsuite/region.h>

#include "parse/low_power.h"
#include "parse/segment.h"

#define VIPZONE_MAX_REGIONS	32
#define VIPZONE_PATH		256
#define VIPZONE_POLICY		256

/* Who a policy is for; the narrower wins. */
enum vipzone_scope {
	VIPZONE_MACHINE,
	VIPZONE_CGROUP,
	VIPZONE_PROCESS,
};

/**
 * struct vipzone_order - where pages come from
 * @nr: how many regions; none leaves the pages to the kernel
 * @region: their numbers in the command, in order of preference
 */
struct vipzone_order {
	u8 nr;
	u8 region[VIPZONE_MAX_REGIONS];
};

/* Whom each list of a bank policy is for. */
enum vipzone_spread {
	SPREAD_NONE,
	SPREAD_CPU,
	SPREAD_PROCESS,
	SPREAD_CGROUP,
	SPREAD_RANDOM,
};

/**
 * struct vipzone_banks - lists of regions, one for each CPU, process or cgroup
 * @spread: which of these; with more of them than lists, they share
 * @nr: how many @orders; 0: it is no bank policy
 * @orders: the lists
 */
struct vipzone_banks {
	enum vipzone_spread spread;
	u8 nr;
	struct vipzone_order orders[VIPZONE_MAX_REGIONS];
};

/**
 * struct low_power - low power first
 * @set: the policy is of this kind
 * @read: where memory that is mostly read comes from, the least power first
 * @write: and memory that is mostly written
 * @low_util: where memory that is used little comes from
 * @threshold_pct: share of each region kept for what is used much
 * @hint: what is assumed of memory without a hint, HINT_*
 * @kernel: the kernel's own memory, too
 */
struct low_power {
	bool set;
	struct vipzone_order read;
	struct vipzone_order write;
	enum low_util low_util;
	u8 threshold_pct;
	u8 hint;
	bool kernel;
};

/**
 * struct vipzone_command - what is written to vipzone/add
 * @scope: who the policy is for:
 * @pid: that process, or
 * @cgroup: the path of that cgroup
 * @children: processes that it forks are steered as well
 * @heat: pages are moved between the regions of their segment by how they are
 *	used
 * @wear: regions over their wear budget are spared
 * @programs: programs may choose among its regions
 * @by_technology: its regions are those of a known technology, and to be filled in
 * @policy: the policy as it was written
 * @nr_regions: number of @regions
 * @regions: names
 * @orders: where the pages of each segment come from
 * @low_power: how to choose among them, or not set
 * @banks: whose, of these regions, are which
 */
struct vipzone_command {
	enum vipzone_scope scope;
	int pid;
	char cgroup[VIPZONE_PATH];
	bool children;
	bool heat;
	bool wear;
	bool programs;
	bool by_technology;
	char policy[VIPZONE_POLICY];
	unsigned int nr_regions;
	char regions[VIPZONE_MAX_REGIONS][MEMSUITE_REGION_NAME];
	struct vipzone_order orders[NR_SEGMENTS];
	struct low_power low_power;
	struct vipzone_banks banks;
};

#define VIPZONE_ALL_SEGMENTS	((1U << NR_SEGMENTS) - 1)

/**
 * vipzone_parse_order() - parse "REGION[+REGION...]"
 * @list: is cut up
 * @command: regions that it did not name before are added
 * @order: result
 *
 * Pure. Return: 0, -EINVAL (malformed, one of them twice), -E2BIG or
 * -ENAMETOOLONG.
 */
int vipzone_parse_order(char *list, struct vipzone_command *command,
			struct vipzone_order *order);

/* Sets the orders of @segments, a mask. */
void vipzone_set_orders(struct vipzone_command *command, unsigned int segments,
			const struct vipzone_order *order);

/**
 * vipzone_parse_who() - parse "PID", "cgroup:PATH" or "machine"
 * @word: as written
 * @command: @scope, @pid and @cgroup are set
 *
 * Pure. Return: 0, -EINVAL or -ENAMETOOLONG.
 */
int vipzone_parse_who(char *word, struct vipzone_command *command);

/**
 * vipzone_parse() - parse "WHO POLICY [OPTION...]"
 * @line: is cut up
 * @command: result
 *
 * POLICY is "region:LIST", the same for all segments; "segment", the default of
 * the hybrid PRAM paper, for which see vipzone_fill();
 * "segment:SEGMENT=LIST[,...]", in which "*" stands for those not named;
 * "low-power-first:LIST[,KEY=VALUE...]"; or "bank:SPREAD=LIST[|LIST...]", see
 * vipzone_parse_banks(). LIST is "REGION[+REGION...]", the second for when the
 * first is full. OPTION is "children", "heat", "wear" or "programs".
 *
 * Pure. Return: 0, -EINVAL (malformed), -E2BIG (too many regions),
 * -ERANGE (not a percentage), -ENAMETOOLONG.
 */
int vipzone_parse(char *line, struct vipzone_command *command);

/**
 * vipzone_fill() - a region that a policy by technology is about
 * @name: the region
 * @kind: what it is made of
 * @command: heap and stack come from DRAM, the rest from PRAM (hybrid PRAM,
 *	section 5.1); the regions of each in the order of the calls
 *
 * Pure. Return: 0 or -E2BIG (too many regions).
 */
int vipzone_fill(const char *name, enum memsuite_technology kind,
		 struct vipzone_command *command);

/**
 * vipzone_choose() - what a program chooses of what the administrator allows
 * @base: the administrator's policy
 * @list: "SEGMENT=LIST[,...]" as in vipzone_parse(); is cut up
 * @command: result, for a process and its children; segments that are not named
 *	keep the regions that @base gives them
 *
 * Pure. Return: 0, -EPERM (@base lets nobody choose, or not this region),
 * -EINVAL (malformed), -E2BIG or -ENAMETOOLONG.
 */
int vipzone_choose(const struct vipzone_command *base, char *list,
		   struct vipzone_command *command);

#endif
