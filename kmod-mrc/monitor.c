// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters whose samples tell which address was accessed, one on each CPU for
 * all targets. Processors have such events (PEBS, IBS); so does the kernel, for
 * page faults.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <compat/perf.h>

#include "mrc.h"
#include "samples.h"

/* Intel, from Haswell on: MEM_INST_RETIRED.ALL_LOADS. AMD's PMU has a number. */
static struct mrc_event event = { .type = PERF_TYPE_RAW, .config = 0x81d0 };
u32 mrc_sample_period = 200003;		/* a prime: programs count in round numbers */

static DEFINE_MUTEX(monitor_lock);	/* of what follows, and @event */
static struct perf_event **counters;	/* nr_cpu_ids of them, while used */
static unsigned int users;
static u32 period;			/* of the counters */

/* Perhaps in an NMI, right behind the access. */
static void on_sample(struct perf_event *counter, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	const struct mm_struct *mm = current->mm;

	if (!mm || !user_mode(regs) || !ms_sample_has_addr(data))
		return;
	if (data->addr >= PAGE_SIZE && data->addr < TASK_SIZE_MAX)
		mrc_trail_note(MRC_TRAIL_SAMPLES, mm, data->addr);
}

static struct perf_event *open_counter(int cpu, u32 each)
{
	struct perf_event *counter;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = event.type,
		.config = event.config,
		.config1 = event.config1,
		.sample_period = each,
		.sample_type = PERF_SAMPLE_ADDR,
		/* Without it, it is not known which access it was. */
		.precise_ip = 2,
		/* PEBS would have a buffer full of samples tell the last one only. */
		.wakeup_events = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	counter = perf_event_create_kernel_counter(&attr, cpu, NULL, on_sample,
						   NULL);
	if (PTR_ERR_OR_ZERO(counter) != -EINVAL)
		return counter;
	/* IBS cannot leave the kernel out; on_sample() does. */
	attr.exclude_kernel = 0;
	attr.exclude_hv = 0;
	return perf_event_create_kernel_counter(&attr, cpu, NULL, on_sample,
						NULL);
}

/* One that has left with its CPU does not come back with it. */
static bool is_dead(int cpu)
{
	return !cpu_online(cpu) ||
	       counters[cpu]->state <= PERF_EVENT_STATE_OFF;
}

/* CPUs come and go. Under monitor_lock. Return: 0, if any has a counter. */
static int cover(void)
{
	int cpu, nr = 0, err = -ENODEV;

	for_each_possible_cpu(cpu) {
		if (counters[cpu] && is_dead(cpu)) {
			perf_event_release_kernel(counters[cpu]);
			counters[cpu] = NULL;
		}
		if (!counters[cpu] && cpu_online(cpu)) {
			struct perf_event *counter = open_counter(cpu, period);

			if (IS_ERR(counter))
				err = PTR_ERR(counter);
			else
				counters[cpu] = counter;
		}
		nr += !!counters[cpu];
	}
	return nr ? 0 : err;
}

static void uncover(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (counters[cpu])
			perf_event_release_kernel(counters[cpu]);
	kfree(counters);
	counters = NULL;
}

static int start(void)
{
	int err;

	counters = kcalloc(nr_cpu_ids, sizeof(*counters), GFP_KERNEL);
	if (!counters)
		return -ENOMEM;
	period = READ_ONCE(mrc_sample_period);
	err = cover();
	if (err)
		uncover();
	return err;
}

/**
 * mrc_monitor_usable() - whether this machine has the event
 *
 * If not, the kernel log says so.
 *
 * Context: may sleep.
 * Return: 0 or -EOPNOTSUPP.
 */
int mrc_monitor_usable(void)
{
	struct perf_event *counter;

	mutex_lock(&monitor_lock);
	counter = open_counter(cpumask_first(cpu_online_mask),
			       READ_ONCE(mrc_sample_period));
	if (IS_ERR(counter))
		pr_warn_ratelimited("mode samples: this machine does not sample addresses by event %u:0x%llx:0x%llx (%pe); write one that it has to sample_event\n",
				    event.type, event.config, event.config1,
				    counter);
	else
		perf_event_release_kernel(counter);
	mutex_unlock(&monitor_lock);
	return IS_ERR(counter) ? -EOPNOTSUPP : 0;
}

/**
 * mrc_monitor_set() - sample by another event
 * @new: it
 *
 * Context: may sleep.
 * Return: 0, or -EBUSY while targets are sampled.
 */
int mrc_monitor_set(const struct mrc_event *new)
{
	int err = 0;

	mutex_lock(&monitor_lock);
	if (users)
		err = -EBUSY;
	else
		event = *new;
	mutex_unlock(&monitor_lock);
	return err;
}

/**
 * mrc_monitor_get() - the event that is sampled
 * @which: result
 *
 * Context: may sleep.
 */
void mrc_monitor_get(struct mrc_event *which)
{
	mutex_lock(&monitor_lock);
	*which = event;
	mutex_unlock(&monitor_lock);
}

/**
 * mrc_monitor_watch() - begin to sample what an address space accesses
 * @trail: zeroed
 * @mm: the address space, which may go away
 *
 * Context: may sleep.
 * Return: 0 or an error.
 */
int mrc_monitor_watch(struct mrc_trail *trail, struct mm_struct *mm)
{
	int err = 0;

	mutex_lock(&monitor_lock);
	if (!users)
		err = start();
	if (!err)
		users++;
	mutex_unlock(&monitor_lock);
	if (!err)
		mrc_trail_open(trail, MRC_TRAIL_SAMPLES, mm);
	return err;
}

/**
 * mrc_monitor_unwatch() - end it; @trail may be freed then
 * @trail: of mrc_monitor_watch()
 *
 * Context: may sleep.
 */
void mrc_monitor_unwatch(struct mrc_trail *trail)
{
	mrc_trail_close(trail);
	mutex_lock(&monitor_lock);
	if (!--users)
		uncover();
	mutex_unlock(&monitor_lock);
}

/**
 * mrc_monitor_cover() - have a counter on CPUs that have come meanwhile
 *
 * Context: may sleep; the caller watches.
 * Return: accesses that each sample stands for.
 */
u32 mrc_monitor_cover(void)
{
	u32 each;

	mutex_lock(&monitor_lock);
	cover();
	each = period;
	mutex_unlock(&monitor_lock);
	return each;
}
