// SPDX-License-Identifier: GPL-2.0-only
/* Low power first; low_power.h. Pure logic: also built in user space. */

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "parse/command.h"

static const char * const low_util_name[VIPZONE_NR_LOW_UTILS] = {
	[VIPZONE_LOW_UTIL_THRESHOLD] = "threshold",
	[VIPZONE_LOW_UTIL_HIGH_POWER] = "high-power",
	[VIPZONE_LOW_UTIL_MOST_FREE] = "most-free",
	[VIPZONE_LOW_UTIL_LOW_POWER] = "low-power",
};

static int parse_low_util(const char *name, struct vipzone_low_power *low_power)
{
	unsigned int i;

	for (i = 0; i < VIPZONE_NR_LOW_UTILS; i++)
		if (!strcmp(low_util_name[i], name)) {
			low_power->low_util = i;
			return 0;
		}
	return -EINVAL;
}

static int parse_hint(char *list, struct vipzone_low_power *low_power)
{
	char *word;

	while ((word = strsep(&list, "+"))) {
		if (!strcmp(word, "write"))
			low_power->hint |= VIPZONE_HINT_WRITE;
		else if (!strcmp(word, "high"))
			low_power->hint |= VIPZONE_HINT_HIGH;
		else
			return -EINVAL;
	}
	return 0;
}

static int parse_threshold(const char *value, struct vipzone_low_power *low_power)
{
	unsigned int pct;

	if (kstrtouint(value, 10, &pct))
		return -EINVAL;
	if (pct > 100)
		return -ERANGE;
	low_power->threshold_pct = pct;
	return 0;
}

static int parse_item(char *item, struct vipzone_command *command)
{
	struct vipzone_low_power *low_power = &command->low_power;
	char *key = strsep(&item, "=");

	if (!strcmp(key, "kernel") && !item) {
		low_power->kernel = true;
		return 0;
	}
	if (!item)
		return -EINVAL;
	if (!strcmp(key, "write"))
		return vipzone_order_parse(item, command, &low_power->write);
	if (!strcmp(key, "threshold_pct"))
		return parse_threshold(item, low_power);
	if (!strcmp(key, "low_util"))
		return parse_low_util(item, low_power);
	if (!strcmp(key, "hint"))
		return parse_hint(item, low_power);
	return -EINVAL;
}

int vipzone_low_power_parse(char *list, struct vipzone_command *command)
{
	struct vipzone_low_power *low_power = &command->low_power;
	char *item = strsep(&list, ",");
	int err;

	low_power->set = true;
	low_power->threshold_pct = VIPZONE_LOW_POWER_THRESHOLD_PCT;
	err = vipzone_order_parse(item, command, &low_power->read);
	if (err)
		return err;
	low_power->write = low_power->read;
	while ((item = strsep(&list, ","))) {
		err = parse_item(item, command);
		if (err)
			return err;
	}
	vipzone_order_set(command, VIPZONE_ALL_SEGMENTS, &low_power->read);
	return 0;
}

static void order_append(struct vipzone_order *order, unsigned int region)
{
	unsigned int i;

	for (i = 0; i < order->nr; i++)
		if (order->region[i] == region)
			return;
	order->region[order->nr++] = region;
}

static void order_append_reversed(struct vipzone_order *order,
				  const struct vipzone_order *from)
{
	unsigned int i;

	for (i = from->nr; i > 0; i--)
		order_append(order, from->region[i - 1]);
}

static void order_append_spare(struct vipzone_order *order,
			       const struct vipzone_order *from, unsigned int spare)
{
	unsigned int i;

	for (i = 0; i < from->nr; i++)
		if (spare & (1U << from->region[i]))
			order_append(order, from->region[i]);
}

void vipzone_low_power_order(const struct vipzone_command *command, unsigned int hint,
			     unsigned int spare, unsigned int most_free,
			     struct vipzone_order *order)
{
	const struct vipzone_low_power *low_power = &command->low_power;
	const struct vipzone_order *given = hint & VIPZONE_HINT_WRITE ?
		&low_power->write : &low_power->read;

	order->nr = 0;
	if (hint & VIPZONE_HINT_HIGH || low_power->low_util == VIPZONE_LOW_UTIL_LOW_POWER) {
		order_append_spare(order, given, ~0U);
		return;
	}
	if (low_power->low_util == VIPZONE_LOW_UTIL_THRESHOLD)
		order_append_spare(order, given, spare);
	else if (low_power->low_util == VIPZONE_LOW_UTIL_MOST_FREE)
		order_append_spare(order, given, 1U << most_free);
	/* The dearest first: what is reserved is used up last. */
	order_append_reversed(order, given);
}
