// SPDX-License-Identifier: GPL-2.0-only
/*
 * The test controller (Asteroid, section 5.2.4): begins the sweeps, watches
 * the demand for memory, and configures the workers so that they keep up.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/vmstat.h>

#include <compat/compat.h>
#include <memsuite/alloc_stats.h>
#include <memsuite/control.h>
#include <memsuite/pool_inspect.h>

#include "paths/address_bits.h"
#include "paths/controller.h"
#include "paths/inuse.h"
#include "paths/pretest_pool.h"
#include "sched/backoff.h"
#include "sched/census.h"
#include "sched/comet.h"
#include "sched/control_policy.h"
#include "sched/extra_tests.h"
#include "sched/psi_backoff.h"
#include "sched/registry.h"
#include "sched/test_lifetime.h"
#include "sched/worker.h"

#define PAGES_PER_MIB	(1024 * 1024 / PAGE_SIZE)

/* How much of the memory's bandwidth the workers may take by default. */
#define BANDWIDTH_MIB_S	2048

/* More than any machine can test. */
#define OVERDUE_PAGES_S	U32_MAX

/* What the administrator has set; each is read and written by itself. */
static struct memdiag_limits limits = {
	.fixed = { .fidelity = 1, .threads = 1 },
	.user = { .fidelity = 1, .threads = 1 },
	.max_threads = 4, .min_fidelity = 1, .max_fidelity = 32,
};

/* COMeT's threshold (th): what a list may give in an interval at ease; and its minimum rate. */
static unsigned int comet_threshold_pages = 64;
static unsigned int comet_minimum_pages_s;

static unsigned int demand_alpha_pct = 200;	/* table 6 */
static unsigned int monitor_ms = 25;
static unsigned int policy_ms = 1000;
static unsigned int bandwidth_mib_s;
static unsigned int user_timeout_ms = 10000;
static unsigned long user_chose;		/* jiffies */

/**
 * struct monitor - what was seen at the last monitoring
 * @counts: the demand until then
 * @time: when
 * @last: pages allocated in the last interval
 * @average: moving average of these
 * @lists: COMeT's rates
 * @stale: pages returned without a good test when the last sweep began
 * @moved: pages moved when the last sweep began
 * @free: free pages when it began
 * @passes: sweeps that had ended when the controller began
 */
static struct monitor {
	struct memsuite_alloc_stats_counts counts;
	ktime_t time;
	u64 last;
	u64 average;
	struct memdiag_comet_list lists[MEMSUITE_MAX_ORDER + 1];
	u64 stale;
	u64 moved;
	u64 free;
	u64 passes;
} monitor;

static struct task_struct *thread;
static u64 request_pages_s;
static unsigned int ops = 1;	/* accesses to a word at fidelity 1 */
static u64 alarms;

static u64 sum_orders(const u64 *pages)
{
	u64 sum = 0;
	int order;

	for (order = 0; order <= MEMSUITE_MAX_ORDER; order++)
		sum += pages[order];
	return sum;
}

/*
 * A sweep begins when seven sixteenths of a lifetime are over, and leaves out
 * what was tested in the last quarter: one that is through in a quarter finds
 * all tests in time. If contents of memory in use are moved, one in an eighth,
 * for then there are always pages that they can be moved to.
 */
static unsigned int sweep_parts(void)
{
	return memdiag_inuse_moves() ? 8 : 4;
}

/*
 * Free memory, once in that time: all that there was, or there would be ever less to do. And what
 * is in use, in half of a lifetime: it is moved when not quite three quarters are over, and much
 * of it may have been tested at once.
 */
static u64 guarantee_pages_s(void)
{
	u64 free = max_t(u64, global_zone_page_state(NR_FREE_PAGES), monitor.free);
	u64 pages = free * sweep_parts();

	if (memdiag_inuse_moves())
		pages += (totalram_pages() - min_t(u64, free, totalram_pages())) * 2;
	return pages / READ_ONCE(memdiag_test_lifetime_s) + 1;
}

