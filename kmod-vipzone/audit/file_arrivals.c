// SPDX-License-Identifier: GPL-2.0-only
/*
 * What comes into the page cache in the wrong place; file_arrivals.h.
 *
 * The kernel tells of each page that comes, before it is read. Those that are misplaced are kept in
 * a list, each with a reference, until a work that runs soon after has looked at them.
 */

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <compat/compat.h>
#include <compat/page.h>
#include <compat/trace_probe.h>
#include <memsuite/migrate.h>
#include <memsuite/tracepoints.h>

#include "audit/file_arrivals.h"
#include "audit/move_quota.h"
#include "audit/page_migrate.h"
#include "policy/arming.h"
#include "policy/lookup.h"
#include "policy/spread.h"

/* What is kept at most, and of pages as small ones count: a reference keeps them from reclaim. */
#define MOST_KEPT	4096
#define MOST_PAGES	32768
/* For the disk; and for who has it for the moment. Then it stays where it is. */
#define WORK_JIFFIES	(HZ / 20)
#define MOST_TRIES	40
/* Those that few others follow wait for long to get to the LRU lists, unless all CPUs are asked. */
#define SETTLE_TRIES	2

/**
 * struct arrival - a folio that came into the page cache
 * @page: its first page, with a reference
 * @policy: of its file, held
 * @tries: how often it was busy
 */
struct arrival {
	struct page *page;
	struct vipzone_policy *policy;
	unsigned int tries;
};

static DEFINE_SPINLOCK(arrivals_lock);		/* of what follows */
static struct arrival *kept;			/* MOST_KEPT of them */
static unsigned int nr_kept;
static unsigned long nr_pages;			/* in them */
static u64 lost;

static DEFINE_MUTEX(start_lock);
static struct workqueue_struct *queue;		/* under start_lock; NULL: nobody listens */
static struct arrival *taken;			/* the work's, MOST_KEPT of them */
static bool ending;

static void arrivals_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(move_work, arrivals_work);

static unsigned long pages_of(const struct arrival *arrival)
{
	return 1UL << memsuite_page_order(arrival->page);
}

/* Keeps it, and its folio and policy for that; or it counts as lost. */
static bool arrival_keep(const struct arrival *arrival)
{
	unsigned long nr = pages_of(arrival);
	unsigned long flags;
	bool room;

	spin_lock_irqsave(&arrivals_lock, flags);
	room = nr_kept < MOST_KEPT && nr_pages + nr <= MOST_PAGES;
	if (room) {
		get_page(arrival->page);
		vipzone_policy_get(arrival->policy);
		kept[nr_kept++] = *arrival;
		nr_pages += nr;
	} else {
		lost += nr;
	}
	spin_unlock_irqrestore(&arrivals_lock, flags);
	return room;
}

/*
 * Where it is to go, or NULL. With weights any of the regions will do: what is placed as it is
 * allocated takes turns by CPU, for its place in the file is not known then.
 */
static const struct vipzone_order *order_away(const struct vipzone_policy *policy,
					      struct page *page)
{
	const struct vipzone_order *order = &policy->command.orders[VIPZONE_SEGMENT_CACHE];

	if (!order->nr || vipzone_page_is_placed(policy, order, page))
		return NULL;
	return vipzone_spread_away_to(policy, VIPZONE_SEGMENT_CACHE, order, page,
				      memsuite_page_place(page));
}

/* Inside a tracepoint: no sleeping. The page is locked. */
MEMSUITE_PROBE_FILEMAP_ADD(probe_add)
{
	struct arrival arrival = { .page = MEMSUITE_ADDED_PAGE };
	struct address_space *mapping = memsuite_page_cache(arrival.page);

	if (!vipzone_arming_is_on() || !mapping || !mapping->host)
		return;
	rcu_read_lock();
	arrival.policy = vipzone_policy_of_inode(mapping->host);
	if (arrival.policy && arrival.policy->file.kind == VIPZONE_FILE_CACHE &&
	    order_away(arrival.policy, arrival.page) && arrival_keep(&arrival))
		queue_delayed_work(queue, &move_work, WORK_JIFFIES);
	rcu_read_unlock();
}

static struct memsuite_tracepoint probes[] = {
	MEMSUITE_TRACEPOINT(mm_filemap_add_to_page_cache, probe_add),
};

/* Takes all that is kept. */
static unsigned int arrivals_take(void)
{
	unsigned int nr;

	spin_lock_irq(&arrivals_lock);
	nr = nr_kept;
	swap(kept, taken);
	nr_kept = 0;
	nr_pages = 0;
	spin_unlock_irq(&arrivals_lock);
	return nr;
}

/* Is being read or written, or is on its way to the LRU lists. */
static bool is_busy(struct page *page)
{
	return PageLocked(page) || memsuite_page_writeback(page) || !PageLRU(page);
}

/* Gives up what the work holds of it. */
static void arrival_put(const struct arrival *arrival)
{
	put_page(arrival->page);
	vipzone_policy_put(arrival->policy);
}

/* It cannot be moved now: later, or never. */
static void arrival_defer(struct arrival *arrival)
{
	if (++arrival->tries <= MOST_TRIES) {
		arrival_keep(arrival);
		return;
	}
	spin_lock_irq(&arrivals_lock);
	lost += pages_of(arrival);
	spin_unlock_irq(&arrivals_lock);
}

