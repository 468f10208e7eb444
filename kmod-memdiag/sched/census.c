// SPDX-License-Identifier: GPL-2.0-only
/*
 * All memory, counted by use and by the age of its tests; census.h. On a large machine that
 * takes seconds, so it is done in the background: at the end of each sweep, and when somebody
 * reads what is old.
 */

#include <linux/hugetlb.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/workqueue.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <compat/poison.h>
#include <memsuite/alloc_stats.h>

#include "sched/census.h"
#include "sched/test_lifetime.h"

/* So much memory is counted in about ten milliseconds. */
#define QUICK_PAGES	(4UL * SZ_1G >> PAGE_SHIFT)

/* How many times as long as counting takes it is not repeated. */
#define PAUSE_FACTOR	100

static struct memdiag_census next;	/* census_take's own */
static struct memdiag_census last;	/* under census_lock */
static DEFINE_MUTEX(census_lock);
static bool ending;	/* what is counted is of no use any more */

/* A small page that is pinned has this many references at least. */
static bool use_is_pinned(struct page *head)
{
	bool pinned;

	if (!PageHead(head) && page_count(head) < GUP_PIN_COUNTING_BIAS)
		return false;
	/* Until now it could have become anything. */
	if (!get_page_unless_zero(head))
		return false;
	pinned = !PageTail(head) && memsuite_page_pinned(head);
	put_page(head);
	return pinned;
}

/* Takes no reference, or none for long: the answer may be a moment old. */
static enum memdiag_use use_of(struct page *page)
{
	struct page *head;

	if (PageBuddy(page) || PageOffline(page))
		return MEMDIAG_FREE;
	head = compound_head(page);
	if (PageReserved(page) || PageSlab(head))
		return MEMDIAG_KERNEL;
	/* In use, or in reserve. */
	if (PageHuge(head))
		return MEMDIAG_HUGETLB;
	/* Inside a free block, or in the lists of a CPU. */
	if (!page_count(head))
		return MEMDIAG_FREE;
	if (!PageLRU(head))
		return MEMDIAG_KERNEL;
	if (use_is_pinned(head))
		return MEMDIAG_PINNED;
	return PageAnon(head) ? MEMDIAG_USER : MEMDIAG_PAGE_CACHE;
}

/**
 * struct test_state - the last test of a page
 * @age_s: how long ago; UINT_MAX: there was none
 * @whole: it was a whole one
 */
struct test_state {
	unsigned int age_s;
	bool whole;
};

static struct test_state test_state_of(unsigned long pfn)
{
	return (struct test_state) {
		.age_s = memsuite_alloc_stats_age_s(pfn),
		.whole = memsuite_alloc_stats_whole(pfn),
	};
}

static void census_count_pages(struct memdiag_use_count *count, struct test_state test,
			       unsigned long nr)
{
	bool good = test.age_s < next.lifetime_s;
	unsigned int bucket;

	count->pages += nr;
	if (test.age_s == UINT_MAX) {
		count->untested += nr;
		return;
	}
	if (!test.whole) {
		count->partly += good ? nr : 0;
		return;
	}
	count->whole += nr;
	count->tested += good ? nr : 0;
	count->oldest_s = max(count->oldest_s, test.age_s);
	bucket = div_u64((u64)test.age_s * MEMDIAG_LIFETIME_BUCKETS, next.lifetime_s);
	count->ages[min_t(unsigned int, bucket, MEMDIAG_AGE_BUCKETS - 1)] += nr;
}

/*
 * How many pages from one on are of the same use: of a free block, or of a folio. Takes no
 * reference and no lock: the answer may be a moment old.
 */
static unsigned long pages_of_one_use(struct page *page)
{
	unsigned int order = 0;

	if (PageBuddy(page))
		order = READ_ONCE(page->private);
	else if (PageHead(page))
		order = compound_order(page);
	return order <= MEMSUITE_MAX_ORDER ? 1UL << order : 1;
}

/*
 * The pages of a block of 2 MiB. What is free, or of one folio, is counted together if all of the
 * block was tested together.
 */
static void census_count_block(unsigned long pfn, unsigned long end)
{
	bool uniform = memsuite_alloc_stats_uniform(pfn);
	struct test_state test = test_state_of(pfn);
	unsigned long span;
	struct page *page;

	for (; pfn < end; pfn += span) {
		page = pfn_to_page(pfn);
		span = uniform ? pages_of_one_use(page) : 1;
		if (!uniform)
			test = test_state_of(pfn);
		if (!memsuite_page_is_bad(page))
			census_count_pages(&next.uses[use_of(page)], test, min(span, end - pfn));
	}
}

/* Returns whether it was counted whole. */
static bool census_count_node(int nid)
{
	unsigned long pfn = ALIGN_DOWN(node_start_pfn(nid), MEMSUITE_ALLOC_STATS_BLOCK_PAGES);
	unsigned long end = node_end_pfn(nid);
	struct page *page;

	for (; pfn < end; pfn += MEMSUITE_ALLOC_STATS_BLOCK_PAGES) {
		if (READ_ONCE(ending))
			return false;
		page = pfn_to_online_page(pfn);
		if (page && page_to_nid(page) == nid)
			census_count_block(pfn, pfn + MEMSUITE_ALLOC_STATS_BLOCK_PAGES);
		/* Unhooking a function waits for every task to pass here. */
		cond_resched_tasks_rcu_qs();
	}
	return true;
}

static void census_take(struct work_struct *unused)
{
	unsigned long begun = jiffies;
	int nid;

	memset(&next, 0, sizeof(next));
	next.lifetime_s = READ_ONCE(memdiag_test_lifetime_s);
	for_each_node_state(nid, N_MEMORY)
		if (!census_count_node(nid))
			return;
	next.end = jiffies ?: 1;
	next.took_ms = jiffies_to_msecs(jiffies - begun);
	mutex_lock(&census_lock);
	last = next;
	mutex_unlock(&census_lock);
}

static struct workqueue_struct *census_queue;
static DECLARE_WORK(census_work, census_take);

static bool census_is_quick(void)
{
	return totalram_pages() <= QUICK_PAGES;
}

/* Counting takes no more than a hundredth of a CPU. */
static bool census_is_old(void)
{
	unsigned long pause = msecs_to_jiffies(READ_ONCE(last.took_ms)) * PAUSE_FACTOR;
	unsigned long end = READ_ONCE(last.end);

	if (census_is_quick() || pause < HZ)
		pause = HZ;
	return !end || time_after(jiffies, end + pause);
}

void memdiag_census_renew(void)
{
	if (census_is_old())
		queue_work(census_queue, &census_work);
}

const struct memdiag_census *memdiag_census_get(void)
{
	memdiag_census_renew();
	if (census_is_quick() || !READ_ONCE(last.end))
		flush_work(&census_work);
	mutex_lock(&census_lock);
	if (last.end)
		return &last;
	mutex_unlock(&census_lock);
	return NULL;
}

void memdiag_census_put(void)
{
	mutex_unlock(&census_lock);
}

void memdiag_census_restart(void)
{
	WRITE_ONCE(ending, true);
	cancel_work_sync(&census_work);
	mutex_lock(&census_lock);
	memset(&last, 0, sizeof(last));
	mutex_unlock(&census_lock);
	WRITE_ONCE(ending, false);
	memdiag_census_renew();
}

int memdiag_census_init(void)
{
	census_queue = alloc_workqueue("memdiag_census", WQ_UNBOUND, 1);
	return census_queue ? 0 : -ENOMEM;
}

void memdiag_census_exit(void)
{
	WRITE_ONCE(ending, true);
	destroy_workqueue(census_queue);
}
