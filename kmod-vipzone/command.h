/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef VIPZONE_COMMAND_H
#define VIPZONE_COMMAND_H

#include <linux/types.h>

#include <memsuite/region.h>

#define VIPZONE_MAX_REGIONS	8

/**
 * struct vipzone_command - what is written to vipzone/add
 * @pid: process to steer
 * @nr_regions: number of @regions
 * @regions: names, in order of preference
 * @children: processes that it forks are steered as well
 */
struct vipzone_command {
	int pid;
	unsigned int nr_regions;
	char regions[VIPZONE_MAX_REGIONS][MS_REGION_NAME];
	bool children;
};

/**
 * vipzone_parse() - parse "PID region=NAME[,NAME...] [children]"
 * @line: is cut up
 * @command: result
 *
 * Pure. Return: 0, -EINVAL (malformed), -E2BIG (too many regions),
 * -ENAMETOOLONG.
 */
int vipzone_parse(char *line, struct vipzone_command *command);

#endif
