// SPDX-License-Identifier: GPL-2.0-only
/*
 * Concurrent worker threads (Asteroid, section 5.2.2): together they sweep
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
#include <compat/housekeeping.h>
#include <memsuite/alloc_stats.h>
#include <memsuite/block.h>
#include <memsuite/pool_inspect.h>

#include "march/engine.h"
#include "result/bad_pages.h"
#include "result/testers.h"
#include "result/verdict.h"
#include "sched/algorithm.h"
#include "sched/control_policy.h"
#include "sched/extra_tests.h"
#include "sched/optimisations.h"
#include "sched/test_lifetime.h"
#include "sched/worker.h"

/* Fewer pages tell no speed. */
#define SPEED_PAGES	1024

/* How long to leave a zone alone that is short of memory; and 2^n pageblocks of it at most. */
#define SHORT_JIFFIES	(HZ / 20)
#define SHORT_DOUBLINGS	20U

/* Longer than a block takes: a worker that fetches none in that time has no CPU. */
#define ABSENT_JIFFIES	HZ

/*
 * The last part of a node is left to its own workers: a worker that goes to
 * another node for a few blocks, which are slower to test from there, gains little.
 */
#define LAST_PART	4

/**
 * struct cursor - how far the sweep has come on one node
 * @lock: taken by whoever wants the next block
 * @scan: where it stands
 * @span: frames of a sweep
 * @attended: when one of the node's own workers was here, in jiffies
 * @rests_until: it is left alone until then, in jiffies
 * @shorts: how often, one after the other, there was too little free memory to take a block
 * @open: there may be more blocks
 */
struct cursor {
	struct mutex lock;	/* see above */
	struct memsuite_scan scan;
	unsigned long span;
	unsigned long attended;
	unsigned long rests_until;
	unsigned int shorts;
	bool open;
};

/**
 * struct worker - a thread that tests
 * @task: the thread
 * @index: it takes part if that many threads are wanted
 * @home: node whose memory it tests first
 * @local: it runs on the CPUs of that node only, where it can
 * @testers: version of the CPUs that are trusted, when that was decided
 * @verdict: of the block that it tests
 * @test: the test of this sweep
 * @ran_ns: CPU time until it was last added to that of the sweep
 */
struct worker {
	struct task_struct *task;
	unsigned int index;
	int home;
	bool local;
	unsigned int testers;
	struct memdiag_verdict verdict;
	struct memdiag_engine_test test;
	u64 ran_ns;
};

static struct worker *workers;
static unsigned int nr_workers;
static struct cursor *cursors;		/* nr_node_ids of them */
static DEFINE_MUTEX(cursors_lock);	/* they come and go, seen from sysfs */
static atomic_t parts_left;		/* open cursors and blocks under test */
static nodemask_t sweep_nodes;		/* whose cursors are opened */
static bool sweeping;
static unsigned long sweep_begun;	/* jiffies */
static DECLARE_WAIT_QUEUE_HEAD(wait);
static struct memdiag_config config = { .fidelity = 1, .threads = 1 };
static atomic64_t tokens;		/* pages that may be tested now */
static bool paced;
static bool held;
static atomic_t at_work = ATOMIC_INIT(0);	/* workers */

static atomic64_t tested_pages = ATOMIC64_INIT(0);
static atomic64_t remote_pages = ATOMIC64_INIT(0);
static u64 bandwidth;			/* pages a second at fidelity 1 */
static atomic64_t sweep_work;		/* pages times fidelity, in this sweep */
static atomic64_t sweep_ns;		/* CPU time in it */
static u64 cpu_speed;			/* pages a second of CPU time at fidelity 1 */
static u64 passes;

void memdiag_worker_configure(struct memdiag_config wanted)
{
	unsigned int threads = min(wanted.threads, nr_workers);
	bool more = threads > READ_ONCE(config.threads);

	WRITE_ONCE(config.fidelity, wanted.fidelity);
	WRITE_ONCE(config.threads, threads);
	if (more)
		wake_up_all(&wait);
}