/**
 * struct batch - what the work does with what it has taken
 * @mover: moves pages by the policy of the last one, or NULL
 * @policy: that policy, held
 * @nr: pages noted
 * @left: pages that may still be moved
 * @moved: pages moved
 */
struct batch {
	struct vipzone_page_migrate *mover;
	struct vipzone_policy *policy;
	unsigned int nr;
	long left;
	u64 moved;
};

static void batch_close(struct batch *batch)
{
	u64 moves[VIPZONE_NR_MOVES] = {};

	if (!batch->mover)
		return;
	vipzone_page_migrate_flush(batch->mover);
	vipzone_page_migrate_close(batch->mover, moves);
	batch->moved += moves[MEMSUITE_MIGRATED];
	vipzone_policy_put(batch->policy);
	batch->mover = NULL;
	batch->nr = 0;
}

static bool batch_open(struct batch *batch, struct vipzone_policy *policy)
{
	if (batch->mover && (batch->policy != policy || batch->nr == VIPZONE_PAGES_AT_ONCE))
		batch_close(batch);
	if (!batch->mover) {
		batch->mover = vipzone_page_migrate_open(NULL, policy, &ending);
		if (!batch->mover)
			return false;
		vipzone_policy_get(policy);
		batch->policy = policy;
	}
	return true;
}

static void batch_add(struct batch *batch, struct arrival *arrival)
{
	struct page *page = arrival->page;
	const struct vipzone_order *order;

	/* It may have been moved away from, or left its file; or the policy is gone. */
	if (!memsuite_page_cache(page) || hlist_unhashed_lockless(&arrival->policy->by_file) ||
	    READ_ONCE(ending))
		return;
	order = order_away(arrival->policy, page);
	if (!order)
		return;
	if (is_busy(page) || batch->left <= 0 || !batch_open(batch, arrival->policy)) {
		arrival_defer(arrival);
		return;
	}
	batch->left -= vipzone_page_migrate_add(batch->mover, NULL, page, order,
						VIPZONE_MOVE_REPAIR, NULL);
	batch->nr++;
}

static bool some_wait_for_long(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (taken[i].tries >= SETTLE_TRIES && !PageLRU(taken[i].page) &&
		    !PageLocked(taken[i].page))
			return true;
	return false;
}

/* It disturbs all CPUs. */
static void settle_some(unsigned int nr)
{
	static unsigned long settled;

	if ((settled && time_before(jiffies, settled + HZ)) || !some_wait_for_long(nr))
		return;
	memsuite_migrate_settle();
	settled = jiffies ?: 1;
}

static void arrivals_move(void)
{
	struct batch batch = { .left = vipzone_move_quota_take() };
	u64 begun_ns = ktime_get_ns();
	unsigned int nr = arrivals_take(), i;

	settle_some(nr);
	for (i = 0; i < nr; i++) {
		batch_add(&batch, &taken[i]);
		/* Before its page is moved, for which nobody else may hold it. */
		arrival_put(&taken[i]);
		cond_resched();
	}
	batch_close(&batch);
	vipzone_move_quota_return(batch.left, batch.moved, ktime_get_ns() - begun_ns);
}

static void arrivals_work(struct work_struct *work)
{
	arrivals_move();
	spin_lock_irq(&arrivals_lock);
	if (nr_kept)
		queue_delayed_work(queue, &move_work, WORK_JIFFIES);
	spin_unlock_irq(&arrivals_lock);
}

static void arrivals_free(void)
{
	kvfree(kept);
	kvfree(taken);
	kept = NULL;
	taken = NULL;
	if (queue)
		destroy_workqueue(queue);
	queue = NULL;
}

static int arrivals_alloc(void)
{
	kept = kvcalloc(MOST_KEPT, sizeof(*kept), GFP_KERNEL);
	taken = kvcalloc(MOST_KEPT, sizeof(*taken), GFP_KERNEL);
	queue = alloc_workqueue("vipzone_arrivals", WQ_UNBOUND, 1);
	return kept && taken && queue ? 0 : -ENOMEM;
}

int vipzone_file_arrivals_start(void)
{
	int err = 0;

	mutex_lock(&start_lock);
	if (!queue) {
		err = arrivals_alloc() ?: memsuite_tracepoints_register(probes,
									ARRAY_SIZE(probes));
		if (err)
			arrivals_free();
	}
	mutex_unlock(&start_lock);
	return err;
}

void vipzone_file_arrivals_flush(void)
{
	mutex_lock(&start_lock);
	if (queue)
		mod_delayed_work(queue, &move_work, 0);
	flush_delayed_work(&move_work);
	mutex_unlock(&start_lock);
}

void vipzone_file_arrivals_stop(void)
{
	if (!queue)
		return;
	memsuite_tracepoints_unregister(probes, ARRAY_SIZE(probes));
	WRITE_ONCE(ending, true);
	/* What is kept is put, and nothing is kept again. */
	cancel_delayed_work_sync(&move_work);
	arrivals_move();
	arrivals_free();
}

u64 vipzone_file_arrivals_lost(void)
{
	return READ_ONCE(lost);
}
