// SPDX-License-Identifier: GPL-2.0-only
/* Testing held memory, and keeping what was found of each page. */

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "engine.h"
#include "verdict.h"

void verdict_begin(struct verdict *verdict, unsigned long pfn, unsigned long nr)
{
	verdict->pfn = pfn;
	verdict->nr = nr;
	verdict->nr_findings = 0;
	bitmap_zero(verdict->bad, VERDICT_MAX_PAGES);
}

static struct finding *finding_of(const struct verdict *verdict,
				  unsigned long pfn)
{
	unsigned int i;

	for (i = 0; i < verdict->nr_findings; i++)
		if (verdict->findings[i].pfn == pfn)
			return (struct finding *)&verdict->findings[i];
	return NULL;
}

static void failed(void *context, const struct march_failure *failure)
{
	struct verdict *verdict = context;
	unsigned long index = failure->word / (PAGE_SIZE / sizeof(u64));
	struct finding *finding = finding_of(verdict, verdict->pfn + index);

	__set_bit(index, verdict->bad);
	if (finding) {
		finding->mask |= failure->mask;
		return;
	}
	if (verdict->nr_findings == ARRAY_SIZE(verdict->findings))
		return;
	verdict->findings[verdict->nr_findings++] = (struct finding) {
		.pfn = verdict->pfn + index,
		.address = PFN_PHYS(verdict->pfn) + failure->word * sizeof(u64),
		.mask = failure->mask,
		.element = failure->element,
		.background = failure->background,
		.time = ktime_get_real_seconds(),
	};
}

void verdict_march(struct verdict *verdict, const struct march_test *march,
		   u64 background)
{
	engine_run(march, page_address(pfn_to_page(verdict->pfn)),
		   verdict->nr * (PAGE_SIZE / sizeof(u64)), background, failed,
		   verdict);
}

void verdict_clear(const struct verdict *verdict)
{
	unsigned long i;

	for (i = 0; i < verdict->nr; i++) {
		clear_page(page_address(pfn_to_page(verdict->pfn + i)));
		cond_resched();
	}
}

unsigned long verdict_report(const struct verdict *verdict)
{
	unsigned long bad = 0, index;

	/* More bad pages than there is room for details of: by page only. */
	for_each_set_bit(index, verdict->bad, verdict->nr) {
		struct finding bare = {
			.pfn = verdict->pfn + index,
			.address = PFN_PHYS(verdict->pfn + index),
			.time = ktime_get_real_seconds(),
		};

		findings_add(finding_of(verdict, verdict->pfn + index) ?: &bare);
		bad++;
	}
	return bad;
}