void memdiag_worker_grant(u64 pages, u64 most)
{
	s64 left;

	if (!paced)
		atomic64_set(&tokens, 0);
	WRITE_ONCE(paced, true);
	/* What a higher rate has left is not kept for a lower one. */
	left = (s64)most - atomic64_read(&tokens);
	atomic64_add(min_t(s64, pages, left), &tokens);
	wake_up_all(&wait);
}

void memdiag_worker_unpace(void)
{
	WRITE_ONCE(paced, false);
	wake_up_all(&wait);
}

void memdiag_worker_hold(bool hold)
{
	WRITE_ONCE(held, hold);
	if (!hold)
		wake_up_all(&wait);
}

bool memdiag_worker_at_work(void)
{
	return atomic_read(&at_work);
}

bool memdiag_worker_may_test(void)
{
	return !READ_ONCE(held) &&
	       (!READ_ONCE(paced) || atomic64_read(&tokens) > 0);
}

void memdiag_worker_await(unsigned long timeout)
{
	wait_event_interruptible_timeout(wait, memdiag_worker_may_test() || memdiag_worker_ends(),
					 timeout);
}

void memdiag_worker_enter(void)
{
	atomic_inc(&at_work);
}

void memdiag_worker_leave(void)
{
	atomic_dec(&at_work);
}

void memdiag_worker_spend(u64 pages)
{
	atomic64_sub(pages, &tokens);
}

bool memdiag_worker_ends(void)
{
	return memsuite_hold_wanted() || kthread_should_stop();
}

bool memdiag_worker_test(struct memdiag_verdict *verdict, const struct memdiag_engine_test *test,
			 unsigned long pfn, unsigned long nr, unsigned int fidelity,
			 memdiag_ends_fn *ends)
{
	unsigned int i, first = READ_ONCE(passes) * fidelity;

	memdiag_verdict_begin(verdict, pfn, nr);
	for (i = 0; i < fidelity; i++) {
		if (i && ends && ends())
			return false;
		memdiag_verdict_march(verdict, test, first + i);
	}
	/* What a CPU has tested that finds good memory bad is to be tested again. */
	if (!verdict->doubted)
		memsuite_alloc_stats_tested(pfn, nr, test->whole);
	atomic64_add(nr, &tested_pages);
	return true;
}

static void bandwidth_update(unsigned long nr, unsigned int fidelity, u64 ns)
{
	u64 speed = div64_u64((u64)nr * fidelity * NSEC_PER_SEC, max(ns, 1ULL));
	u64 average = READ_ONCE(bandwidth);

	WRITE_ONCE(bandwidth, average ? (7 * average + speed) / 8 : speed);
}

static void worker_test_block(struct worker *worker, struct memsuite_block *block)
{
	unsigned int fidelity = READ_ONCE(config.fidelity);
	unsigned long nr = 1UL << block->order;
	ktime_t begun = ktime_get();
	bool whole;

	whole = memdiag_worker_test(&worker->verdict, &worker->test, page_to_pfn(block->page),
				    nr, fidelity, memdiag_worker_ends);
	whole &= memdiag_extra_tests_run(&worker->verdict, READ_ONCE(passes) * fidelity, fidelity,
					 memdiag_worker_ends);
	if (whole)
		bandwidth_update(nr, fidelity, ktime_to_ns(ktime_sub(ktime_get(), begun)));
	atomic64_add(nr * fidelity, &sweep_work);
	if (page_to_nid(block->page) != numa_mem_id())
		atomic64_add(nr, &remote_pages);
	memdiag_worker_spend(nr);
	if (memdiag_verdict_report(&worker->verdict))
		memsuite_block_retire(block, worker->verdict.bad);
	else
		memsuite_block_give(block);
}

/* What a thread has run for is told by ticks and switches: of single blocks it tells nothing. */
static void worker_count_cpu(struct worker *worker)
{
	u64 ran_ns = READ_ONCE(current->se.sum_exec_runtime);

	atomic64_add(ran_ns - worker->ran_ns, &sweep_ns);
	worker->ran_ns = ran_ns;
}

