// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory in use: a page whose last test is about to expire is moved to one
 * that was tested lately, and so comes back to the free lists, where the
 * sweep finds it (COMeT, section 3.3).
 *
 * A thread walks at an interval of its own over the blocks in which tests expire. Where contents go
 * to lies in the same zone and in the same regions, so that neither what a
 * file system may be given nor what vipzone has decided is overridden. A small
 * zone may have no tested page left: what is anonymous, and so may be anywhere,
 * then goes to a higher one.
 */

#include <linux/build_bug.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/hugetlb.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/memory_hotplug.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <memsuite/alloc_stats.h>
#include <memsuite/control.h>
#include <memsuite/migrate.h>
#include <memsuite/region.h>
#include <memsuite/target_frames.h>

#include "paths/expiry.h"
#include "paths/fresh_targets.h"
#include "paths/hugetlb.h"
#include "paths/inuse.h"
#include "sched/memory_span.h"
#include "sched/test_lifetime.h"
#include "sched/worker.h"

static_assert(MEMDIAG_EXPIRY_BLOCK_PAGES == MEMSUITE_ALLOC_STATS_BLOCK_PAGES);

/* Pages that are off the LRU lists together. */
#define BATCH_PAGES	128

/* For fewer, what CPUs have at hand is not fetched from them again. */
#define LEAST_PAGES	(BATCH_PAGES / 4)

/* Pages found before any is moved; the rest of a free block then goes back. */
#define FOUND_PAGES	1024

/* Unmapping a page costs a walk through each address space that has it. */
#define MAX_MAPPINGS	32

/* In debugfs, of a test that was no whole one. */
#define AGE_PARTLY		BIT(31)

/* How many times as long as a look in vain for targets took it is not repeated. */
#define LOOK_PAUSE_FACTOR	100

#define MAX_HUGETLB_ORDER	(PUD_SHIFT - PAGE_SHIFT)

#define INTERVAL_MAX_MS	(24 * 3600 * 1000)

/* What a walk leaves where it is: as for memsuite_migrate, and */
enum {
	LEFT_WIDE = MEMSUITE_NR_MIGRATE_OUTCOMES,	/* mapped too widely */
	LEFT_LARGE,	/* a huge page, and no tested one to move it to */
	LEFT_HUGETLB,	/* a huge page that the kernel does not move */
	LEFT_KERNEL,	/* on no LRU list */
	NR_OUTCOMES,
};

/**
 * struct walk - one walk over all memory
 * @old_s: pages are moved from this age on
 * @fresh_s: and to pages of less than this age
 * @now_s: when the walk began
 * @interval_s: between two walks
 * @recheck_s: when a block is looked at again that has old pages, but none that could be moved:
 *	they are the kernel's, or free, and a program may have them soon
 * @target_frames: tested free pages of where the walk is
 * @above: those of higher zones in the same regions
 * @move: pages on their way
 * @found: pages to be moved, each with a reference
 * @nr_found: how many
 * @large: where the next huge page goes to, or NULL
 * @found_some: in this block
 * @holds: targets are held
 * @token: since then
 * @is_short: sweeps have not tested as much of this range as is to be moved to
 * @look_next: targets are not looked for before, in jiffies, for there were none
 * @ends: when the next walk begins, in jiffies
 * @outcome: pages by what became of them
 */
struct walk {
	unsigned int old_s;
	unsigned int fresh_s;
	u32 now_s;
	u32 interval_s;
	u32 recheck_s;
	struct memsuite_target_frames target_frames;
	struct memsuite_target_frames above;
	struct memsuite_migrate move;
	struct page *found[FOUND_PAGES];
	unsigned int nr_found;
	struct page *large;
	bool found_some;
	bool holds;
	int token;
	bool is_short;
	unsigned long look_next;
	unsigned long ends;
	u64 outcome[NR_OUTCOMES];
};

static struct walk walk;		/* the thread's own */
static bool restart_walks;		/* tests are not what they were */
static struct task_struct *thread;
static DECLARE_WAIT_QUEUE_HEAD(wait);
static unsigned int interval_ms;
static u64 moved;
static u64 walks;
static u64 last[NR_OUTCOMES];		/* of the last walk */

