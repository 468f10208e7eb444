/* SPDX-License-Identifier: GPL-2.0-only */
/* What is written to vipzone/add, remove and VIPZONE_CHOOSE. */
#ifndef VIPZONE_PARSE_COMMAND_H
#define VIPZONE_PARSE_COMMAND_H

#include <linux/types.h>

#include <memsuite/region.h>

#include "parse/bank.h"
#include "parse/low_power.h"
#include "parse/order.h"
#include "parse/segment.h"

#define VIPZONE_PATH_SIZE		256
#define VIPZONE_POLICY_SIZE		256

/* Whom a policy is for; the most specific policy applies. */
enum vipzone_scope {
	VIPZONE_SCOPE_MACHINE,
	VIPZONE_SCOPE_CGROUP,
	VIPZONE_SCOPE_PROCESS,
	VIPZONE_SCOPE_FILE,
};

/**
 * struct vipzone_command - what is written to vipzone/add
 * @scope: whom the policy is for
 * @pid: the process, if it is for one
 * @path: of the cgroup or the file, if it is for one
 * @children: processes that it forks are steered as well
 * @later: the cgroup need not be there yet
 * @move: pages of who enters the cgroup are moved
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
	char path[VIPZONE_PATH_SIZE];
	bool children;
	bool later;
	bool move;
	bool heat;
	bool wear;
	bool programs;
	bool by_technology;
	char policy[VIPZONE_POLICY_SIZE];
	unsigned int nr_regions;
	char regions[VIPZONE_MAX_REGIONS][MEMSUITE_REGION_NAME];
	struct vipzone_order orders[VIPZONE_NR_SEGMENTS];
	struct vipzone_low_power low_power;
	struct vipzone_banks banks;
};

/**
 * vipzone_command_parse_scope() - parse "PID", "cgroup:PATH", "file:PATH" or "machine"
 * @word: as written
 * @command: @scope, @pid and @path are set
 *
 * Pure.
 *
 * Return: 0, -EINVAL or -ENAMETOOLONG.
 */
int vipzone_command_parse_scope(char *word, struct vipzone_command *command);

/**
 * vipzone_command_parse() - parse "WHO POLICY [OPTION...]"
 * @line: is cut up
 * @command: result
 *
 * POLICY is "region:LIST", the same for all segments; "segment", the default of
 * the hybrid PRAM paper, for which see vipzone_command_fill();
 * "segment:SEGMENT=LIST[,...]", in which "heap" stands for "brk" and "mmap", and "*" for all,
 * unless they are named;
 * "low-power-first:LIST[,KEY=VALUE...]"; or "bank:SPREAD=LIST[|LIST...]", see
 * vipzone_banks_parse(). LIST is "REGION[+REGION...]", the second for when the
 * first is full; or, of the first three, "REGION=WEIGHT+REGION=WEIGHT[+...]", for shares of the
 * pages. OPTION is "children", "later", "move", "heat", "wear" or "programs"; "heat" and "wear"
 * not with weights. A file has none of them, nor banks, nor "kernel".
 *
 * Pure.
 *
 * Return: 0, -EINVAL (malformed), -E2BIG (too many regions),
 * -ERANGE (not a percentage, or no weight from 1 to 255), -ENAMETOOLONG.
 */
int vipzone_command_parse(char *line, struct vipzone_command *command);

/**
 * vipzone_command_fill() - add a region to a policy by technology
 * @name: the region
 * @kind: what it is made of
 * @command: heap and stack come from DRAM, the rest from PRAM (hybrid PRAM,
 *	section 5.1, where brk() is the heap; see VIPZONE_HEAP_SEGMENTS); the regions of
 *	each in the order of the calls
 *
 * Pure.
 *
 * Return: 0 or -E2BIG (too many regions).
 */
int vipzone_command_fill(const char *name, enum memsuite_technology kind,
			 struct vipzone_command *command);

/**
 * vipzone_command_choose() - parse what a program chooses among its regions
 * @base: the administrator's policy
 * @list: "SEGMENT=LIST[,...]" as in vipzone_command_parse(); is cut up
 * @command: result, for a process and its children; segments that are not named
 *	keep the regions that @base gives them
 *
 * Pure.
 *
 * Return: 0, -EPERM (@base lets nobody choose, or not this region),
 * -EINVAL (malformed, or weights where @base has heat or wear), -ERANGE (no weight from 1 to 255),
 * -E2BIG or -ENAMETOOLONG.
 */
int vipzone_command_choose(const struct vipzone_command *base, char *list,
			   struct vipzone_command *command);

#endif