static void cpu_speed_update(void)
{
	u64 pages = atomic64_xchg(&sweep_work, 0), ns = atomic64_xchg(&sweep_ns, 0);

	if (pages >= SPEED_PAGES)
		WRITE_ONCE(cpu_speed, div64_u64(pages * NSEC_PER_MSEC,
						div_u64(ns, MSEC_PER_SEC) + 1));
}

/* The last part that ends, ends the sweep. */
static void sweep_put_part(void)
{
	if (!atomic_dec_and_test(&parts_left))
		return;
	cpu_speed_update();
	memdiag_extra_tests_end_sweep();
	WRITE_ONCE(passes, passes + 1);
	WRITE_ONCE(sweeping, false);
}

/*
 * A zone that is short for a moment is gone on with, and one that stays short is left soon,
 * however large it is: each time, twice as much is passed.
 */
static void cursor_pass_short(struct cursor *cursor)
{
	struct memsuite_scan *scan = &cursor->scan;
	struct zone *zone = page_zone(pfn_to_page(scan->pfn));
	unsigned long next = ALIGN_DOWN(scan->pfn, pageblock_nr_pages) +
			     (pageblock_nr_pages << cursor->shorts);

	scan->pfn = max(scan->pfn + 1, min(next, zone_end_pfn(zone)));
	cursor->shorts = min(cursor->shorts + 1, SHORT_DOUBLINGS);
	cursor->rests_until = jiffies + SHORT_JIFFIES;
}

static int cursor_take_block(struct cursor *cursor, struct memsuite_block *block)
{
	int err;

	if (!cursor->open)
		return -ENOENT;
	if (time_before(jiffies, cursor->rests_until))
		return -EAGAIN;
	err = memsuite_block_take(&cursor->scan, block);
	if (err == -EAGAIN) {
		cursor_pass_short(cursor);
	} else if (err == -ENOENT) {
		cursor->open = false;
		sweep_put_part();
	} else if (!err) {
		cursor->shorts = 0;
		atomic_inc(&parts_left);
	}
	return err;
}

/*
 * Returns 0; -ENOENT: there is no more on this node; -EAGAIN: not now; -EBUSY: somebody waits
 * for what is held.
 */
static int cursor_next_block(struct cursor *cursor, struct memsuite_block *block)
{
	int err;

	mutex_lock(&cursor->lock);
	err = cursor_take_block(cursor, block);
	mutex_unlock(&cursor->lock);
	return err;
}

/* The node on which it looks for its next block first. */
static int worker_next_home(struct worker *worker)
{
	/* Without its own, all nodes in turn. */
	if (!READ_ONCE(memdiag_optimisations.node_local))
		worker->home = next_node_in(worker->home,
					    node_states[N_MEMORY]);
	return worker->home;
}

/* May be stale: a wrong answer costs speed only. */
static bool cursor_wants_help(const struct cursor *cursor)
{
	unsigned long left = cursor->scan.end - READ_ONCE(cursor->scan.pfn);

	return left > cursor->span / LAST_PART ||
	       time_after(jiffies, READ_ONCE(cursor->attended) +
				   ABSENT_JIFFIES);
}

/* 0, or why there is nothing to test on the node. */
static int worker_test_node(struct worker *worker, int nid)
{
	struct memsuite_block block;
	int err, token;

	if (nid != worker->home && READ_ONCE(memdiag_optimisations.node_local) &&
	    !cursor_wants_help(&cursors[nid]))
		return -ENOENT;
	token = memsuite_hold_begin();
	err = cursor_next_block(&cursors[nid], &block);
	if (!err) {
		worker_test_block(worker, &block);
		sweep_put_part();
	}
	memsuite_hold_end(token);
	return err;
}

/*
 * First its own node, then the others, which balances the work: all of which the sweep has begun
 * with, whether they have memory by now or not.
 */
static int worker_test_next(struct worker *worker)
{
	int nid = worker_next_home(worker), left = nodes_weight(sweep_nodes), err;

	WRITE_ONCE(cursors[nid].attended, jiffies);
	err = worker_test_node(worker, nid);
	while ((err == -ENOENT || err == -EAGAIN) && left--) {
		nid = next_node_in(nid, sweep_nodes);
		err = worker_test_node(worker, nid);
	}
	return err;
}

