// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moving contents to tested frames of the same zone and the same regions; mover.h. So neither what
 * a file system may be given nor what vipzone has decided is overridden. A small zone may have no
 * tested page left: what is anonymous, and so may be anywhere, then goes to a higher one.
 */

#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <memsuite/alloc_stats.h>
#include <memsuite/held_pages.h>

#include "paths/fresh_targets.h"
#include "paths/mover.h"

/* Pages that are off the LRU lists together. */
#define BATCH_PAGES	128

/* With so many ready, no more are asked of the kernel. */
#define LEAST_PAGES	(BATCH_PAGES / 4)

/* How many times as long as a look in vain for targets took it is not repeated. */
#define LOOK_PAUSE_FACTOR	100

static struct page *alloc_large(struct memdiag_mover *mover, struct page *old)
{
	struct page *page = memdiag_fresh_targets_alloc_large(old);
	unsigned int order = memsuite_page_order(old);

	if (!page || !memsuite_alloc_stats_older(page_to_pfn(page), 1UL << order, mover->fresh_s))
		return page;
	/* The kernel hands out first what was freed last, which is what was vacated. */
	mover->is_short = true;
	return memdiag_fresh_targets_test(page, order) ? page : NULL;
}

static struct page *take_target(struct page *old, void *context)
{
	struct memdiag_mover *mover = context;
	struct page *page;

	if (memsuite_page_order(old)) {
		page = mover->large ?: alloc_large(mover, old);
		mover->large = NULL;
		return page;
	}
	page = memsuite_target_frames_take(&mover->targets);
	if (!page && PageAnon(old))
		return memsuite_target_frames_take(&mover->above);
	/* Zones may overlap. */
	if (page && page_zone(page) != page_zone(old)) {
		put_page(page);
		page = NULL;
	}
	return page;
}

static void put_target(struct page *page, void *context)
{
	struct memdiag_mover *mover = context;

	memsuite_target_frames_put(memsuite_target_frames_have(&mover->targets, page) ?
				   &mover->targets : &mover->above, page);
}

/* Without a target the huge page would be split: a test is not worth that. */
void memdiag_mover_add_large(struct memdiag_mover *mover, struct page *page)
{
	mover->large = alloc_large(mover, page);
	if (!mover->large) {
		mover->left_large += 1UL << memsuite_page_order(page);
		put_page(page);
		return;
	}
	memsuite_migrate_add(&mover->move, page);
	put_page(page);
	memsuite_migrate_run(&mover->move);
	if (mover->large)
		put_page(mover->large);
	mover->large = NULL;
}

static unsigned int count_anon(struct page **pages, unsigned int nr)
{
	unsigned int anon = 0, i;

	for (i = 0; i < nr; i++)
		anon += memsuite_page_anon(pages[i]);
	return anon;
}

/* That nothing free was tested lately takes a look at all of the range. */
static unsigned int look_for_targets(struct memdiag_mover *mover, unsigned int nr)
{
	unsigned long began = jiffies, took;
	unsigned int ready = memsuite_target_frames_prepare(&mover->targets, nr);

	took = jiffies - began;
	if (mover->targets.empty && took)
		mover->look_next[mover->zone] = jiffies + took * LOOK_PAUSE_FACTOR;
	return ready;
}

/* Before any page is locked; how many targets there are, for @nr pages at most. */
static unsigned int prepare_targets(struct memdiag_mover *mover, struct page **pages,
				    unsigned int nr)
{
	unsigned int ready = look_for_targets(mover, nr);

	if (ready < nr)
		ready += memsuite_target_frames_prepare(&mover->above,
							min(nr - ready, count_anon(pages, nr)));
	return ready;
}

static void move_batch(struct memdiag_mover *mover, struct page **pages, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		memsuite_migrate_add(&mover->move, pages[i]);
		put_page(pages[i]);
	}
	memsuite_migrate_run(&mover->move);
}

static void leave_full(struct memdiag_mover *mover, struct page **pages, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		put_page(pages[i]);
	mover->move.outcome[MEMSUITE_MIGRATE_FULL] += nr;
}

static void mover_hold(struct memdiag_mover *mover)
{
	if (!mover->holds)
		mover->token = memsuite_hold_begin();
	mover->holds = true;
}

