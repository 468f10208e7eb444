// SPDX-License-Identifier: GPL-2.0-only
/* Migration target frames; include/memsuite/target_frames.h. */

#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include <compat/compat.h>
#include <memsuite/pool_inspect.h>
#include <memsuite/target_frames.h>

#include "frame/alloc_stats_private.h"
#include "frame/bank_map.h"
#include "frame/block_private.h"
#include "frame/buddy_isolate.h"
#include "frame/held_pages_private.h"
#include "frame/hwpoison.h"
#include "pool/pool_private.h"

/* Frames looked at between two chances for others to run. */
#define TARGET_FRAMES_BUDGET	4096

void memsuite_target_frames_init(struct memsuite_target_frames *frames, unsigned long start_pfn,
				 unsigned long end_pfn, int nid)
{
	*frames = (struct memsuite_target_frames) {
		.scan = {
			.pfn = start_pfn,
			.end = end_pfn,
			.orders = MEMSUITE_ANY_ORDER,
			.nid = nid,
			.migratetypes = MEMSUITE_ANY_MIGRATETYPE,
		},
		.start = start_pfn,
	};
}
EXPORT_SYMBOL_GPL(memsuite_target_frames_init);

void memsuite_target_frames_init_pool(struct memsuite_target_frames *frames,
				      struct memsuite_pool *pool)
{
	*frames = (struct memsuite_target_frames) { .start = pool->start_pfn, .pool = pool };
	memsuite_pool_rewind(pool, &frames->scan);
}
EXPORT_SYMBOL_GPL(memsuite_target_frames_init_pool);

static void target_frames_rewind(struct memsuite_target_frames *frames)
{
	if (frames->pool)
		memsuite_pool_look_again(frames->pool);
	memsuite_frames_gather();
	memsuite_frames_go(&frames->scan, frames->start);
}

/* Goes on where the last block was found, once around the range. */
static bool target_frames_refill(struct memsuite_target_frames *frames)
{
	struct memsuite_block block;
	int rounds = 2, err;

	while (rounds && !memsuite_hold_wanted()) {
		cond_resched();
		err = memsuite_frames_isolate(&frames->scan, TARGET_FRAMES_BUDGET, &block);
		if (!err) {
			frames->bare = block.page;
			frames->nr_bare = 1UL << block.order;
			memsuite_held_pages_add(frames->nr_bare);
			return true;
		}
		if (err == -ENOENT) {
			if (--rounds)
				target_frames_rewind(frames);
		} else if (err == -ENOMEM) {
			/* Another zone may have more. */
			memsuite_frames_go(&frames->scan,
					   ALIGN(frames->scan.pfn + 1, pageblock_nr_pages));
		}
	}
	frames->empty = !rounds;
	return false;
}

static struct page *target_frames_skip_first(struct memsuite_target_frames *frames)
{
	frames->nr_bare--;
	memsuite_held_pages_add(-1);
	return frames->bare++;
}

static struct page *target_frames_take_first(struct memsuite_target_frames *frames)
{
	struct page *page = target_frames_skip_first(frames);

	memsuite_frames_prepare(page, 0, false);
	return page;
}

static bool target_frames_own(const struct memsuite_target_frames *frames, struct page *page)
{
	return !frames->scan.banks ||
	       memsuite_bank_set_has(frames->scan.banks, page_to_pfn(page));
}

/* A bad page is kept until pages may be retired: a batch may be on its way still. */
static bool target_frame_passes(struct memsuite_target_frames *frames, struct page *page)
{
	int err = frames->inspected ? memsuite_pool_inspect_held(page, 0) : 0;

	/* The kernel has found it bad while it was held. */
	if (!err && PageHWPoison(page))
		err = -EAGAIN;
	if (err == -EIO) {
		set_page_private(page, (unsigned long)frames->bad);
		frames->bad = page;
	} else if (err) {
		memsuite_alloc_stats_free(page, 0, __free_pages);
	}
	return !err;
}

