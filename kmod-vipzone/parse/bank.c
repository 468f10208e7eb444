// SPDX-License-Identifier: GPL-2.0-only
/* The text form of a bank policy. Pure logic: also built in user space. */

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "parse/bank.h"
#include "parse/command.h"

static const char * const assign_name[] = {
	[VIPZONE_BANK_PERCPU] = "percpu",
	[VIPZONE_BANK_PERPROCESS] = "perprocess",
	[VIPZONE_BANK_PERCGROUP] = "percgroup",
	[VIPZONE_BANK_RANDOM] = "random",
};

static int parse_assign(const char *name, enum vipzone_bank_assign *assign)
{
	unsigned int i;

	for (i = VIPZONE_BANK_PERCPU; i < ARRAY_SIZE(assign_name); i++)
		if (!strcmp(assign_name[i], name)) {
			*assign = i;
			return 0;
		}
	return -EINVAL;
}

/* Every region, in the order in which they were written. */
static void set_all(struct vipzone_command *command)
{
	struct vipzone_order all = { .nr = command->nr_regions };
	unsigned int i;

	for (i = 0; i < all.nr; i++)
		all.region[i] = i;
	vipzone_order_set(command, VIPZONE_ALL_SEGMENTS, &all);
}

int vipzone_banks_parse(char *text, struct vipzone_command *command)
{
	struct vipzone_banks *banks = &command->banks;
	char *list, *name = strsep(&text, "=");
	unsigned int listed = 0;
	int err;

	err = parse_assign(name, &banks->assign);
	if (err)
		return err;
	if (!text)
		return -EINVAL;
	while ((list = strsep(&text, "|"))) {
		struct vipzone_order *order = &banks->orders[banks->nr];

		/* A region more than there may be is refused in the list. */
		if (banks->nr == VIPZONE_MAX_REGIONS)
			return *list ? -E2BIG : -EINVAL;
		err = vipzone_order_parse(list, command, order);
		if (err)
			return err;
		listed += order->nr;
		if (listed > command->nr_regions)
			return -EINVAL;
		banks->nr++;
	}
	set_all(command);
	return 0;
}
