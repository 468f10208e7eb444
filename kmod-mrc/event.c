// SPDX-License-Identifier: GPL-2.0-only
/* Reading events; event.h. */

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "event.h"

static int parse_field(char *text, u64 *value)
{
	return text ? kstrtou64(text, 0, value) : -EINVAL;
}

/**
 * mrc_event_parse() - read "TYPE:CONFIG[:CONFIG1]"
 * @text: it; a number may begin with 0x
 * @event: result, as it was if there is an error
 *
 * Return: 0, -EINVAL or -ERANGE.
 */
int mrc_event_parse(const char *text, struct mrc_event *event)
{
	u64 type, config, config1 = 0;
	char copy[64], *rest = copy;
	int err;

	if (strlen(text) >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, text, strlen(text) + 1);
	err = parse_field(strsep(&rest, ":"), &type);
	if (!err && type > U32_MAX)
		err = -ERANGE;
	if (!err)
		err = parse_field(strsep(&rest, ":"), &config);
	if (!err && rest)
		err = parse_field(rest, &config1);
	if (err)
		return err;
	*event = (struct mrc_event){ .type = type, .config = config,
				     .config1 = config1 };
	return 0;
}
