// SPDX-License-Identifier: GPL-2.0-only
/* Classification of faults. Pure logic: also built in user space. */

#include <linux/kernel.h>

#include "result/classify.h"

enum memdiag_fault_class memdiag_classify(unsigned int failed_runs, unsigned int wrong_rereads,
					  bool again)
{
	if (failed_runs > MEMDIAG_CLASSIFY_RERUNS)
		return MEMDIAG_CLASS_HARD;
	if (!wrong_rereads)
		return MEMDIAG_CLASS_READ_PATH;
	return failed_runs > 1 || again ? MEMDIAG_CLASS_INTERMITTENT : MEMDIAG_CLASS_TRANSIENT;
}

const char *memdiag_classify_name(enum memdiag_fault_class class)
{
	static const char * const names[] = {
		[MEMDIAG_CLASS_UNKNOWN] = "unknown",
		[MEMDIAG_CLASS_READ_PATH] = "read-path",
		[MEMDIAG_CLASS_TRANSIENT] = "transient",
		[MEMDIAG_CLASS_INTERMITTENT] = "intermittent",
		[MEMDIAG_CLASS_HARD] = "hard",
		[MEMDIAG_CLASS_UNCORRECTABLE] = "uncorrectable",
	};

	return names[class];
}

const char *memdiag_classify_direction(u64 rising, u64 falling)
{
	if (rising)
		return falling ? "both" : "0->1";
	return falling ? "1->0" : "-";
}
