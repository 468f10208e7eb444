// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accesses to memory that the processors count: those of programs that miss the
 * last cache. There is a counter on each CPU, which counts whoever runs there;
 * when a task leaves the CPU, its policy is charged with what was added.
 *
 * Counters of tasks would do that in the PMU's own context switch, but would have
 * to be made for each thread of each process, those of a machine or a cgroup
 * among them, and be written to the PMU at each switch. These are only read.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/math64.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <compat/compat.h>
#include <memsuite/control.h>
#include <memsuite/perf_counter.h>
#include <memsuite/tracepoints.h>

#include "energy/access_counters.h"
#include "policy/policy.h"
#include "vipzone.h"

#define CACHE_MISS(op)							\
	(PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_##op << 8 |	\
	 PERF_COUNT_HW_CACHE_RESULT_MISS << 16)
#define SCALE_SHIFT	20

enum source {
	SOURCE_TOUCHES,
	SOURCE_PMU,
};

static const char * const sources[] = {
	[SOURCE_TOUCHES] = "touches",
	[SOURCE_PMU] = "pmu",
};

/**
 * struct events - what is counted
 * @event: reads, and writes; or both, and nothing
 * @nr: how many of them there are
 */
struct events {
	struct memsuite_perf_event event[LEDGER_KINDS];
	unsigned int nr;
};

/*
 * The best first. Misses of "node" are accesses to another node's memory, and so
 * not all.
 */
static const struct events candidates[] = {
	{
		.nr = 2,
		.event[LEDGER_READ] = {
			.type = PERF_TYPE_HW_CACHE, .config = CACHE_MISS(READ),
		},
		.event[LEDGER_WRITE] = {
			.type = PERF_TYPE_HW_CACHE, .config = CACHE_MISS(WRITE),
		},
	},
	{
		.nr = 1,
		.event[LEDGER_READ] = {
			.type = PERF_TYPE_HARDWARE,
			.config = PERF_COUNT_HW_CACHE_MISSES,
		},
	},
};

/**
 * struct tally - of a CPU
 * @last: what its counters said when somebody was last charged
 */
struct tally {
	u64 last[LEDGER_KINDS];
};

static DEFINE_PER_CPU(struct tally, tallies);
static DEFINE_MUTEX(meter_lock);	/* of what follows */
static enum source source;
static struct events events;		/* as long as it counts, the same */
static bool wanted;
static bool counting;			/* and is looked at by anybody */
static struct memsuite_perf_counter counters[LEDGER_KINDS];
static u64 enabled_ns, running_ns;	/* of all counters, at the last round */
static u64 all_enabled_ns, all_running_ns;	/* since it counts */
static u64 scale = 1 << SCALE_SHIFT;	/* and is looked at by anybody */

/* Since the last time. Interrupts are off. */
static u64 take(unsigned int kind)
{
	u64 *last = this_cpu_ptr(&tallies.last[kind]), was = *last;

	*last = memsuite_perf_counter_count(&counters[kind]);
	/* A CPU that has gone and come has a new one. */
	return *last < was ? *last : *last - was;
}

/*
 * A program that is exiting has handed its address space back, but lives in it
 * up to the last switch.
 */
static struct mm_struct *mm_of(const struct task_struct *task)
{
	if (task->mm || task->flags & PF_KTHREAD)
		return task->mm;
	return task->active_mm;
}

/* @task is current. Interrupts are off. */
static void charge(const struct task_struct *task)
{
	struct mm_struct *mm = mm_of(task);
	struct policy *policy;
	u64 counted[LEDGER_KINDS];
	unsigned int i;

	/* In any case: what others did is not for the next one. */
	for (i = 0; i < events.nr; i++)
		counted[i] = take(i);
	rcu_read_lock();
	policy = mm ? policy_of(mm) : NULL;
	for (i = 0; policy && i < events.nr; i++)
		this_cpu_add(policy->stats->counted[i], counted[i]);
	rcu_read_unlock();
}

