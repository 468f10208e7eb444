// SPDX-License-Identifier: GPL-2.0-only
/*
 * Small pages that were gathered in a huge page, by khugepaged or by
 * madvise(MADV_COLLAPSE). No page fault allocates that huge page, and it lies where
 * the kernel found one, so it is counted apart.
 */

#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>

#include <compat/trace_probe.h>
#include <memsuite/tracepoints.h>

#include "policy/lookup.h"
#include "steer/collapse_count.h"

/* What the tracepoint calls "succeeded". */
#define COLLAPSED	1

MEMSUITE_PROBE_COLLAPSE(probe_collapse)
{
	struct vipzone_policy *policy;

	if (status != COLLAPSED)
		return;
	preempt_disable();
	policy = vipzone_policy_of(mm);
	if (policy)
		this_cpu_add(policy->stats->collapsed, 1UL << MEMSUITE_COLLAPSE_ORDER);
	preempt_enable();
}

static struct memsuite_tracepoint probes[] = {
	MEMSUITE_TRACEPOINT(mm_collapse_huge_page, probe_collapse),
};

static bool watched;

void vipzone_collapse_count_watch(void)
{
	if (!watched)
		watched = !memsuite_tracepoints_register(probes, ARRAY_SIZE(probes));
}

void vipzone_collapse_count_ignore(void)
{
	if (watched)
		memsuite_tracepoints_unregister(probes, ARRAY_SIZE(probes));
	watched = false;
}
