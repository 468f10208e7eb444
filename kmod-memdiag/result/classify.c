// SPDX-License-Identifier: GPL-2.0-only
/* Classification of faults. Pure logic: also built in user space. */

#include <linux/kernel.h>

#include "result/classify.h"

enum fault_class classify(unsigned int failed_runs, unsigned int wrong_rereads)
{
	if (failed_runs > CLASSIFY_RERUNS)
		return FAULT_HARD;
	return wrong_rereads ? FAULT_INTERMITTENT : FAULT_READ_PATH;
}

const char *classify_name(enum fault_class class)
{
	static const char * const names[] = {
		[FAULT_UNKNOWN] = "unknown",
		[FAULT_READ_PATH] = "read-path",
		[FAULT_INTERMITTENT] = "intermittent",
		[FAULT_HARD] = "hard",
		[FAULT_UNCORRECTABLE] = "uncorrectable",
	};

	return names[class];
}

const char *classify_direction(u64 rising, u64 falling)
{
	if (rising)
		return falling ? "both" : "0->1";
	return falling ? "1->0" : "-";
}