static void on_switch(void *data, bool preempt, struct task_struct *prev)
{
	charge(prev);
}

static struct memsuite_tracepoint probes[] = {
	{ .name = "sched_switch", .function = on_switch },
};

static void charge_current(void *unused)
{
	charge(current);
}

void meter_exiting(void)
{
	unsigned long flags;

	local_irq_save(flags);
	if (READ_ONCE(counting))
		charge(current);
	local_irq_restore(flags);
}

/* Under meter_lock, as all that follows. */
static void close(unsigned int nr)
{
	while (nr--)
		memsuite_perf_counter_close(&counters[nr]);
}

static int open(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < events.nr; i++) {
		counters[i].event = events.event[i];
		err = memsuite_perf_counter_open(&counters[i]);
		if (err) {
			close(i);
			return err;
		}
	}
	return 0;
}

static void forget(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&tallies, cpu), 0, sizeof(struct tally));
	enabled_ns = 0;
	running_ns = 0;
	all_enabled_ns = 0;
	all_running_ns = 0;
	WRITE_ONCE(scale, 1 << SCALE_SHIFT);
}

static int start(void)
{
	int err;

	forget();
	err = open();
	if (err)
		return err;
	err = memsuite_tracepoints_register(probes, ARRAY_SIZE(probes));
	if (err) {
		close(events.nr);
		return err;
	}
	WRITE_ONCE(counting, true);
	return 0;
}

static void stop(void)
{
	on_each_cpu(charge_current, NULL, 1);
	WRITE_ONCE(counting, false);
	memsuite_tracepoints_unregister(probes, ARRAY_SIZE(probes));
	/* Tasks that are exiting. */
	synchronize_rcu();
	close(events.nr);
}

static int follow(void)
{
	bool should = wanted && source == SOURCE_PMU;

	if (should && !counting)
		return start();
	if (!should && counting)
		stop();
	return 0;
}

int meter_want(bool want)
{
	int err;

	mutex_lock(&meter_lock);
	wanted = want;
	err = follow();
	if (err)
		wanted = false;
	mutex_unlock(&meter_lock);
	return err;
}

bool meter_counts(void)
{
	return READ_ONCE(counting);
}

bool meter_is_apart(void)
{
	return READ_ONCE(events.nr) > 1;
}

u64 meter_scaled(u64 counted)
{
	return mul_u64_u64_shr(counted, READ_ONCE(scale), SCALE_SHIFT);
}

/* A sum is less than the last one if CPUs have gone: that round tells nothing. */
static void read_times(void)
{
	u64 enabled = 0, running = 0, e, r;
	unsigned int i;
	int cpu;

	for_each_online_cpu(cpu)
		for (i = 0; i < events.nr; i++) {
			memsuite_perf_counter_time(&counters[i], cpu, &e, &r);
			enabled += e;
			running += r;
		}
	if (enabled > enabled_ns && running > running_ns) {
		WRITE_ONCE(scale,
			   mul_u64_u64_div_u64(enabled - enabled_ns,
					       1 << SCALE_SHIFT,
					       running - running_ns));
		all_running_ns += running - running_ns;
	}
	if (enabled > enabled_ns)
		all_enabled_ns += enabled - enabled_ns;
	enabled_ns = enabled;
	running_ns = running;
}

void meter_round(void)
{
	unsigned int i;

	mutex_lock(&meter_lock);
	if (counting) {
		for (i = 0; i < events.nr; i++)
			memsuite_perf_counter_cover(&counters[i]);
		on_each_cpu(charge_current, NULL, 1);
		read_times();
	}
	mutex_unlock(&meter_lock);
}

static bool is_usable(const struct events *which)
{
	unsigned int i;

	for (i = 0; i < which->nr; i++) {
		struct memsuite_perf_counter one = { .event = which->event[i] };

		if (memsuite_perf_counter_try(&one))
			return false;
	}
	return true;
}