static struct page *alloc_large(struct walk *walk, struct page *old)
{
	struct page *page = memdiag_fresh_targets_alloc_large(old);
	unsigned int order = memsuite_page_order(old);

	if (!page || !memsuite_alloc_stats_older(page_to_pfn(page), 1UL << order, walk->fresh_s))
		return page;
	/* The kernel hands out first what was freed last, which is what was vacated. */
	walk->is_short = true;
	return memdiag_fresh_targets_test(page, order) ? page : NULL;
}

static struct page *take_target(struct page *old, void *context)
{
	struct walk *walk = context;
	struct page *page;

	if (memsuite_page_order(old)) {
		page = walk->large ?: alloc_large(walk, old);
		walk->large = NULL;
		return page;
	}
	page = memsuite_target_frames_take(&walk->target_frames);
	if (!page && PageAnon(old))
		return memsuite_target_frames_take(&walk->above);
	/* Zones may overlap. */
	if (page && page_zone(page) != page_zone(old)) {
		put_page(page);
		page = NULL;
	}
	return page;
}

static void put_target(struct page *page, void *context)
{
	struct walk *walk = context;

	memsuite_target_frames_put(memsuite_target_frames_have(&walk->target_frames, page) ?
				   &walk->target_frames : &walk->above, page);
}

/* Without a target the huge page would be split: a test is not worth that. */
static void move_large(struct walk *walk, struct page *page)
{
	walk->large = alloc_large(walk, page);
	if (!walk->large) {
		walk->outcome[LEFT_LARGE] += 1UL << memsuite_page_order(page);
		put_page(page);
		return;
	}
	memsuite_migrate_add(&walk->move, page);
	put_page(page);
	memsuite_migrate_run(&walk->move);
	if (walk->large)
		put_page(walk->large);
	walk->large = NULL;
}

static unsigned int count_anon(struct page **pages, unsigned int nr)
{
	unsigned int anon = 0, i;

	for (i = 0; i < nr; i++)
		anon += memsuite_page_anon(pages[i]);
	return anon;
}

/* That nothing free was tested lately takes a look at all of the range. */
static unsigned int look_for_targets(struct walk *walk, unsigned int nr)
{
	unsigned long began = jiffies;
	unsigned int ready = memsuite_target_frames_prepare(&walk->target_frames, nr);

	if (walk->target_frames.empty && jiffies != began)
		walk->look_next = jiffies + (jiffies - began) * LOOK_PAUSE_FACTOR;
	return ready;
}

/* Before any page is locked; how many targets there are, for @nr pages at most. */
static unsigned int prepare_targets(struct walk *walk, struct page **pages, unsigned int nr)
{
	unsigned int ready = look_for_targets(walk, nr);

	if (ready < nr)
		ready += memsuite_target_frames_prepare(&walk->above,
							min(nr - ready, count_anon(pages, nr)));
	return ready;
}

static void move_batch(struct walk *walk, struct page **pages, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		memsuite_migrate_add(&walk->move, pages[i]);
		put_page(pages[i]);
	}
	memsuite_migrate_run(&walk->move);
}

static void leave_full(struct walk *walk, struct page **pages, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		put_page(pages[i]);
	walk->outcome[MEMSUITE_MIGRATE_FULL] += nr;
}

static void walk_hold(struct walk *walk)
{
	if (!walk->holds)
		walk->token = memsuite_hold_begin();
	walk->holds = true;
}

static void walk_release(struct walk *walk)
{
	if (!walk->holds)
		return;
	memsuite_target_frames_return(&walk->target_frames);
	memsuite_target_frames_return(&walk->above);
	memsuite_hold_end(walk->token);
	walk->holds = false;
}

/* What was moved away from since @vacated, up to @moved of what was found. */
static void test_vacated(struct walk *walk, unsigned int *vacated, unsigned int moved)
{
	walk->is_short = true;
	if (*vacated < moved)
		memdiag_fresh_targets_vacated(&walk->target_frames, walk->found + *vacated,
					      moved - *vacated);
	*vacated = moved;
}

