/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef VIPZONE_COMMAND_H
#define VIPZONE_COMMAND_H

#include <linux/types.h>

#include <memsuite/region.h>

#include "segment.h"

#define VIPZONE_MAX_REGIONS	8
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

/**
 * struct vipzone_command - what is written to vipzone/add
 * @scope: who the policy is for:
 * @pid: that process, or
 * @cgroup: the path of that cgroup
 * @children: processes that it forks are steered as well
 * @policy: the policy as it was written
 * @nr_regions: number of @regions
 * @regions: names
 * @orders: where the pages of each segment come from
 */
struct vipzone_command {
	enum vipzone_scope scope;
	int pid;
	char cgroup[VIPZONE_PATH];
	bool children;
	char policy[VIPZONE_POLICY];
	unsigned int nr_regions;
	char regions[VIPZONE_MAX_REGIONS][MS_REGION_NAME];
	struct vipzone_order orders[NR_SEGMENTS];
};

/**
 * vipzone_parse_who() - parse "PID", "cgroup:PATH" or "machine"
 * @word: as written
 * @command: @scope, @pid and @cgroup are set
 *
 * Pure. Return: 0, -EINVAL or -ENAMETOOLONG.
 */
int vipzone_parse_who(char *word, struct vipzone_command *command);

/**
 * vipzone_parse() - parse "WHO POLICY [children]"
 * @line: is cut up
 * @command: result
 *
 * POLICY is "region:LIST", the same for all segments, or
 * "segment:SEGMENT=LIST[,...]", in which "*" stands for those not named. LIST
 * is "REGION[+REGION...]", the second for when the first is full.
 *
 * Pure. Return: 0, -EINVAL (malformed), -E2BIG (too many regions),
 * -ENAMETOOLONG.
 */
int vipzone_parse(char *line, struct vipzone_command *command);

#endif