void meter_init(void)
{
	unsigned int i;

	events = candidates[0];
	for (i = 0; i < ARRAY_SIZE(candidates); i++)
		if (is_usable(&candidates[i])) {
			events = candidates[i];
			source = SOURCE_PMU;
			return;
		}
}

static int refuse(const struct events *which)
{
	const struct memsuite_perf_event *read = &which->event[0];
	const struct memsuite_perf_event *write = &which->event[1];

	pr_warn_ratelimited("accesses: this machine does not count event %u:0x%llx:0x%llx, or %u:0x%llx:0x%llx; write what it does to read_event and write_event\n",
			    read->type, read->config, read->config1,
			    write->type, write->config, write->config1);
	return -EOPNOTSUPP;
}

static ssize_t source_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%s\n", sources[READ_ONCE(source)]);
}

static ssize_t source_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	int new = sysfs_match_string(sources, buf), err = 0;

	if (new < 0)
		return new;
	mutex_lock(&meter_lock);
	if (new == SOURCE_PMU && !is_usable(&events))
		err = refuse(&events);
	if (!err) {
		WRITE_ONCE(source, new);
		err = follow();
	}
	if (err)
		WRITE_ONCE(source, SOURCE_TOUCHES);
	mutex_unlock(&meter_lock);
	return err ?: count;
}

static int set_events(const struct events *new)
{
	if (counting)
		return -EBUSY;
	if (source == SOURCE_PMU && !is_usable(new))
		return refuse(new);
	events = *new;
	return 0;
}

static ssize_t read_event_show(struct kobject *kobj,
			       struct kobj_attribute *attr, char *buf)
{
	return memsuite_perf_event_show(&events.event[LEDGER_READ], buf);
}

static ssize_t read_event_store(struct kobject *kobj,
				struct kobj_attribute *attr, const char *buf,
				size_t count)
{
	struct events new;
	int err;

	mutex_lock(&meter_lock);
	new = events;
	err = memsuite_perf_event_store(buf, count, &new.event[LEDGER_READ]);
	if (!err)
		err = set_events(&new);
	mutex_unlock(&meter_lock);
	return err ?: count;
}

static ssize_t write_event_show(struct kobject *kobj,
				struct kobj_attribute *attr, char *buf)
{
	if (!meter_is_apart())
		return sysfs_emit(buf, "none\n");
	return memsuite_perf_event_show(&events.event[LEDGER_WRITE], buf);
}

static ssize_t write_event_store(struct kobject *kobj,
				 struct kobj_attribute *attr, const char *buf,
				 size_t count)
{
	struct events new;
	int err = 0;

	mutex_lock(&meter_lock);
	new = events;
	new.nr = sysfs_streq(buf, "none") ? 1 : 2;
	if (new.nr > 1)
		err = memsuite_perf_event_store(buf, count, &new.event[LEDGER_WRITE]);
	if (!err)
		err = set_events(&new);
	mutex_unlock(&meter_lock);
	return err ?: count;
}

static u64 running_pct(void)
{
	u64 pct = 100;

	mutex_lock(&meter_lock);
	if (all_enabled_ns)
		pct = mul_u64_u64_div_u64(all_running_ns, 100, all_enabled_ns);
	mutex_unlock(&meter_lock);
	return pct;
}

static struct kobj_attribute source_attr = __ATTR_RW(source);
static struct kobj_attribute read_event_attr = __ATTR_RW(read_event);
static struct kobj_attribute write_event_attr = __ATTR_RW(write_event);
MEMSUITE_ATTR_NUMBER_RO(running_pct, running_pct());
MEMSUITE_ATTR_NUMBER_RO(undivided, policies_undivided());

static struct attribute *meter_attrs[] = {
	&source_attr.attr, &read_event_attr.attr, &write_event_attr.attr,
	&running_pct_attr.attr, &undivided_attr.attr, NULL
};

const struct attribute_group meter_group = {
	.name = "accesses",
	.attrs = meter_attrs,
};