static bool worker_has_work(const struct worker *worker)
{
	return READ_ONCE(sweeping) && memdiag_worker_may_test() &&
	       worker->index < READ_ONCE(config.threads);
}

/* Those of @cpus whose finds are trusted, and that are nobody's own. */
static void worker_find_cpus(struct cpumask *wanted, const struct cpumask *cpus)
{
	cpumask_copy(wanted, cpus);
	memsuite_housekeeping_and(wanted);
	memdiag_testers_keep_trusted(wanted);
}

/* Those of its node; if none of them may test, of all. */
static void worker_set_affinity(struct worker *worker)
{
	bool local = READ_ONCE(memdiag_optimisations.node_local);
	unsigned int testers = memdiag_testers_version();
	cpumask_var_t wanted;

	if ((local == worker->local && testers == worker->testers) ||
	    !alloc_cpumask_var(&wanted, GFP_KERNEL))
		return;
	worker_find_cpus(wanted, local ? cpumask_of_node(worker->home) : cpu_possible_mask);
	if (!cpumask_intersects(wanted, cpu_online_mask))
		worker_find_cpus(wanted, cpu_possible_mask);
	set_cpus_allowed_ptr(current, wanted);
	free_cpumask_var(wanted);
	worker->local = local;
	worker->testers = testers;
}

