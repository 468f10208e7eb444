// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory in use: a page whose last test is about to expire is moved to one
 * that was tested lately, and so comes back to the free lists, where the
 * sweep finds it (COMeT, section 3.3).
 *
 * A thread walks at an interval of its own over the blocks in which tests expire; what it finds is
 * moved by mover.c.
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

#include "paths/expiry.h"
#include "paths/hugetlb.h"
#include "paths/inuse.h"
#include "paths/mover.h"
#include "sched/memory_span.h"
#include "sched/test_lifetime.h"
#include "sched/worker.h"

static_assert(MEMDIAG_EXPIRY_BLOCK_PAGES == MEMSUITE_ALLOC_STATS_BLOCK_PAGES);

/* Unmapping a page costs a walk through each address space that has it. */
#define MAX_MAPPINGS	32

/* In debugfs, of a test that was no whole one. */
#define AGE_PARTLY		BIT(31)

#define WALKS_PER_LIFETIME	8

#define MAX_HUGETLB_ORDER	(PUD_SHIFT - PAGE_SHIFT)

#define INTERVAL_MAX_MS	(24 * 3600 * 1000)

/* What a walk leaves where it is: as for memsuite_migrate, and */
enum {
	LEFT_WIDE = MEMSUITE_NR_MIGRATE_OUTCOMES,	/* mapped too widely */
	LEFT_HUGETLB,	/* a huge page that the kernel does not move */
	LEFT_KERNEL,	/* on no LRU list */
	NR_OUTCOMES,
};

/**
 * struct walk - one walk over all memory
 * @old_s: pages are moved from this age on
 * @now_s: when the walk began
 * @interval_s: between two walks
 * @recheck_s: when a block is looked at again that has old pages, but none that could be moved:
 *	they are the kernel's, or free, and a program may have them soon
 * @ends: when the next walk begins, in jiffies
 * @mover: of what it finds
 * @found_some: in this block
 * @outcome: pages by what became of them
 */
struct walk {
	unsigned int old_s;
	u32 now_s;
	u32 interval_s;
	u32 recheck_s;
	unsigned long ends;
	struct memdiag_mover mover;
	bool found_some;
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
static u64 last_left_large;

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
	memdiag_mover_run(&walk->mover);
	memdiag_mover_release(&walk->mover);
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
		memdiag_mover_add_large(&walk->mover, page);
	} else if (atomic_read(&page->_mapcount) >= MAX_MAPPINGS) {
		walk->outcome[LEFT_WIDE]++;
		put_page(page);
	} else {
		memdiag_mover_add(&walk->mover, page);
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

	if (!walk->mover.is_short || memdiag_worker_may_test())
		return true;
	memdiag_mover_run(&walk->mover);
	if (left > 0)
		memdiag_worker_await(left);
	if (memsuite_hold_wanted())
		memdiag_mover_release(&walk->mover);
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
	memdiag_mover_run(&walk->mover);
	memdiag_mover_release(&walk->mover);
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
		memdiag_mover_go(&walk->mover, zone, start, end, top);
		walk_frames(walk, zone, pfn, end);
		pfn = end;
	}
}

static void walk_publish(struct walk *walk)
{
	int i;

	for (i = 0; i < MEMSUITE_NR_MIGRATE_OUTCOMES; i++)
		walk->outcome[i] += walk->mover.move.outcome[i];
	for (i = 0; i < NR_OUTCOMES; i++)
		WRITE_ONCE(last[i], walk->outcome[i]);
	WRITE_ONCE(last_left_large, walk->mover.left_large);
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
	walk.recheck_s = max(1U, lifetime / 16);
	old_s = max(1, (int)(lifetime - lifetime / 4 - max(interval_s, walk.recheck_s)));
	/* What was not due before a later time is looked at too early, and no more. */
	if (xchg(&restart_walks, false) || old_s < walk.old_s)
		memdiag_expiry_restart();
	walk.old_s = old_s;
	memdiag_mover_begin(&walk.mover, max(1U, lifetime / 2 + lifetime / 8));
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

/* So often that what is moved to is not due at the next one. */
static unsigned int walk_interval_ms(unsigned int ms)
{
	u64 most = (u64)READ_ONCE(memdiag_test_lifetime_s) * MSEC_PER_SEC / WALKS_PER_LIFETIME;

	return min_t(u64, ms, max_t(u64, most, MSEC_PER_SEC));
}

static int inuse_thread(void *unused)
{
	while (!kthread_should_stop()) {
		unsigned int ms = READ_ONCE(interval_ms);
		long timeout = MAX_SCHEDULE_TIMEOUT;

		if (ms) {
			walk_memory(walk_interval_ms(ms));
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
	int err = memdiag_mover_init(&walk.mover);

	if (err)
		return err;
	/* Tests are remembered from now on. */
	memdiag_expiry_restart();
	task = kthread_run(inuse_thread, NULL, "memdiag_move");
	if (IS_ERR(task)) {
		memdiag_mover_exit(&walk.mover);
		return PTR_ERR(task);
	}
	/* Of normal priority: it has little to do, and by a certain time. */
	thread = task;
	return 0;
}

void memdiag_inuse_stop(void)
{
	if (thread)
		kthread_stop(thread);
	thread = NULL;
	memdiag_mover_exit(&walk.mover);
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
MEMSUITE_ATTR_NUMBER_RO(left_large_pages, READ_ONCE(last_left_large));
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
