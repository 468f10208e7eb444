// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accesses that the processors count, charged to the policies of programs: when
 * a task leaves a CPU, its policy is charged with what the CPU's counters were
 * added.
 *
 * Counters of tasks would do that in the PMU's own context switch, but would have
 * to be made for each thread of each process, those of a machine or a cgroup
 * among them, and be written to the PMU at each switch. These are only read.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include <compat/trace_probe.h>
#include <memsuite/tracepoints.h>

#include "policy/lookup.h"
#include "steer/access_charge.h"

static DEFINE_MUTEX(charge_lock);	/* of what follows, and of the counters */
static enum vipzone_access_source access_source;
static bool is_wanted;
static bool is_counting;		/* and is looked at by anybody */

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
static void charge_task(const struct task_struct *task)
{
	struct mm_struct *mm = mm_of(task);
	struct vipzone_policy *policy;
	u64 counted[VIPZONE_NR_ACCESS_KINDS];
	unsigned int i;

	/* In any case: what others did is not for the next one. */
	vipzone_counters_take(counted);
	rcu_read_lock();
	policy = mm ? vipzone_policy_of(mm) : NULL;
	for (i = 0; policy && i < vipzone_counter_events.nr; i++)
		this_cpu_add(policy->stats->counted[i], counted[i]);
	rcu_read_unlock();
}

MEMSUITE_PROBE_SWITCH(probe_switch)
{
	charge_task(prev);
}

static struct memsuite_tracepoint probes[] = {
	MEMSUITE_TRACEPOINT(sched_switch, probe_switch),
};

static void charge_current(void *unused)
{
	charge_task(current);
}

void vipzone_charge_exiting(void)
{
	unsigned long flags;

	local_irq_save(flags);
	if (READ_ONCE(is_counting))
		charge_task(current);
	local_irq_restore(flags);
}

/* Under charge_lock, as the next two. */
static int charge_start(void)
{
	int err = vipzone_counters_open();

	if (err)
		return err;
	err = memsuite_tracepoints_register(probes, ARRAY_SIZE(probes));
	if (err) {
		vipzone_counters_close();
		return err;
	}
	WRITE_ONCE(is_counting, true);
	return 0;
}

static void charge_stop(void)
{
	on_each_cpu(charge_current, NULL, 1);
	WRITE_ONCE(is_counting, false);
	memsuite_tracepoints_unregister(probes, ARRAY_SIZE(probes));
	/* Tasks that are exiting. */
	synchronize_rcu();
	vipzone_counters_close();
}

static int charge_update(void)
{
	bool should = is_wanted && access_source == VIPZONE_SOURCE_PMU;

	if (should && !is_counting)
		return charge_start();
	if (!should && is_counting)
		charge_stop();
	return 0;
}

int vipzone_charge_want(bool want)
{
	int err;

	mutex_lock(&charge_lock);
	is_wanted = want;
	err = charge_update();
	if (err)
		is_wanted = false;
	mutex_unlock(&charge_lock);
	return err;
}

bool vipzone_charge_is_on(void)
{
	return READ_ONCE(is_counting);
}

void vipzone_charge_round(void)
{
	mutex_lock(&charge_lock);
	if (is_counting) {
		vipzone_counters_cover();
		on_each_cpu(charge_current, NULL, 1);
		vipzone_counters_end_round();
	}
	mutex_unlock(&charge_lock);
}

void vipzone_charge_init(void)
{
	if (vipzone_counters_find())
		access_source = VIPZONE_SOURCE_PMU;
}

static int refuse_events(const struct vipzone_counter_events *events)
{
	const struct memsuite_perf_event *read = &events->event[VIPZONE_ACCESS_READ];
	const struct memsuite_perf_event *write = &events->event[VIPZONE_ACCESS_WRITE];

	pr_warn_ratelimited("accesses: this machine does not count event %u:0x%llx:0x%llx, or %u:0x%llx:0x%llx; write what it does to read_event and write_event\n",
			    read->type, read->config, read->config1,
			    write->type, write->config, write->config1);
	return -EOPNOTSUPP;
}

enum vipzone_access_source vipzone_charge_source(void)
{
	return READ_ONCE(access_source);
}

int vipzone_charge_set_source(enum vipzone_access_source source)
{
	int err = 0;

	mutex_lock(&charge_lock);
	if (source == VIPZONE_SOURCE_PMU &&
	    !vipzone_counters_are_usable(&vipzone_counter_events))
		err = refuse_events(&vipzone_counter_events);
	if (!err) {
		WRITE_ONCE(access_source, source);
		err = charge_update();
	}
	if (err)
		WRITE_ONCE(access_source, VIPZONE_SOURCE_TOUCHES);
	mutex_unlock(&charge_lock);
	return err;
}

/* Under charge_lock. */
static int set_events(const struct vipzone_counter_events *new)
{
	if (is_counting)
		return -EBUSY;
	if (access_source == VIPZONE_SOURCE_PMU && !vipzone_counters_are_usable(new))
		return refuse_events(new);
	vipzone_counter_events = *new;
	return 0;
}

int vipzone_charge_set_event(enum vipzone_access_kind kind,
			     const struct memsuite_perf_event *event)
{
	struct vipzone_counter_events new;
	int err;

	mutex_lock(&charge_lock);
	new = vipzone_counter_events;
	if (event)
		new.event[kind] = *event;
	if (kind == VIPZONE_ACCESS_WRITE)
		new.nr = event ? 2 : 1;
	err = set_events(&new);
	mutex_unlock(&charge_lock);
	return err;
}

u64 vipzone_charge_running_pct(void)
{
	u64 pct;

	mutex_lock(&charge_lock);
	pct = vipzone_counters_running_pct();
	mutex_unlock(&charge_lock);
	return pct;
}
