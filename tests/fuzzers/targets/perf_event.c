// SPDX-License-Identifier: GPL-2.0-only
/* Performance events: modules/kernel/perf_event_parse.c. */
#include "kernel/parse.c"
#include "kernel/perf_event_parse.c"

#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memsuite_perf_event event, again;
	char *line = input_line(data, size, 128), printed[64];

	if (line && !memsuite_perf_event_parse(line, &event)) {
		snprintf(printed, sizeof(printed), "%u:%#llx:%llu", event.type, event.config,
			 event.config1);
		MUST(!memsuite_perf_event_parse(printed, &again) && again.type == event.type &&
		     again.config == event.config && again.config1 == event.config1);
	}
	free(line);
	return 0;
}
