// SPDX-License-Identifier: GPL-2.0-only
/*
 * Concurrent tester threads (Asteroid, section 5.2.2): together they sweep
 * over all memory, take each free block whose test is not recent, march over
 * the whole of it, and give it back, or retire what is bad of it. The
 * controller begins the sweeps and says how many threads take part.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/wait.h>

#include <compat/compat.h>
#include <memsuite/alloc_stats.h>
#include <memsuite/block.h>
#include <memsuite/pool_inspect.h>

#include "march/engine.h"
#include "result/bad_pages.h"
#include "result/verdict.h"
#include "sched/algorithm.h"
#include "sched/control_policy.h"
#include "sched/extra_tests.h"
#include "sched/optimisations.h"
#include "sched/test_lifetime.h"
#include "sched/worker.h"

/* How long to leave a zone alone that is short of memory. */
#define SHORT_JIFFIES	(HZ / 20)

/* Longer than a block takes: who comes for none in that time gets no CPU. */
#define ABSENT_JIFFIES	HZ

/*
 * The last part of a node is left to its own testers: who goes to another node
 * for a few blocks, which are slower to test from there, gains little time.
 */
#define LAST_PART	4

/**
 * struct cursor - how far the sweep has come on one node
 * @lock: taken by whoever wants the next block
 * @scan: where it stands
 * @span: frames of a sweep
 * @attended: when one of the node's own testers was here, in jiffies
 * @open: there may be more blocks
 */
struct cursor {
	struct mutex lock;	/* see above */
	struct memsuite_scan scan;
	unsigned long span;
	unsigned long attended;
	bool open;
};

/**
 * struct tester - a thread that tests
 * @task: the thread
 * @index: it takes part if that many threads are wanted
 * @home: node whose memory it tests first
 * @local: it runs on the CPUs of that node only
 * @verdict: of the block that it tests
 * @test: the test of this sweep
 */
struct tester {
	struct task_struct *task;
	unsigned int index;
	int home;
	bool local;
	struct verdict verdict;
	struct engine_test test;
};

static struct tester *testers;
static unsigned int nr_testers;
static struct cursor *cursors;		/* nr_node_ids of them */
static DEFINE_MUTEX(cursors_lock);	/* they come and go, seen from sysfs */
static atomic_t parts_left;		/* open cursors and blocks under test */
static bool sweeping;
static DECLARE_WAIT_QUEUE_HEAD(wait);
static struct memdiag_config config = { .fidelity = 1, .threads = 1 };
static atomic64_t tokens;		/* pages that may be tested now */
static bool paced;
static bool held;
static atomic_t at_work = ATOMIC_INIT(0);	/* testers */

static atomic64_t tested_pages = ATOMIC64_INIT(0);
static atomic64_t remote_pages = ATOMIC64_INIT(0);
static u64 bandwidth;			/* pages a second at fidelity 1 */
static u64 passes;

void tester_configure(struct memdiag_config wanted)
{
	unsigned int threads = min(wanted.threads, nr_testers);
	bool more = threads > READ_ONCE(config.threads);

	WRITE_ONCE(config.fidelity, wanted.fidelity);
	WRITE_ONCE(config.threads, threads);
	if (more)
		wake_up_all(&wait);
}

void tester_grant(u64 pages, u64 most)
{
	/* Nor is what a higher rate has left kept for a lower one. */
	if (!paced || atomic64_read(&tokens) > (s64)most)
		atomic64_set(&tokens, 0);
	WRITE_ONCE(paced, true);
	if (atomic64_read(&tokens) < (s64)most)
		atomic64_add(pages, &tokens);
	wake_up_all(&wait);
}

void tester_unpace(void)
{
	WRITE_ONCE(paced, false);
	wake_up_all(&wait);
}

void tester_hold(bool hold)
{
	WRITE_ONCE(held, hold);
	if (!hold)
		wake_up_all(&wait);
}

bool tester_at_work(void)
{
	return atomic_read(&at_work);
}

static bool may_test(void)
{
	return !READ_ONCE(held) &&
	       (!READ_ONCE(paced) || atomic64_read(&tokens) > 0);
}

void tester_test(struct verdict *verdict, const struct engine_test *test,
		 unsigned long pfn, unsigned long nr, unsigned int fidelity)
{
	unsigned int i, first = READ_ONCE(passes) * fidelity;

	verdict_begin(verdict, pfn, nr);
	for (i = 0; i < fidelity; i++)
		verdict_march(verdict, test, first + i);
	memsuite_alloc_stats_tested(pfn, nr);
	atomic64_add(nr, &tested_pages);
}

static void note_speed(unsigned long nr, unsigned int fidelity, u64 ns)
{
	u64 speed = div64_u64((u64)nr * fidelity * NSEC_PER_SEC, max(ns, 1ULL));
	u64 average = READ_ONCE(bandwidth);

	WRITE_ONCE(bandwidth, average ? (7 * average + speed) / 8 : speed);
}