static void target_frames_retire_bad(struct memsuite_target_frames *frames)
{
	struct page *page;

	while ((page = frames->bad)) {
		frames->bad = (struct page *)page_private(page);
		set_page_private(page, 0);
		memsuite_hwpoison_set(page);
	}
}

/* The next one that may be moved to. What lies in front of it in other banks goes back. */
static struct page *target_frames_next(struct memsuite_target_frames *frames)
{
	struct page *page;

	while (!memsuite_hold_wanted() &&
	       (frames->nr_bare || (!frames->empty && target_frames_refill(frames)))) {
		/* What the kernel has found bad meanwhile is left as it is. */
		if (PageHWPoison(frames->bare)) {
			target_frames_skip_first(frames);
			continue;
		}
		if (!target_frames_own(frames, frames->bare)) {
			page = target_frames_take_first(frames);
			memsuite_alloc_stats_free(page, 0, __free_pages);
			continue;
		}
		page = target_frames_take_first(frames);
		if (target_frame_passes(frames, page))
			return page;
	}
	return NULL;
}

void memsuite_target_frames_put(struct memsuite_target_frames *frames, struct page *page)
{
	memsuite_chain_push(&frames->ready, page);
	frames->nr_ready++;
	memsuite_held_pages_add(1);
}
EXPORT_SYMBOL_GPL(memsuite_target_frames_put);

void memsuite_target_frames_put_block(struct memsuite_target_frames *frames,
				      struct memsuite_block *block)
{
	unsigned long i;

	memsuite_block_split(block);
	for (i = 0; i < 1UL << block->order; i++)
		memsuite_target_frames_put(frames, block->page + i);
}
EXPORT_SYMBOL_GPL(memsuite_target_frames_put_block);

unsigned long memsuite_target_frames_prepare(struct memsuite_target_frames *frames,
					     unsigned long nr)
{
	struct page *page;

	while (frames->nr_ready < nr && (page = target_frames_next(frames)))
		memsuite_target_frames_put(frames, page);
	return min(frames->nr_ready, nr);
}
EXPORT_SYMBOL_GPL(memsuite_target_frames_prepare);

struct page *memsuite_target_frames_take(struct memsuite_target_frames *frames)
{
	struct page *page;

	while ((page = memsuite_chain_pop(&frames->ready))) {
		set_page_private(page, 0);
		frames->nr_ready--;
		memsuite_held_pages_add(-1);
		/* What the kernel has found bad meanwhile is left as it is. */
		if (!PageHWPoison(page))
			break;
	}
	return page;
}
EXPORT_SYMBOL_GPL(memsuite_target_frames_take);

/* The largest block that begins at the first frame left. */
static unsigned int target_frames_first_order(const struct memsuite_target_frames *frames)
{
	unsigned long pfn = page_to_pfn(frames->bare);

	return min3((unsigned long)ilog2(frames->nr_bare),
		    pfn ? __ffs(pfn) : MEMSUITE_MAX_ORDER,
		    (unsigned long)MEMSUITE_MAX_ORDER);
}

void memsuite_target_frames_return(struct memsuite_target_frames *frames)
{
	struct memsuite_block block;
	struct page *page;

	while ((page = memsuite_target_frames_take(frames)))
		memsuite_alloc_stats_free(page, 0, __free_pages);
	target_frames_retire_bad(frames);
	/* The next ones come from what is left of it: else each time another one is broken up. */
	if (frames->nr_bare)
		memsuite_frames_go(&frames->scan, page_to_pfn(frames->bare));
	while (frames->nr_bare) {
		block.page = frames->bare;
		block.order = target_frames_first_order(frames);
		frames->bare += 1UL << block.order;
		frames->nr_bare -= 1UL << block.order;
		/* Bare frames cannot be freed: they were never allocated. */
		memsuite_frames_prepare(block.page, block.order, false);
		memsuite_held_pages_add(-(1L << block.order));
		memsuite_frames_free(block.page, block.order);
	}
}
EXPORT_SYMBOL_GPL(memsuite_target_frames_return);