void memdiag_mover_release(struct memdiag_mover *mover)
{
	if (!mover->holds)
		return;
	memsuite_target_frames_return(&mover->targets);
	memsuite_target_frames_return(&mover->above);
	memsuite_hold_end(mover->token);
	mover->holds = false;
}

/* What was moved away from since @vacated, up to @moved of what was found. */
static void test_vacated(struct memdiag_mover *mover, unsigned int *vacated, unsigned int moved)
{
	mover->is_short = true;
	if (*vacated < moved)
		memdiag_fresh_targets_vacated(&mover->targets, mover->found + *vacated,
					      moved - *vacated);
	*vacated = moved;
}

/* Of a batch, so many have a target. What the kernel gives may be what others could use better. */
static unsigned int have_targets(struct memdiag_mover *mover, unsigned int *vacated,
				 unsigned int moved, unsigned int nr)
{
	struct page **pages = mover->found + moved;
	unsigned int ready = prepare_targets(mover, pages, nr);

	if (ready == nr)
		return nr;
	test_vacated(mover, vacated, moved);
	ready = prepare_targets(mover, pages, nr);
	if (ready >= min(nr, LEAST_PAGES) ||
	    !memdiag_fresh_targets_alloc(&mover->targets, pages[0], nr - ready))
		return ready;
	return prepare_targets(mover, pages, nr);
}

void memdiag_mover_run(struct memdiag_mover *mover)
{
	unsigned int moved = 0, vacated = 0, nr;

	if (!mover->nr_found)
		return;
	mover_hold(mover);
	for (; moved < mover->nr_found; moved += nr) {
		nr = min_t(unsigned int, mover->nr_found - moved, BATCH_PAGES);
		nr = have_targets(mover, &vacated, moved, nr);
		if (!nr)
			break;
		move_batch(mover, mover->found + moved, nr);
	}
	leave_full(mover, mover->found + moved, mover->nr_found - moved);
	mover->nr_found = 0;
	/* Where targets are short, those of this batch are the next one's. */
	if (mover->is_short && !memsuite_hold_wanted())
		test_vacated(mover, &vacated, moved);
	else
		memdiag_mover_release(mover);
}

void memdiag_mover_add(struct memdiag_mover *mover, struct page *page)
{
	mover->found[mover->nr_found++] = page;
	if (mover->nr_found == MEMDIAG_MOVER_PAGES)
		memdiag_mover_run(mover);
}

int memdiag_mover_init(struct memdiag_mover *mover)
{
	unsigned int nr = nr_node_ids * MAX_NR_ZONES, i;

	memset(mover, 0, sizeof(*mover));
	mover->look_next = kcalloc(nr, sizeof(*mover->look_next), GFP_KERNEL);
	if (!mover->look_next)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		mover->look_next[i] = jiffies;
	return 0;
}

void memdiag_mover_exit(struct memdiag_mover *mover)
{
	kfree(mover->look_next);
	mover->look_next = NULL;
}

void memdiag_mover_begin(struct memdiag_mover *mover, unsigned int fresh_s)
{
	mover->fresh_s = fresh_s;
	mover->left_large = 0;
	memsuite_migrate_init(&mover->move, take_target, mover);
	mover->move.put = put_target;
}

static void targets_init(const struct memdiag_mover *mover, struct memsuite_target_frames *targets,
			 unsigned long start, unsigned long end, int nid)
{
	memsuite_target_frames_init(targets, start, end, nid);
	targets->scan.max_age_s = mover->fresh_s;
	/* What is moved leaves another frame free. */
	targets->scan.lends = true;
	/* To find that out takes a look at all of the range. */
	targets->empty = !memsuite_alloc_stats_any_younger(mover->fresh_s) ||
			 time_before(jiffies, mover->look_next[mover->zone]);
	/* What is in use and can be moved is no place for others. */
	targets->scan.migratetypes = BIT(MIGRATE_MOVABLE);
}

void memdiag_mover_go(struct memdiag_mover *mover, struct zone *zone, unsigned long start,
		      unsigned long end, unsigned long top)
{
	unsigned long behind = zone_end_pfn(zone);
	int nid = zone_to_nid(zone);

	mover->is_short = false;
	mover->zone = nid * MAX_NR_ZONES + zone_idx(zone);
	targets_init(mover, &mover->targets, start, end, nid);
	targets_init(mover, &mover->above, behind, max(behind, top), nid);
}