static void test_block(struct tester *tester, struct memsuite_block *block)
{
	unsigned int fidelity = READ_ONCE(config.fidelity);
	unsigned long nr = 1UL << block->order;
	ktime_t begun = ktime_get();

	tester_test(&tester->verdict, &tester->test, page_to_pfn(block->page),
		    nr, fidelity);
	tests_run(&tester->verdict, READ_ONCE(passes) * fidelity, fidelity);
	note_speed(nr, fidelity, ktime_to_ns(ktime_sub(ktime_get(), begun)));
	if (page_to_nid(block->page) != numa_mem_id())
		atomic64_add(nr, &remote_pages);
	atomic64_sub(nr, &tokens);
	if (verdict_report(&tester->verdict))
		memsuite_block_retire(block, tester->verdict.bad);
	else
		memsuite_block_give(block);
}

/* The last part that ends, ends the sweep. */
static void put_part(void)
{
	if (!atomic_dec_and_test(&parts_left))
		return;
	tests_end_sweep();
	WRITE_ONCE(passes, passes + 1);
	WRITE_ONCE(sweeping, false);
}

/* Returns 0; -ENOENT: there is no more on this node; -EAGAIN: not now. */
static int next_block(struct cursor *cursor, struct memsuite_block *block)
{
	int err = -ENOENT;

	mutex_lock(&cursor->lock);
	if (cursor->open)
		err = memsuite_block_take(&cursor->scan, block);
	if (!err)
		atomic_inc(&parts_left);
	if (err == -EAGAIN)
		cursor->scan.pfn = ALIGN(cursor->scan.pfn + 1,
					 pageblock_nr_pages);
	if (err == -ENOENT && cursor->open) {
		cursor->open = false;
		put_part();
	}
	mutex_unlock(&cursor->lock);
	return err;
}

/* Where it looks for its next block first. */
static int next_home(struct tester *tester)
{
	/* Without its own, all nodes in turn. */
	if (!READ_ONCE(optimisations.node_local))
		tester->home = next_node_in(tester->home,
					    node_states[N_MEMORY]);
	return tester->home;
}

/* May be stale: what comes of it is a matter of speed. */
static bool wants_help(const struct cursor *cursor)
{
	unsigned long left = cursor->scan.end - READ_ONCE(cursor->scan.pfn);

	return left > cursor->span / LAST_PART ||
	       time_after(jiffies, READ_ONCE(cursor->attended) +
				   ABSENT_JIFFIES);
}

/* 0, or why there is nothing to test on the node. */
static int test_on(struct tester *tester, int nid)
{
	struct memsuite_block block;
	int err, token;

	if (nid != tester->home && READ_ONCE(optimisations.node_local) &&
	    !wants_help(&cursors[nid]))
		return -ENOENT;
	token = memsuite_hold_begin();
	err = next_block(&cursors[nid], &block);
	if (!err) {
		test_block(tester, &block);
		put_part();
	}
	memsuite_hold_end(token);
	return err;
}

/* Its own node, then, so that the work is balanced, the others. */
static int test_next(struct tester *tester)
{
	int nid = next_home(tester), err;

	WRITE_ONCE(cursors[nid].attended, jiffies);
	do {
		err = test_on(tester, nid);
		nid = next_node_in(nid, node_states[N_MEMORY]);
	} while (err == -ENOENT && nid != tester->home);
	return err;
}

static bool has_work(const struct tester *tester)
{
	return READ_ONCE(sweeping) && may_test() &&
	       tester->index < READ_ONCE(config.threads);
}

/* Nothing is lost if it cannot be: a node may have no CPUs. */
static void settle(struct tester *tester)
{
	bool local = READ_ONCE(optimisations.node_local);

	if (local == tester->local)
		return;
	set_cpus_allowed_ptr(current, local ? cpumask_of_node(tester->home) :
					      cpu_possible_mask);
	tester->local = local;
}