/* Of a batch, so many have a target. What the kernel gives may be what others could use better. */
static unsigned int have_targets(struct walk *walk, unsigned int *vacated, unsigned int moved,
				 unsigned int nr)
{
	struct page **pages = walk->found + moved;
	unsigned int ready = prepare_targets(walk, pages, nr);

	if (ready == nr)
		return nr;
	test_vacated(walk, vacated, moved);
	ready = prepare_targets(walk, pages, nr);
	if (ready >= min(nr, LEAST_PAGES) ||
	    !memdiag_fresh_targets_alloc(&walk->target_frames, pages[0], nr - ready))
		return ready;
	return prepare_targets(walk, pages, nr);
}

static void move_found(struct walk *walk)
{
	unsigned int moved = 0, vacated = 0, nr;

	walk_hold(walk);
	for (; moved < walk->nr_found; moved += nr) {
		nr = min_t(unsigned int, walk->nr_found - moved, BATCH_PAGES);
		nr = have_targets(walk, &vacated, moved, nr);
		if (!nr)
			break;
		move_batch(walk, walk->found + moved, nr);
	}
	leave_full(walk, walk->found + moved, walk->nr_found - moved);
	walk->nr_found = 0;
	/* Where targets are short, those of this batch are the next one's. */
	if (walk->is_short && !memsuite_hold_wanted())
		test_vacated(walk, &vacated, moved);
	else
		walk_release(walk);
}

/* Kernel memory, or a user's page that waits for its place in the lists. */
static void count_off_list(struct walk *walk, struct page *page)
{
	bool waits = memsuite_page_swap_backed(page);

	if (!page_count(page) || PageOffline(page) || PageHWPoison(page))
		return;
	walk->outcome[waits ? MEMSUITE_MIGRATE_BUSY : LEFT_KERNEL]++;
	walk->found_some |= waits;
}

/* Of hugetlbfs. It is tested at once: the next one would be moved to where it was. */
static void move_hugetlb(struct walk *walk, struct page *page)
{
	/* May be stale: never trust it far. */
	unsigned int order = min_t(unsigned int, compound_order(page), MAX_HUGETLB_ORDER);

	/* Who waits here has references. */
	move_found(walk);
	walk_release(walk);
	walk->outcome[memdiag_hugetlb_test(page, order) ? MEMSUITE_MIGRATED : LEFT_HUGETLB] +=
		1UL << order;
}

static void inuse_visit_page(struct walk *walk, struct page *page)
{
	if (PageTail(page))
		return;
	if (PageHuge(page)) {
		walk->found_some = true;
		move_hugetlb(walk, page);
		return;
	}
	if (!PageLRU(page) || PageReserved(page)) {
		count_off_list(walk, page);
		return;
	}
	if (!get_page_unless_zero(page))
		return;
	walk->found_some = true;
	/* Until now it could have become anything. */
	if (!PageLRU(page) || PageTail(page)) {
		put_page(page);
	} else if (memsuite_page_order(page)) {
		move_large(walk, page);
	} else if (atomic_read(&page->_mapcount) >= MAX_MAPPINGS) {
		walk->outcome[LEFT_WIDE]++;
		put_page(page);
	} else {
		walk->found[walk->nr_found++] = page;
		if (walk->nr_found == FOUND_PAGES)
			move_found(walk);
	}
}

/* Visit the frame @pfn; returns the next one to visit. */
static unsigned long inuse_visit_frame(struct walk *walk, unsigned long pfn)
{
	struct page *page = pfn_to_page(pfn);
	unsigned int order;

	if (PageBuddy(page)) {
		/* May be stale: never trust it far. */
		order = READ_ONCE(page->private);
		return pfn + (order <= MEMSUITE_MAX_ORDER ? 1UL << order : 1);
	}
	/* A folio is as old as the oldest of it. */
	order = min_t(unsigned int, memsuite_page_order(page), MEMSUITE_MAX_ORDER);
	if (memsuite_alloc_stats_older(pfn, 1UL << order, walk->old_s))
		inuse_visit_page(walk, page);
	return pfn + 1;
}

