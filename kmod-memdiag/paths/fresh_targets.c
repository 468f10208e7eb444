// SPDX-License-Identifier: GPL-2.0-only
/* Tested frames for contents in use to be moved to; fresh_targets.h. */

#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/vmstat.h>

#include <compat/page.h>
#include <memsuite/alloc_stats.h>
#include <memsuite/block.h>
#include <memsuite/migrate.h>
#include <memsuite/target_frames.h>

#include "paths/fresh_targets.h"
#include "paths/held_test.h"
#include "result/bad_pages.h"
#include "sched/worker.h"

/* From one compaction to the next, if there is no large page. */
#define COMPACT_JIFFIES	(10 * HZ)

/* A free block may reach beyond the range, into another region. */
static bool block_is_of(const struct memsuite_target_frames *targets,
			const struct memsuite_block *block)
{
	return memsuite_target_frames_have(targets, block->page) &&
	       memsuite_target_frames_have(targets, block->page + (1UL << block->order) - 1);
}

/* Returns how many pages of a held block became ready. */
static unsigned long block_test(struct memsuite_target_frames *targets,
				struct memsuite_block *block)
{
	const unsigned long *bad = memdiag_held_test(page_to_pfn(block->page), 1UL << block->order);

	if (bad) {
		memsuite_block_retire(block, bad);
		return 0;
	}
	if (!block_is_of(targets, block)) {
		memsuite_block_give(block);
		return 0;
	}
	memsuite_target_frames_put_block(targets, block);
	return 1UL << block->order;
}

/* Mostly others that were vacated lie in the same free block, and are tested with the first. */
unsigned long memdiag_fresh_targets_vacated(struct memsuite_target_frames *targets,
					    struct page **pages, unsigned int nr)
{
	struct memsuite_block block;
	unsigned long ready = 0, pfn;
	unsigned int i;

	/* They were freed to the lists of this CPU, from which nobody can take them. */
	memsuite_block_drain();
	for (i = 0; i < nr && !memdiag_worker_ends(); i++) {
		pfn = page_to_pfn(pages[i]);
		if (memsuite_alloc_stats_older(pfn, 1, targets->scan.max_age_s) &&
		    !memsuite_block_take_at(pfn, &block))
			ready += block_test(targets, &block);
	}
	return ready;
}

/* What was moved away from comes back: it must not be what wakes kswapd meanwhile. */
static bool zone_has_spare(struct zone *zone, unsigned int order)
{
	return zone_page_state(zone, NR_FREE_PAGES) > low_wmark_pages(zone) + (1UL << order);
}

static struct page *put_stray(struct page *page, const struct page *like)
{
	if (!page || page_zone(page) == page_zone(like))
		return page;
	put_page(page);
	return NULL;
}

static struct page *page_alloc_like(struct page *page)
{
	if (!zone_has_spare(page_zone(page), 0))
		return NULL;
	return put_stray(memsuite_page_alloc_small(page_to_nid(page)), page);
}

/* Compaction takes long. Once there is a page, the next ones are what was moved away from. */
static bool compaction_is_due(void)
{
	static unsigned long next = INITIAL_JIFFIES;

	if (time_before(jiffies, next))
		return false;
	next = jiffies + COMPACT_JIFFIES;
	return true;
}

struct page *memdiag_fresh_targets_alloc_large(struct page *like)
{
	unsigned int order = memsuite_page_order(like);
	int nid = page_to_nid(like);
	struct page *page;

	if (!zone_has_spare(page_zone(like), order))
		return NULL;
	page = memsuite_page_alloc_large(order, nid, false);
	if (!page && compaction_is_due())
		page = memsuite_page_alloc_large(order, nid, true);
	return put_stray(page, like);
}

bool memdiag_fresh_targets_test(struct page *page, unsigned int order)
{
	if (!memdiag_held_test(page_to_pfn(page), 1UL << order))
		return true;
	/* Not here: for some of the locks of that, who has them may wait for what is held. */
	put_page(page);
	memdiag_bad_pages_retire_again(false);
	return false;
}

unsigned long memdiag_fresh_targets_alloc(struct memsuite_target_frames *targets,
					  struct page *like, unsigned long nr)
{
	unsigned long ready = 0;
	struct page *page;

	while (ready < nr && !memdiag_worker_ends() && (page = page_alloc_like(like))) {
		if (!memsuite_target_frames_have(targets, page)) {
			put_page(page);
			break;
		}
		if (!memsuite_alloc_stats_older(page_to_pfn(page), 1, targets->scan.max_age_s) ||
		    memdiag_fresh_targets_test(page, 0)) {
			memsuite_target_frames_put(targets, page);
			ready++;
		}
	}
	return ready;
}