static int test(void *data)
{
	struct tester *tester = data;
	u64 pass = U64_MAX;
	int err;

	while (!kthread_should_stop()) {
		wait_event_interruptible(wait, kthread_should_stop() ||
					 has_work(tester));
		if (kthread_should_stop())
			break;
		if (pass != READ_ONCE(passes)) {
			pass = READ_ONCE(passes);
			algorithm_get(&tester->test);
			settle(tester);
		}
		atomic_inc(&at_work);
		err = test_next(tester);
		atomic_dec(&at_work);
		/* Others may still test the last blocks of the sweep. */
		if (err)
			schedule_timeout_interruptible(SHORT_JIFFIES);
		/* Unhooking a function waits for every task to pass here. */
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

bool tester_sweeping(void)
{
	return READ_ONCE(sweeping);
}

/* The lowest are asked for most, the highest are what all others come from. */
static unsigned int swept_orders(void)
{
	return READ_ONCE(optimisations.skip_middle) ?
		BIT(0) | BIT(1) | BIT(2) | BIT(MEMSUITE_MAX_ORDER - 1) |
		BIT(MEMSUITE_MAX_ORDER) : MEMSUITE_ANY_ORDER;
}

void tester_sweep(void)
{
	/* A block tested later than this comes again in time. */
	unsigned int min_age_s = READ_ONCE(tester_lifetime_s) / 4;
	int nid, nr = 0;

	if (tests_begin_sweep())
		min_age_s = 0;
	if (findings_pending())
		findings_retire_again();

	/* The tests of pages that wait in pools and lists expire as well. */
	if (READ_ONCE(optimisations.recycle)) {
		memsuite_pools_recycle();
		memsuite_block_drain();
	}
	for_each_node_state(nid, N_MEMORY)
		nr++;
	atomic_set(&parts_left, nr);
	for_each_node_state(nid, N_MEMORY) {
		mutex_lock(&cursors[nid].lock);
		cursors[nid].scan = (struct memsuite_scan) {
			.pfn = node_start_pfn(nid),
			.end = node_end_pfn(nid),
			.orders = swept_orders(),
			.nid = nid,
			.migratetypes = MEMSUITE_ANY_MIGRATETYPE,
			.min_age_s = min_age_s,
		};
		cursors[nid].span = node_spanned_pages(nid);
		cursors[nid].attended = jiffies;
		cursors[nid].open = true;
		mutex_unlock(&cursors[nid].lock);
	}
	WRITE_ONCE(sweeping, true);
	wake_up_all(&wait);
}

unsigned int tester_progress_pct(void)
{
	unsigned long done = 0, total = 0;
	int nid;

	mutex_lock(&cursors_lock);
	for_each_node_state(nid, N_MEMORY) {
		if (!cursors || !READ_ONCE(sweeping))
			break;
		total += node_spanned_pages(nid);
		done += min(READ_ONCE(cursors[nid].scan.pfn) -
			    node_start_pfn(nid), node_spanned_pages(nid));
	}
	mutex_unlock(&cursors_lock);
	if (!total)
		return READ_ONCE(passes) ? 100 : 0;
	return done * 100 / total;
}

static void stop_threads(void)
{
	while (nr_testers)
		kthread_stop(testers[--nr_testers].task);
}

static int start_threads(unsigned int nr)
{
	int nid = first_memory_node;
	struct tester *tester;

	for (; nr_testers < nr; nr_testers++) {
		tester = &testers[nr_testers];
		tester->index = nr_testers;
		tester->home = nid;
		tester->task = kthread_create_on_node(test, tester, nid,
						      "memdiag/%u", nr_testers);
		if (IS_ERR(tester->task)) {
			stop_threads();
			return -ENOMEM;
		}
		set_user_nice(tester->task, MAX_NICE);
		wake_up_process(tester->task);
		nid = next_node_in(nid, node_states[N_MEMORY]);
	}
	return 0;
}

/* Two threads of a core would share the way to memory. */
static unsigned int count_cores(void)
{
	unsigned int nr = 0;
	int cpu;

	for_each_online_cpu(cpu)
		nr += cpu == cpumask_first(topology_sibling_cpumask(cpu));
	return max(nr, 1U);
}

int tester_start(void)
{
	unsigned int nr = min(count_cores(), TESTERS_MAX);
	int nid, err = -ENOMEM;

	testers = kvcalloc(nr, sizeof(*testers), GFP_KERNEL);
	mutex_lock(&cursors_lock);
	cursors = kcalloc(nr_node_ids, sizeof(*cursors), GFP_KERNEL);
	mutex_unlock(&cursors_lock);
	if (!testers || !cursors)
		goto err;
	for (nid = 0; nid < nr_node_ids; nid++)
		mutex_init(&cursors[nid].lock);
	WRITE_ONCE(sweeping, false);
	err = start_threads(nr);
	if (!err)
		return 0;
err:
	tester_stop();
	return err;
}

void tester_stop(void)
{
	stop_threads();
	mutex_lock(&cursors_lock);
	kfree(cursors);
	cursors = NULL;
	mutex_unlock(&cursors_lock);
	kvfree(testers);
	testers = NULL;
}

unsigned int tester_fidelity(void)
{
	return READ_ONCE(config.fidelity);
}

unsigned int tester_threads_max(void)
{
	return nr_testers;
}

unsigned int tester_threads(void)
{
	return READ_ONCE(config.threads);
}

u64 tester_bandwidth(void)
{
	return READ_ONCE(bandwidth);
}

u64 tester_tested_pages(void)
{
	return atomic64_read(&tested_pages);
}

u64 tester_remote_pages(void)
{
	return atomic64_read(&remote_pages);
}

u64 tester_passes(void)
{
	return READ_ONCE(passes);
}