static int worker_thread(void *data)
{
	struct worker *worker = data;
	u64 pass = U64_MAX;
	int err;

	worker->ran_ns = READ_ONCE(current->se.sum_exec_runtime);

	while (!kthread_should_stop()) {
		wait_event_interruptible(wait, kthread_should_stop() ||
					 worker_has_work(worker));
		if (kthread_should_stop())
			break;
		if (pass != READ_ONCE(passes)) {
			pass = READ_ONCE(passes);
			memdiag_algorithm_get(&worker->test);
		}
		worker_set_affinity(worker);
		memdiag_worker_enter();
		err = worker_test_next(worker);
		worker_count_cpu(worker);
		memdiag_worker_leave();
		/* Others may still test the last blocks of the sweep. */
		if (err)
			schedule_timeout_interruptible(SHORT_JIFFIES);
		/* Unhooking a function waits for every task to pass here. */
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

bool memdiag_worker_sweeping(void)
{
	return READ_ONCE(sweeping);
}

/* The lowest orders are asked for most; the others are split from the highest. */
static unsigned int sweep_orders(void)
{
	return READ_ONCE(memdiag_optimisations.skip_middle) ?
		BIT(0) | BIT(1) | BIT(2) | BIT(MEMSUITE_MAX_ORDER - 1) |
		BIT(MEMSUITE_MAX_ORDER) : MEMSUITE_ANY_ORDER;
}

void memdiag_worker_sweep(void)
{
	/* A block tested later than this comes again in time. */
	unsigned int min_age_s = READ_ONCE(memdiag_test_lifetime_s) / 4;
	int nid;

	if (memdiag_extra_tests_begin_sweep())
		min_age_s = 0;
	memdiag_bad_pages_retire_again(false);

	/* The tests of pages that wait in pools and lists expire as well. */
	if (READ_ONCE(memdiag_optimisations.recycle)) {
		memsuite_pools_recycle();
		memsuite_block_drain();
	}
	/* Memory may come and go meanwhile. */
	sweep_nodes = node_states[N_MEMORY];
	atomic_set(&parts_left, nodes_weight(sweep_nodes));
	WRITE_ONCE(sweep_begun, jiffies);
	/* First: who is still about may end all parts before the last one is open. */
	WRITE_ONCE(sweeping, true);
	for_each_node_mask(nid, sweep_nodes) {
		mutex_lock(&cursors[nid].lock);
		cursors[nid].scan = (struct memsuite_scan) {
			.pfn = node_start_pfn(nid),
			.end = node_end_pfn(nid),
			.orders = sweep_orders(),
			.nid = nid,
			.migratetypes = MEMSUITE_ANY_MIGRATETYPE,
			.min_age_s = min_age_s,
		};
		cursors[nid].span = node_spanned_pages(nid);
		cursors[nid].attended = jiffies;
		cursors[nid].rests_until = jiffies;
		cursors[nid].shorts = 0;
		cursors[nid].open = true;
		mutex_unlock(&cursors[nid].lock);
	}
	wake_up_all(&wait);
}

/* Frames that the sweep has passed, and all of its frames; no frames if there is none. */
static void sweep_progress(unsigned long *done, unsigned long *total)
{
	int nid;

	*done = 0;
	*total = 0;

	mutex_lock(&cursors_lock);
	for_each_node_state(nid, N_MEMORY) {
		if (!cursors || !READ_ONCE(sweeping))
			break;
		*total += node_spanned_pages(nid);
		*done += min(READ_ONCE(cursors[nid].scan.pfn) -
			     node_start_pfn(nid), node_spanned_pages(nid));
	}
	mutex_unlock(&cursors_lock);
}

unsigned int memdiag_worker_progress_pct(void)
{
	unsigned long done, total;

	sweep_progress(&done, &total);
	if (!total)
		return READ_ONCE(passes) ? 100 : 0;
	return done * 100 / total;
}

u64 memdiag_worker_eta_s(void)
{
	u64 elapsed = jiffies - READ_ONCE(sweep_begun);
	unsigned long done, total;

	sweep_progress(&done, &total);
	return done ? div64_u64(elapsed * (total - done), (u64)done * HZ) : 0;
}

static void workers_stop(void)
{
	while (nr_workers)
		kthread_stop(workers[--nr_workers].task);
}

static int workers_start(unsigned int nr)
{
	int nid = first_memory_node;
	struct worker *worker;

	for (; nr_workers < nr; nr_workers++) {
		worker = &workers[nr_workers];
		worker->index = nr_workers;
		worker->home = nid;
		worker->testers = memdiag_testers_version();
		worker->task = kthread_create_on_node(worker_thread, worker, nid,
						      "memdiag/%u", nr_workers);
		if (IS_ERR(worker->task)) {
			workers_stop();
			return -ENOMEM;
		}
		set_user_nice(worker->task, MAX_NICE);
		wake_up_process(worker->task);
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

int memdiag_worker_start(void)
{
	unsigned int nr = min(count_cores(), MEMDIAG_WORKERS_MAX);
	int nid, err = -ENOMEM;

	workers = kvcalloc(nr, sizeof(*workers), GFP_KERNEL);
	mutex_lock(&cursors_lock);
	cursors = kcalloc(nr_node_ids, sizeof(*cursors), GFP_KERNEL);
	mutex_unlock(&cursors_lock);
	if (!workers || !cursors)
		goto err;
	for (nid = 0; nid < nr_node_ids; nid++)
		mutex_init(&cursors[nid].lock);
	WRITE_ONCE(sweeping, false);
	memdiag_testers_begin();
	err = workers_start(nr);
	if (!err)
		return 0;
err:
	memdiag_worker_stop();
	return err;
}

void memdiag_worker_stop(void)
{
	workers_stop();
	mutex_lock(&cursors_lock);
	kfree(cursors);
	cursors = NULL;
	mutex_unlock(&cursors_lock);
	kvfree(workers);
	workers = NULL;
}

unsigned int memdiag_worker_fidelity(void)
{
	return READ_ONCE(config.fidelity);
}

unsigned int memdiag_worker_threads_max(void)
{
	return nr_workers;
}

unsigned int memdiag_worker_threads(void)
{
	return READ_ONCE(config.threads);
}

u64 memdiag_worker_bandwidth(void)
{
	return READ_ONCE(bandwidth);
}

u64 memdiag_worker_cpu_speed(void)
{
	return READ_ONCE(cpu_speed);
}

u64 memdiag_worker_tested_pages(void)
{
	return atomic64_read(&tested_pages);
}

u64 memdiag_worker_remote_pages(void)
{
	return atomic64_read(&remote_pages);
}

u64 memdiag_worker_passes(void)
{
	return READ_ONCE(passes);
}