/*
 * A free block of the largest order covers several pageblocks, and only its first frame tells
 * that it is free. That may be stale. Return: the frame behind it, or @pfn if that lies in none.
 */
static unsigned long free_block_end(unsigned long pfn)
{
	unsigned long first = ALIGN_DOWN(pfn, 1UL << MEMSUITE_MAX_ORDER);
	struct page *page = pfn_to_online_page(first);

	if (page && PageBuddy(page) && READ_ONCE(page->private) == MEMSUITE_MAX_ORDER)
		return first + (1UL << MEMSUITE_MAX_ORDER);
	return pfn;
}

/*
 * Mostly the pages of a block were tested together, which is one look. What a region or a zone
 * has a part of is looked at each time: what is due there is not what the whole is.
 */
static void walk_block(struct walk *walk, unsigned long pfn, unsigned long end)
{
	bool whole = end - pfn == MEMDIAG_EXPIRY_BLOCK_PAGES;
	u32 next_s = max(memsuite_alloc_stats_next_s(pfn, walk->old_s), 1U);
	unsigned long first = pfn;

	if (!memsuite_alloc_stats_older(pfn, end - pfn, walk->old_s)) {
		if (whole)
			memdiag_expiry_set(first, walk->now_s + next_s);
		return;
	}
	next_s = min(next_s, walk->recheck_s);
	walk->found_some = false;
	pfn = free_block_end(pfn);
	while (pfn < end)
		pfn = inuse_visit_frame(walk, pfn);
	if (!whole)
		return;
	if (walk->found_some)
		memdiag_expiry_retry(first, walk->now_s, walk->interval_s, next_s);
	else
		memdiag_expiry_set(first, walk->now_s + next_s);
}

/*
 * Tests of targets may overdraw the budget for what has been found, and then it is waited for: not
 * with references, for which others would wait. False if that takes too long.
 */
static bool await_budget(struct walk *walk)
{
	long left = walk->ends - jiffies;

	if (!walk->is_short || memdiag_worker_may_test())
		return true;
	move_found(walk);
	if (left > 0)
		memdiag_worker_await(left);
	if (memsuite_hold_wanted())
		walk_release(walk);
	return memdiag_worker_may_test();
}

static void walk_frames(struct walk *walk, struct zone *zone, unsigned long pfn,
			unsigned long end)
{
	unsigned long next;
	struct page *page;

	while (!kthread_should_stop()) {
		pfn = memdiag_expiry_next(pfn, end, walk->now_s);
		if (pfn >= end)
			break;
		if (!await_budget(walk))
			break;
		next = min(end, ALIGN(pfn + 1, MEMDIAG_EXPIRY_BLOCK_PAGES));
		page = pfn_to_online_page(pfn);
		if (!page)
			next = min(end, ALIGN(pfn + 1, PAGES_PER_SECTION));
		else if (page_zone(page) == zone)
			walk_block(walk, pfn, next);
		pfn = next;
		/* Unhooking a function waits for every task to pass here. */
		cond_resched_tasks_rcu_qs();
	}
	move_found(walk);
	walk_release(walk);
}

static void target_frames_init(const struct walk *walk,
			       struct memsuite_target_frames *target_frames,
			       unsigned long start, unsigned long end, int nid)
{
	memsuite_target_frames_init(target_frames, start, end, nid);
	target_frames->scan.max_age_s = walk->fresh_s;
	/* What is moved leaves another frame free. */
	target_frames->scan.lends = true;
	/* To find that out takes a look at all of the range. */
	target_frames->empty = !memsuite_alloc_stats_any_younger(walk->fresh_s) ||
			       time_before(jiffies, walk->look_next);
	/* What is in use and can be moved is no place for others. */
	target_frames->scan.migratetypes = BIT(MIGRATE_MOVABLE);
}

