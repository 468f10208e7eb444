/* SPDX-License-Identifier: GPL-2.0-only */
/* The text form of performance events. Pure logic. */
#ifndef MEMSUITE_KERNEL_PERF_EVENT_PARSE_H
#define MEMSUITE_KERNEL_PERF_EVENT_PARSE_H

#include <memsuite/perf_counter.h>

/**
 * memsuite_perf_event_parse() - read "TYPE:CONFIG[:CONFIG1]"
 * @text: it; a number may begin with 0x
 * @event: result, as it was if there is an error
 *
 * Return: 0, -EINVAL or -ERANGE.
 */
int memsuite_perf_event_parse(const char *text, struct memsuite_perf_event *event);

#endif
