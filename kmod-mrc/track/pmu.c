// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters whose samples tell which address was accessed, one on each CPU for
 * all targets. Processors have such events (PEBS, IBS); so does the kernel, for
 * page faults.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

#include <compat/perf.h>
#include <memsuite/perf_counter.h>

#include "track/addr_ring.h"
#include "track/pmu.h"

u32 mrc_sample_period = 200003;		/* a prime: programs count in round numbers */

static DEFINE_MUTEX(pmu_lock);	/* of what follows */
static unsigned int users;

/* Perhaps in an NMI, right behind the access. */
static void on_sample(struct perf_event *counter, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	const struct mm_struct *mm = current->mm;

	/* Of IBS, the kernel's own, too. */
	if (!mm || !user_mode(regs) || !memsuite_sample_has_addr(data))
		return;
	if (data->addr >= PAGE_SIZE && data->addr < TASK_SIZE_MAX)
		mrc_addr_ring_add(MRC_ADDR_SAMPLES, mm, data->addr);
}

/* Intel, from Haswell on: MEM_INST_RETIRED.ALL_LOADS. AMD's PMU has a number. */
static struct memsuite_perf_counter counters = {
	.event = { .type = PERF_TYPE_RAW, .config = 0x81d0 },
	.on_sample = on_sample,
};

/**
 * mrc_pmu_usable() - whether this machine has the event
 *
 * If not, the kernel log says so.
 *
 * Context: may sleep.
 * Return: 0 or -EOPNOTSUPP.
 */
int mrc_pmu_usable(void)
{
	const struct memsuite_perf_event *event = &counters.event;
	int err;

	mutex_lock(&pmu_lock);
	if (!users)
		counters.period = READ_ONCE(mrc_sample_period);
	err = memsuite_perf_counter_try(&counters);
	if (err)
		pr_warn_ratelimited("mode samples: this machine does not sample addresses by event %u:0x%llx:0x%llx (%pe); write one that it has to sample_event\n",
				    event->type, event->config, event->config1,
				    ERR_PTR(err));
	mutex_unlock(&pmu_lock);
	return err ? -EOPNOTSUPP : 0;
}

/**
 * mrc_pmu_set() - sample by another event
 * @new: it
 *
 * Context: may sleep.
 * Return: 0, or -EBUSY while targets are sampled.
 */
int mrc_pmu_set(const struct memsuite_perf_event *new)
{
	int err = 0;

	mutex_lock(&pmu_lock);
	if (users)
		err = -EBUSY;
	else
		counters.event = *new;
	mutex_unlock(&pmu_lock);
	return err;
}

/**
 * mrc_pmu_get() - the event that is sampled
 * @which: result
 *
 * Context: may sleep.
 */
void mrc_pmu_get(struct memsuite_perf_event *which)
{
	mutex_lock(&pmu_lock);
	*which = counters.event;
	mutex_unlock(&pmu_lock);
}

/**
 * mrc_pmu_watch() - begin to sample what an address space accesses
 * @ring: zeroed
 * @mm: the address space, which may go away
 *
 * Context: may sleep.
 * Return: 0 or an error.
 */
int mrc_pmu_watch(struct mrc_addr_ring *ring, struct mm_struct *mm)
{
	int err = 0;

	mutex_lock(&pmu_lock);
	if (!users) {
		counters.period = READ_ONCE(mrc_sample_period);
		err = memsuite_perf_counter_open(&counters);
	}
	if (!err)
		users++;
	mutex_unlock(&pmu_lock);
	if (!err)
		mrc_addr_ring_open(ring, MRC_ADDR_SAMPLES, mm);
	return err;
}

/**
 * mrc_pmu_unwatch() - end it; @ring may be freed then
 * @ring: of mrc_pmu_watch()
 *
 * Context: may sleep.
 */
void mrc_pmu_unwatch(struct mrc_addr_ring *ring)
{
	mrc_addr_ring_close(ring);
	mutex_lock(&pmu_lock);
	if (!--users)
		memsuite_perf_counter_close(&counters);
	mutex_unlock(&pmu_lock);
}

/**
 * mrc_pmu_cover() - have a counter on CPUs that have come meanwhile
 *
 * Context: may sleep; the caller watches.
 * Return: accesses that each sample stands for.
 */
u32 mrc_pmu_cover(void)
{
	u32 each;

	mutex_lock(&pmu_lock);
	memsuite_perf_counter_cover(&counters);
	each = counters.period;
	mutex_unlock(&pmu_lock);
	return each;
}