static void walk_zone(struct walk *walk, struct zone *zone)
{
	unsigned long pfn = zone->zone_start_pfn, last = zone_end_pfn(zone);
	unsigned long start, end, top;
	int nid = zone_to_nid(zone);
	bool movable;

	while (pfn < last && !kthread_should_stop()) {
		movable = memsuite_region_bounds(pfn, &start, &end);
		top = min(end, node_end_pfn(nid));
		start = max(start, zone->zone_start_pfn);
		end = min(end, last);
		/* Of a set of banks, a page must not leave them. */
		if (!movable) {
			pfn = end;
			continue;
		}
		walk->is_short = false;
		target_frames_init(walk, &walk->target_frames, start, end, nid);
		target_frames_init(walk, &walk->above, last, max(last, top), nid);
		walk_frames(walk, zone, pfn, end);
		pfn = end;
	}
}

static void walk_publish(struct walk *walk)
{
	int i;

	for (i = 0; i < MEMSUITE_NR_MIGRATE_OUTCOMES; i++)
		walk->outcome[i] += walk->move.outcome[i];
	for (i = 0; i < NR_OUTCOMES; i++)
		WRITE_ONCE(last[i], walk->outcome[i]);
	WRITE_ONCE(moved, moved + walk->outcome[MEMSUITE_MIGRATED]);
	WRITE_ONCE(walks, walks + 1);
}

/*
 * A page is moved before its test expires if that is found in time: a quarter
 * of the lifetime is for the move, and for the next look to come an interval, or
 * a sixteenth: who is off the LRU lists for a moment is not seen by each.
 * Shortly before a sweep begins all free pages may be nearly half of a lifetime
 * old: what contents are moved to may be half of one old, and an eighth more.
 */
static void walk_memory(unsigned int ms)
{
	unsigned int lifetime = READ_ONCE(memdiag_test_lifetime_s), old_s;
	unsigned int interval_s = DIV_ROUND_UP(ms, MSEC_PER_SEC);
	int nid, i;

	memset(walk.outcome, 0, sizeof(walk.outcome));
	memsuite_migrate_init(&walk.move, take_target, &walk);
	walk.move.put = put_target;
	walk.recheck_s = max(1U, lifetime / 16);
	old_s = max(1, (int)(lifetime - lifetime / 4 - max(interval_s, walk.recheck_s)));
	/* What was not due before a later time is looked at too early, and no more. */
	if (xchg(&restart_walks, false) || old_s < walk.old_s)
		memdiag_expiry_restart();
	walk.old_s = old_s;
	walk.fresh_s = max(1U, lifetime / 2 + lifetime / 8);
	walk.now_s = memsuite_alloc_stats_now_s();
	walk.interval_s = interval_s;
	walk.ends = jiffies + msecs_to_jiffies(ms);
	if (READ_ONCE(last[MEMSUITE_MIGRATE_BUSY]))
		memsuite_migrate_settle();
	for_each_node_state(nid, N_MEMORY)
		for (i = 0; i < MAX_NR_ZONES; i++) {
			struct zone *zone = &NODE_DATA(nid)->node_zones[i];

			if (populated_zone(zone))
				walk_zone(&walk, zone);
		}
	if (!kthread_should_stop())
		walk_publish(&walk);
}

static int inuse_thread(void *unused)
{
	while (!kthread_should_stop()) {
		unsigned int ms = READ_ONCE(interval_ms);
		long timeout = MAX_SCHEDULE_TIMEOUT;

		if (ms) {
			walk_memory(ms);
			timeout = max(1L, (long)(walk.ends - jiffies));
		}
		wait_event_interruptible_timeout(wait,
						 kthread_should_stop() ||
						 READ_ONCE(interval_ms) != ms, timeout);
	}
	return 0;
}

int memdiag_inuse_start(void)
{
	struct task_struct *task;

	/* Tests are remembered from now on. */
	memdiag_expiry_restart();
	task = kthread_run(inuse_thread, NULL, "memdiag_move");
	if (IS_ERR(task))
		return PTR_ERR(task);
	/* Of normal priority: it has little to do, and by a certain time. */
	thread = task;
	return 0;
}