/* Of each list: what was set, or the guarantee rate of all of them together (table 1). */
static u64 comet_minimum(u64 ms)
{
	u64 set = READ_ONCE(comet_minimum_pages_s);

	return (set ?: guarantee_pages_s() / (MEMSUITE_MAX_ORDER + 1)) * ms / MSEC_PER_SEC + 1;
}

static u64 comet_pages(const struct memsuite_alloc_stats_counts *now, u64 ms)
{
	u64 minimum = comet_minimum(ms);
	u64 most = max(memdiag_worker_bandwidth() * ms / MSEC_PER_SEC, minimum);
	u64 pages = 0;
	int order;

	for (order = 0; order <= MEMSUITE_MAX_ORDER; order++) {
		memdiag_comet_adjust(&monitor.lists[order],
				     now->allocated[order] -
				     monitor.counts.allocated[order],
				     now->untested[order] -
				     monitor.counts.untested[order],
				     READ_ONCE(comet_threshold_pages), minimum, most);
		pages += monitor.lists[order].rate;
	}
	return pages;
}

/* What the workers can do if nothing holds them back. */
static u64 workers_full_speed(void)
{
	return memdiag_worker_bandwidth() * memdiag_worker_threads() / memdiag_worker_fidelity();
}

/* Until the first sweep is over, all free memory is overdue. */
static u64 controller_request(void)
{
	return memdiag_worker_passes() == monitor.passes ? OVERDUE_PAGES_S :
						   READ_ONCE(request_pages_s);
}

/* What memory may be read and written, in pages tested in a second at fidelity 1. */
static u64 memory_pages_s(void)
{
	u64 mib_s = READ_ONCE(bandwidth_mib_s) ?: BANDWIDTH_MIB_S;

	return div_u64(mib_s * PAGES_PER_MIB, READ_ONCE(ops)) + 1;
}

/*
 * What CPUs may take, likewise. That is on average: of the time between the
 * beginnings of two sweeps, a sweep has its part alone.
 */
static u64 cpu_pages_s(void)
{
	u64 pages = memdiag_worker_cpu_speed() * memdiag_lifetime_cpu_pct();

	return div_u64(pages * 7 * sweep_parts(), 16 * 100);
}

/*
 * Pages that may be tested in a second at fidelity 1. All that is requested is
 * tested, unless the administrator has set a limit.
 */
static u64 budget_pages_s(void)
{
	if (READ_ONCE(bandwidth_mib_s))
		return memory_pages_s();
	return max(min(memory_pages_s(), cpu_pages_s()),
		   controller_request() * READ_ONCE(limits.min_fidelity));
}

/* What the workers may do until the next monitoring. */
static void controller_pace(const struct memsuite_alloc_stats_counts *now, u64 ms)
{
	u64 budget = div_u64(budget_pages_s(), memdiag_worker_fidelity());
	u64 least = guarantee_pages_s() * ms / MSEC_PER_SEC + 1, pages;
	unsigned int share_pct = memdiag_psi_share_pct();
	bool comet = memdiag_registry_replenishes();

	if (budget >= workers_full_speed() && !comet && share_pct == 100) {
		memdiag_worker_unpace();
		return;
	}
	pages = comet ? comet_pages(now, ms) :
			workers_full_speed() * ms / MSEC_PER_SEC;
	pages = min(max(pages, least), budget * ms / MSEC_PER_SEC + 1);
	pages = memdiag_backoff_pages(pages, least, share_pct);
	/* Unused grants are kept for a second. */
	memdiag_worker_grant(pages, max(2 * pages, pages * MSEC_PER_SEC / ms));
}

