// SPDX-License-Identifier: GPL-2.0-only
/* Lists of regions; order.h. Pure logic: also built in user space. */

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "parse/command.h"
#include "parse/order.h"

int vipzone_order_number(const char *name, struct vipzone_command *command)
{
	size_t length = strlen(name);
	unsigned int i;

	if (!length)
		return -EINVAL;
	if (length >= MEMSUITE_REGION_NAME)
		return -ENAMETOOLONG;
	for (i = 0; i < command->nr_regions; i++)
		if (!strcmp(command->regions[i], name))
			return i;
	if (i == VIPZONE_MAX_REGIONS)
		return -E2BIG;
	memcpy(command->regions[i], name, length + 1);
	command->nr_regions++;
	return i;
}

int vipzone_order_parse(char *list, struct vipzone_command *command,
			struct vipzone_order *order)
{
	char *name;
	int i, nr;

	order->nr = 0;
	while ((name = strsep(&list, "+"))) {
		nr = vipzone_order_number(name, command);
		if (nr < 0)
			return nr;
		for (i = 0; i < order->nr; i++)
			if (order->region[i] == nr)
				return -EINVAL;
		order->region[order->nr++] = nr;
	}
	return 0;
}

void vipzone_order_set(struct vipzone_command *command, unsigned int segments,
		       const struct vipzone_order *order)
{
	unsigned int i;

	for (i = 0; i < VIPZONE_NR_SEGMENTS; i++)
		if (segments & (1U << i))
			command->orders[i] = *order;
}
