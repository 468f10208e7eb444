// SPDX-License-Identifier: GPL-2.0-only
/* The text form of a steering request. Pure logic: also built in user space. */

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "command.h"

static int parse_regions(char *list, struct vipzone_command *command)
{
	char *name;

	while ((name = strsep(&list, ","))) {
		size_t length = strlen(name);

		if (!length)
			return -EINVAL;
		if (length >= MS_REGION_NAME)
			return -ENAMETOOLONG;
		if (command->nr_regions == VIPZONE_MAX_REGIONS)
			return -E2BIG;
		memcpy(command->regions[command->nr_regions++], name,
		       length + 1);
	}
	return 0;
}

int vipzone_parse(char *line, struct vipzone_command *command)
{
	static const char region[] = "region=";
	char *word = strsep(&line, " \t");
	int err;

	memset(command, 0, sizeof(*command));
	if (kstrtoint(word, 10, &command->pid) || command->pid <= 0)
		return -EINVAL;
	while ((word = strsep(&line, " \t"))) {
		if (!*word)
			continue;
		if (!strncmp(word, region, sizeof(region) - 1) &&
		    !command->nr_regions) {
			err = parse_regions(word + sizeof(region) - 1, command);
			if (err)
				return err;
		} else if (!strcmp(word, "children") && !command->children) {
			command->children = true;
		} else {
			return -EINVAL;
		}
	}
	return command->nr_regions ? 0 : -EINVAL;
}
