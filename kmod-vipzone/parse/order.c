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

static int order_add(const char *name, struct vipzone_command *command,
		     struct vipzone_order *order)
{
	int nr = vipzone_order_number(name, command), i;

	if (nr < 0)
		return nr;
	for (i = 0; i < order->nr; i++)
		if (order->region[i] == nr)
			return -EINVAL;
	order->region[order->nr++] = nr;
	return 0;
}

static int weight_parse(const char *text, u8 *weight)
{
	unsigned int value;
	int err = kstrtouint(text, 10, &value);

	if (err)
		return err;
	if (!value || value > U8_MAX)
		return -ERANGE;
	*weight = value;
	return 0;
}

int vipzone_order_parse_weighted(char *list, struct vipzone_command *command,
				 struct vipzone_order *order)
{
	unsigned int weights = 0;
	char *name, *weight;
	int err;

	memset(order, 0, sizeof(*order));
	while ((weight = strsep(&list, "+"))) {
		name = strsep(&weight, "=");
		err = order_add(name, command, order);
		if (!err && weight)
			err = weight_parse(weight, &order->weight[weights++]);
		if (err)
			return err;
	}
	return weights && (weights == 1 || weights != order->nr) ? -EINVAL : 0;
}

int vipzone_order_parse(char *list, struct vipzone_command *command,
			struct vipzone_order *order)
{
	int err = vipzone_order_parse_weighted(list, command, order);

	return !err && vipzone_order_is_weighted(order) ? -EINVAL : err;
}

void vipzone_order_set(struct vipzone_command *command, unsigned int segments,
		       const struct vipzone_order *order)
{
	unsigned int i;

	for (i = 0; i < VIPZONE_NR_SEGMENTS; i++)
		if (segments & (1U << i))
			command->orders[i] = *order;
}