static void controller_watch(void)
{
	static struct memsuite_alloc_stats_counts now;
	ktime_t time = ktime_get();
	u64 ms = max_t(s64, ktime_ms_delta(time, monitor.time), 1);
	struct memdiag_demand demand;
	u64 wanted;

	memdiag_psi_watch();
	memsuite_alloc_stats_read(&now);
	demand.interval_ms = ms;
	demand.previous = monitor.last;
	demand.allocated = sum_orders(now.allocated) -
			   sum_orders(monitor.counts.allocated);
	monitor.average = (7 * monitor.average + demand.allocated) / 8;
	demand.average = monitor.average;
	/* Section 5.2.4.2: react to bursts, do not fall with every valley. */
	wanted = max(demand.allocated * READ_ONCE(demand_alpha_pct) / 100,
		     monitor.average / 2);
	demand.request = wanted * MSEC_PER_SEC / ms + guarantee_pages_s();
	WRITE_ONCE(request_pages_s, demand.request);
	if (memdiag_registry_alarmed(&demand)) {
		WRITE_ONCE(alarms, alarms + 1);
		memdiag_worker_configure(memdiag_policy_emergency(&limits));
	}
	controller_pace(&now, ms);
	monitor.last = demand.allocated;
	monitor.counts = now;
	monitor.time = time;
}

static bool daemon_alive(void)
{
	unsigned int timeout = READ_ONCE(user_timeout_ms);

	return !timeout || time_before(jiffies, READ_ONCE(user_chose) +
						msecs_to_jiffies(timeout));
}

static void controller_decide(void)
{
	struct memdiag_limits now = limits;
	struct memdiag_load load;
	bool on_demand;

	WRITE_ONCE(ops, max(memdiag_extra_tests_ops(), 1U));
	load = (struct memdiag_load) {
		.request = controller_request(),
		.bandwidth = memdiag_worker_bandwidth(),
		.budget = budget_pages_s(),
	};
	memdiag_lifetime_update(memdiag_worker_cpu_speed(), now.min_fidelity, memory_pages_s(),
				sweep_parts());
	memdiag_psi_decide();
	now.user_alive = daemon_alive();
	now.max_threads = min(now.max_threads, memdiag_worker_threads_max());
	now.max_fidelity = memdiag_backoff_fidelity(now.min_fidelity, now.max_fidelity,
						    memdiag_psi_share_pct());
	memdiag_worker_configure(memdiag_registry_choose(&now, &load, &on_demand));
	memsuite_pools_prefill(!on_demand);
}

/*
 * A sweep is due when seven sixteenths of a lifetime are over, and sooner when
 * much memory came back from its users without a good test. A page in use is
 * moved when three quarters of the lifetime are over: an eighth is left for its
 * frame to wait for a sweep, and an eighth for the sweep.
 */
static bool controller_sweep_due(unsigned long begun)
{
	unsigned long lifetime = READ_ONCE(memdiag_test_lifetime_s) * HZ;
	u64 stale = sum_orders(monitor.counts.stale) - monitor.stale;

	if (time_after_eq(jiffies, begun + lifetime / 16 * 7) || memdiag_extra_tests_due())
		return true;
	if (memdiag_inuse_moved_pages() != monitor.moved &&
	    time_after_eq(jiffies, begun + lifetime / 8))
		return true;
	return stale > totalram_pages() / 8 &&
	       time_after_eq(jiffies, begun + lifetime / 16);
}

/*
 * Watch, and tell how long to wait until the next time: counts of many CPUs and nodes take a
 * while to read, and that is no more than a hundredth of a CPU.
 */
static unsigned int controller_watch_ms(void)
{
	ktime_t begun = ktime_get();

	controller_watch();
	return max_t(s64, READ_ONCE(monitor_ms),
		     ktime_us_delta(ktime_get(), begun) * 100 / USEC_PER_MSEC);
}

static void controller_begin_sweep(void)
{
	monitor.stale = sum_orders(monitor.counts.stale);
	monitor.moved = memdiag_inuse_moved_pages();
	monitor.free = global_zone_page_state(NR_FREE_PAGES);
	memdiag_worker_sweep();
}

static int controller_run(void *unused)
{
	unsigned long decided = jiffies, begun = jiffies;
	u64 passes = monitor.passes;
	unsigned int watch_ms;
	bool first = true;

	while (!kthread_should_stop()) {
		watch_ms = controller_watch_ms();
		if (passes != memdiag_worker_passes()) {
			passes = memdiag_worker_passes();
			memdiag_census_renew();
		}
		if (!memdiag_worker_sweeping() && (first || controller_sweep_due(begun))) {
			begun = jiffies;
			first = false;
			controller_begin_sweep();
		}
		if (time_after_eq(jiffies, decided)) {
			controller_decide();
			decided = jiffies +
				  msecs_to_jiffies(READ_ONCE(policy_ms));
		}
		schedule_timeout_interruptible(msecs_to_jiffies(watch_ms));
	}
	return 0;
}

