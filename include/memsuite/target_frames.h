/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Migration target frames: single page frames of a range, taken out of the buddy
 * lists ahead of a move, for contents to be moved to. Unlike those of a pool,
 * they are neither cleared nor kept.
 *
 * The kernel asks for a target while it has the pages before it locked and unmapped: whoever
 * touches those waits. To look for frames, and to test them, takes long, and is done before.
 */
#ifndef MEMSUITE_TARGET_FRAMES_H
#define MEMSUITE_TARGET_FRAMES_H

#include <memsuite/block.h>

struct memsuite_pool;

/**
 * struct memsuite_target_frames - the frames of a range
 * @scan: where to look for free blocks; the caller may narrow down
 *	@scan.migratetypes, @scan.max_age_s and @scan.banks, and set @scan.lends if the pages that
 *	are moved leave as much in the same zones
 * @start: first frame of the range
 * @pool: whose region it is, or NULL; private
 * @inspected: frames are looked at as those of pools are (memsuite/pool_inspect.h); for
 *	the caller to set
 * @bare: next frame, isolated and not prepared; private
 * @nr_bare: how many there are; private
 * @ready: pages to be moved to; private
 * @nr_ready: how many there are; private
 * @bad: frames that were found bad, to be retired; private
 * @empty: nothing was found in the whole range
 */
struct memsuite_target_frames {
	struct memsuite_scan scan;
	unsigned long start;
	struct memsuite_pool *pool;
	bool inspected;
	struct page *bare;
	unsigned long nr_bare;
	struct page *ready;
	unsigned long nr_ready;
	struct page *bad;
	bool empty;
};

/**
 * memsuite_target_frames_init() - describe a source of target frames; nothing is taken yet
 * @frames: the source
 * @start_pfn: first frame of the range
 * @end_pfn: first frame behind it
 * @nid: node to keep to, or NUMA_NO_NODE
 */
void memsuite_target_frames_init(struct memsuite_target_frames *frames, unsigned long start_pfn,
				 unsigned long end_pfn, int nid);

/**
 * memsuite_target_frames_init_pool() - describe the region of a pool as a source
 * @frames: the source
 * @pool: stays open as long as that is used
 *
 * It leaves out what the pool knows to have nothing, so that a region that is full costs
 * little, however large it is.
 */
void memsuite_target_frames_init_pool(struct memsuite_target_frames *frames,
				      struct memsuite_pool *pool);

/**
 * memsuite_target_frames_prepare() - have pages ready
 * @frames: the source
 * @nr: how many; those that are ready already count
 *
 * Between memsuite_hold_begin() and memsuite_hold_end(), and with a
 * memsuite_target_frames_return() before the end. Takes nothing from a zone
 * that is short of memory.
 *
 * Context: may sleep, with no page locked.
 * Return: how many are ready. Once they were fewer than @nr there will be no more, until the
 * caller clears @frames->empty; but where memsuite_hold_wanted(), until that is over.
 */
unsigned long memsuite_target_frames_prepare(struct memsuite_target_frames *frames,
					     unsigned long nr);

/**
 * memsuite_target_frames_take() - take a page that is ready
 * @frames: the source
 *
 * Context: as memsuite_target_frames_prepare(), but pages may be locked.
 * Return: a page of order 0 with a reference count of 1 and undefined
 * contents, now the caller's; or NULL.
 */
struct page *memsuite_target_frames_take(struct memsuite_target_frames *frames);

/* Whether a page is of this source. */
static inline bool memsuite_target_frames_have(const struct memsuite_target_frames *frames,
					       const struct page *page)
{
	unsigned long pfn = page_to_pfn(page);

	return pfn >= frames->start && pfn < frames->scan.end;
}

/* Has a page ready again that was taken, of this source, and not moved to. Any context. */
void memsuite_target_frames_put(struct memsuite_target_frames *frames, struct page *page);

/* Likewise all pages of a block that the caller holds, of the range of this source. */
void memsuite_target_frames_put_block(struct memsuite_target_frames *frames,
				      struct memsuite_block *block);

/**
 * memsuite_target_frames_return() - give back what was taken out in vain, and retire what is bad
 * @frames: the source; may be used again
 *
 * Context: may sleep, with no page locked.
 */
void memsuite_target_frames_return(struct memsuite_target_frames *frames);

/**
 * memsuite_frames_gather() - give to the buddy lists what CPUs keep at hand, where
 * pages lie that were freed lately
 *
 * At most once a second, since the CPUs must fetch new ones then.
 *
 * Context: may sleep.
 */
void memsuite_frames_gather(void);

#endif