void memdiag_inuse_stop(void)
{
	if (thread)
		kthread_stop(thread);
	thread = NULL;
	memdiag_expiry_free();
}

void memdiag_inuse_forget(void)
{
	WRITE_ONCE(restart_walks, true);
}

bool memdiag_inuse_moves(void)
{
	return READ_ONCE(interval_ms);
}

u64 memdiag_inuse_moved_pages(void)
{
	return READ_ONCE(moved);
}

static int interval_set(u64 ms)
{
	WRITE_ONCE(interval_ms, ms);
	wake_up(&wait);
	return 0;
}

MEMSUITE_ATTR_NUMBER_SET(move_interval_ms, READ_ONCE(interval_ms), interval_set, 0,
			 INTERVAL_MAX_MS);

static struct attribute *inuse_attrs[] = {
	&move_interval_ms_attr.attr, NULL
};

const struct attribute_group memdiag_inuse_group = {
	.attrs = inuse_attrs,
};

MEMSUITE_ATTR_NUMBER_RO(moved_pages, memdiag_inuse_moved_pages());
MEMSUITE_ATTR_NUMBER_RO(walks, READ_ONCE(walks));
MEMSUITE_ATTR_NUMBER_RO(left_busy_pages, READ_ONCE(last[MEMSUITE_MIGRATE_BUSY]));
MEMSUITE_ATTR_NUMBER_RO(left_pinned_pages, READ_ONCE(last[MEMSUITE_MIGRATE_PINNED]));
MEMSUITE_ATTR_NUMBER_RO(left_full_pages, READ_ONCE(last[MEMSUITE_MIGRATE_FULL]));
MEMSUITE_ATTR_NUMBER_RO(left_gone_pages, READ_ONCE(last[MEMSUITE_MIGRATE_GONE]));
MEMSUITE_ATTR_NUMBER_RO(left_wide_pages, READ_ONCE(last[LEFT_WIDE]));
MEMSUITE_ATTR_NUMBER_RO(left_large_pages, READ_ONCE(last[LEFT_LARGE]));
MEMSUITE_ATTR_NUMBER_RO(left_hugetlb_pages, READ_ONCE(last[LEFT_HUGETLB]));
MEMSUITE_ATTR_NUMBER_RO(left_kernel_pages, READ_ONCE(last[LEFT_KERNEL]));

static struct attribute *moves_attrs[] = {
	&moved_pages_attr.attr, &walks_attr.attr, &left_busy_pages_attr.attr,
	&left_pinned_pages_attr.attr, &left_full_pages_attr.attr,
	&left_gone_pages_attr.attr, &left_wide_pages_attr.attr,
	&left_large_pages_attr.attr, &left_hugetlb_pages_attr.attr,
	&left_kernel_pages_attr.attr, NULL
};

const struct attribute_group memdiag_inuse_moves_group = {
	.name = "moves",
	.attrs = moves_attrs,
};

/* 4 bytes for each frame, as /proc/kpageflags has 8. */
static ssize_t ages_read(struct file *file, char __user *to, size_t count,
			 loff_t *pos)
{
	unsigned long end = memdiag_memory_end_pfn();
	size_t done, part, from;
	unsigned long pfn;
	u32 age;

	for (done = 0; done < count && *pos / sizeof(age) < end; done += part, *pos += part) {
		pfn = *pos / sizeof(age);
		age = memsuite_alloc_stats_age_s(pfn);
		if (!memsuite_alloc_stats_whole(pfn))
			age |= AGE_PARTLY;
		from = *pos % sizeof(age);
		part = min(count - done, sizeof(age) - from);
		if (copy_to_user(to + done, (char *)&age + from, part))
			return -EFAULT;
		cond_resched();
	}
	return done;
}

static const struct file_operations ages_fops = {
	.owner = THIS_MODULE,
	.read = ages_read,
	.llseek = default_llseek,
};

void memdiag_inuse_init(struct dentry *debugfs)
{
	debugfs_create_file("ages", 0400, debugfs, NULL, &ages_fops);
}