static int controller_start_thread(void)
{
	memset(&monitor, 0, sizeof(monitor));
	memsuite_alloc_stats_read(&monitor.counts);
	monitor.time = ktime_get();
	monitor.passes = memdiag_worker_passes();
	memdiag_psi_begin();
	thread = kthread_run(controller_run, NULL, "memdiag-control");
	if (!IS_ERR(thread))
		return 0;
	thread = NULL;
	return -ENOMEM;
}

int memdiag_controller_start(void)
{
	int err = memsuite_alloc_stats_start(memdiag_test_lifetime_s);

	if (err)
		return err;
	memdiag_pretest_start();
	err = memdiag_worker_start();
	if (err)
		goto err_worker;
	err = memdiag_inuse_start();
	if (err)
		goto err_inuse;
	err = memdiag_address_bits_start();
	if (err)
		goto err_address_bits;
	err = controller_start_thread();
	if (err)
		goto err_thread;
	memdiag_census_restart();
	return 0;

err_thread:
	memdiag_address_bits_stop();
err_address_bits:
	memdiag_inuse_stop();
err_inuse:
	memdiag_worker_stop();
err_worker:
	memdiag_pretest_stop();
	memsuite_alloc_stats_stop();
	return err;
}

void memdiag_controller_stop(void)
{
	if (!thread)
		return;
	kthread_stop(thread);
	thread = NULL;
	memdiag_address_bits_stop();
	memdiag_inuse_stop();
	memdiag_worker_stop();
	memdiag_pretest_stop();
	memsuite_pools_prefill(true);
	memsuite_alloc_stats_stop();
	memdiag_census_restart();
}

bool memdiag_controller_running(void)
{
	return thread;
}

static ssize_t user_config_show(struct kobject *kobj,
				struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u %u\n", READ_ONCE(limits.user.fidelity),
			  READ_ONCE(limits.user.threads));
}

/* "FIDELITY THREADS" */
static ssize_t user_config_store(struct kobject *kobj,
				 struct kobj_attribute *attr, const char *buf,
				 size_t count)
{
	char line[32], *threads = line, *fidelity;
	struct memdiag_config config;
	int err;

	if (memsuite_parse_line(buf, count, line, sizeof(line)))
		return -EINVAL;
	fidelity = strsep(&threads, " ");
	if (!threads)
		return -EINVAL;
	err = kstrtouint(fidelity, 10, &config.fidelity);
	if (!err)
		err = kstrtouint(threads, 10, &config.threads);
	if (err)
		return err;
	if (!config.fidelity || config.fidelity > MEMDIAG_FIDELITY_MAX ||
	    config.threads > MEMDIAG_WORKERS_MAX)
		return -ERANGE;
	WRITE_ONCE(limits.user.fidelity, config.fidelity);
	WRITE_ONCE(limits.user.threads, config.threads);
	WRITE_ONCE(user_chose, jiffies);
	return count;
}

MEMSUITE_ATTR_NUMBER(fixed_fidelity, limits.fixed.fidelity, 1, MEMDIAG_FIDELITY_MAX);
MEMSUITE_ATTR_NUMBER(fixed_threads, limits.fixed.threads, 0, MEMDIAG_WORKERS_MAX);
MEMSUITE_ATTR_NUMBER(user_timeout_ms, user_timeout_ms, 0, 24 * 3600 * 1000);
MEMSUITE_ATTR_NUMBER(max_threads, limits.max_threads, 1, MEMDIAG_WORKERS_MAX);
MEMSUITE_ATTR_NUMBER(min_fidelity, limits.min_fidelity, 1, limits.max_fidelity);
MEMSUITE_ATTR_NUMBER(max_fidelity, limits.max_fidelity, limits.min_fidelity,
		     MEMDIAG_FIDELITY_MAX);
