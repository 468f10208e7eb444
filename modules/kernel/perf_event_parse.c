// SPDX-License-Identifier: GPL-2.0-only
/* Performance events as text; perf_event_parse.h. Pure logic: also built in user space. */

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "kernel/perf_event_parse.h"

static int parse_field(char *text, u64 *value)
{
	return text ? kstrtou64(text, 0, value) : -EINVAL;
}

int memsuite_perf_event_parse(const char *text, struct memsuite_perf_event *event)
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
	*event = (struct memsuite_perf_event){ .type = type, .config = config,
				    .config1 = config1 };
	return 0;
}