MEMSUITE_ATTR_NUMBER(emergency_fidelity, limits.emergency.fidelity, 0, MEMDIAG_FIDELITY_MAX);
MEMSUITE_ATTR_NUMBER(emergency_threads, limits.emergency.threads, 0, MEMDIAG_WORKERS_MAX);
MEMSUITE_ATTR_NUMBER(burst_factor_pct, memdiag_burst.factor_pct, 100, 100000);
MEMSUITE_ATTR_NUMBER(burst_pages, memdiag_burst.pages, 1, U32_MAX);
MEMSUITE_ATTR_NUMBER(comet_threshold_pages, comet_threshold_pages, 1, U32_MAX);
MEMSUITE_ATTR_NUMBER(comet_minimum_pages_s, comet_minimum_pages_s, 0, U32_MAX);
MEMSUITE_ATTR_NUMBER(demand_alpha_pct, demand_alpha_pct, 100, 10000);
MEMSUITE_ATTR_NUMBER(monitor_ms, monitor_ms, 1, 10000);
MEMSUITE_ATTR_NUMBER(policy_ms, policy_ms, 10, 60000);
MEMSUITE_ATTR_NUMBER(bandwidth_mib_s, bandwidth_mib_s, 0, 1024 * 1024);

MEMSUITE_ATTR_NUMBER(pressure_memory_pct, memdiag_psi_limits.memory, 0, 100);
MEMSUITE_ATTR_NUMBER(pressure_cpu_pct, memdiag_psi_limits.cpu, 0, 100);

MEMSUITE_ATTR_NUMBER_RO(fidelity, memdiag_worker_fidelity());
MEMSUITE_ATTR_NUMBER_RO(threads, memdiag_worker_threads());
MEMSUITE_ATTR_NUMBER_RO(request_pages_s, READ_ONCE(request_pages_s));
MEMSUITE_ATTR_NUMBER_RO(bandwidth_pages_s, memdiag_worker_bandwidth());
MEMSUITE_ATTR_NUMBER_RO(remote_pages, memdiag_worker_remote_pages());
MEMSUITE_ATTR_NUMBER_RO(alarms, READ_ONCE(alarms));
MEMSUITE_ATTR_NUMBER_RO(share_pct, memdiag_psi_share_pct());
MEMSUITE_ATTR_NUMBER_RO(backoffs, memdiag_psi_backoffs());

static struct kobj_attribute user_config_attr = __ATTR_RW(user_config);

static struct attribute *control_attrs[] = {
	&memdiag_policy_attr.attr, &memdiag_available_policies_attr.attr,
	&memdiag_available_alarms_attr.attr,
	&fixed_fidelity_attr.attr, &fixed_threads_attr.attr,
	&user_config_attr.attr, &user_timeout_ms_attr.attr,
	&max_threads_attr.attr, &min_fidelity_attr.attr,
	&max_fidelity_attr.attr, &emergency_fidelity_attr.attr,
	&emergency_threads_attr.attr, &burst_factor_pct_attr.attr,
	&burst_pages_attr.attr, &comet_threshold_pages_attr.attr,
	&comet_minimum_pages_s_attr.attr, &demand_alpha_pct_attr.attr,
	&monitor_ms_attr.attr, &policy_ms_attr.attr,
	&bandwidth_mib_s_attr.attr, &fidelity_attr.attr, &threads_attr.attr,
	&request_pages_s_attr.attr, &bandwidth_pages_s_attr.attr,
	&remote_pages_attr.attr, &alarms_attr.attr, &pressure_memory_pct_attr.attr,
	&pressure_cpu_pct_attr.attr, &memdiag_memory_stall_pct_attr.attr,
	&memdiag_cpu_stall_pct_attr.attr, &share_pct_attr.attr, &backoffs_attr.attr,
	NULL
};

const struct attribute_group memdiag_control_group = {
	.name = "control",
	.attrs = control_attrs,
};
