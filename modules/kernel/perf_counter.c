// SPDX-License-Identifier: GPL-2.0-only
/* A counter of a performance event on each CPU; counter.h. */

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include <compat/compat.h>
#include <compat/perf.h>
#include <memsuite/control.h>
#include <memsuite/perf_counter.h>

#include "kernel/perf_event_parse.h"

int memsuite_perf_event_store(const char *buf, size_t count, struct memsuite_perf_event *event)
{
	char line[64];
	int err = memsuite_parse_line(buf, count, line, sizeof(line));

	if (err == -E2BIG)
		err = -EINVAL;
	return err ?: memsuite_perf_event_parse(line, event);
}
EXPORT_SYMBOL_GPL(memsuite_perf_event_store);

ssize_t memsuite_perf_event_show(const struct memsuite_perf_event *event, char *buf)
{
	return sysfs_emit(buf, "%u:0x%llx:0x%llx\n", event->type,
			  event->config, event->config1);
}
EXPORT_SYMBOL_GPL(memsuite_perf_event_show);

static struct perf_event *counter_create(const struct memsuite_perf_counter *counters, int cpu)
{
	struct perf_event *counter;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = counters->event.type,
		.config = counters->event.config,
		.config1 = counters->event.config1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	if (counters->on_sample) {
		attr.sample_period = counters->period;
		attr.sample_type = PERF_SAMPLE_ADDR;
		/* Without it, it is not known which access it was. */
		attr.precise_ip = 2;
		/* PEBS would have a buffer full of samples tell the last one only. */
		attr.wakeup_events = 1;
	}
	counter = perf_event_create_kernel_counter(&attr, cpu, NULL,
						   counters->on_sample, NULL);
	if (PTR_ERR_OR_ZERO(counter) != -EINVAL)
		return counter;
	/* IBS cannot leave the kernel out. */
	attr.exclude_kernel = 0;
	attr.exclude_hv = 0;
	return perf_event_create_kernel_counter(&attr, cpu, NULL,
						counters->on_sample, NULL);
}

int memsuite_perf_counter_try(const struct memsuite_perf_counter *counters)
{
	struct perf_event *counter;

	counter = counter_create(counters, cpumask_first(cpu_online_mask));
	if (IS_ERR(counter))
		return PTR_ERR(counter);
	perf_event_release_kernel(counter);
	return 0;
}
EXPORT_SYMBOL_GPL(memsuite_perf_counter_try);

/* One that has left with its CPU does not come back with it. */
static bool counter_is_dead(const struct perf_event *counter, int cpu)
{
	return !cpu_online(cpu) || counter->state <= PERF_EVENT_STATE_OFF;
}

static void counter_drop(struct memsuite_perf_counter *counters, int cpu)
{
	struct perf_event *counter = counters->by_cpu[cpu];

	WRITE_ONCE(counters->by_cpu[cpu], NULL);
	/* The CPU may be back, and be reading it. */
	synchronize_rcu();
	perf_event_release_kernel(counter);
}

int memsuite_perf_counter_cover(struct memsuite_perf_counter *counters)
{
	int cpu, nr = 0, err = -ENODEV;

	for_each_possible_cpu(cpu) {
		struct perf_event *counter = counters->by_cpu[cpu];

		if (counter && counter_is_dead(counter, cpu))
			counter_drop(counters, cpu);
		if (!counters->by_cpu[cpu] && cpu_online(cpu)) {
			counter = counter_create(counters, cpu);
			if (IS_ERR(counter))
				err = PTR_ERR(counter);
			else /* The CPU finds it whole. */
				smp_store_release(&counters->by_cpu[cpu],
						  counter);
		}
		nr += !!counters->by_cpu[cpu];
	}
	return nr ? 0 : err;
}
EXPORT_SYMBOL_GPL(memsuite_perf_counter_cover);

int memsuite_perf_counter_open(struct memsuite_perf_counter *counters)
{
	int err;

	counters->by_cpu = kcalloc(nr_cpu_ids, sizeof(*counters->by_cpu),
				   GFP_KERNEL);
	if (!counters->by_cpu)
		return -ENOMEM;
	err = memsuite_perf_counter_cover(counters);
	if (err)
		memsuite_perf_counter_close(counters);
	return err;
}
EXPORT_SYMBOL_GPL(memsuite_perf_counter_open);

void memsuite_perf_counter_close(struct memsuite_perf_counter *counters)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (counters->by_cpu[cpu])
			perf_event_release_kernel(counters->by_cpu[cpu]);
	kfree(counters->by_cpu);
	counters->by_cpu = NULL;
}
EXPORT_SYMBOL_GPL(memsuite_perf_counter_close);

u64 memsuite_perf_counter_count(const struct memsuite_perf_counter *counters)
{
	int cpu = smp_processor_id();
	struct perf_event *counter;

	/* Pairs with memsuite_perf_counter_cover(). */
	counter = smp_load_acquire(&counters->by_cpu[cpu]);
	if (!counter)
		return 0;
	/* While others are counted in its place, it is on no CPU. */
	if (counter->oncpu == cpu)
		counter->pmu->read(counter);
	return local64_read(&counter->count);
}
EXPORT_SYMBOL_GPL(memsuite_perf_counter_count);

void memsuite_perf_counter_time(const struct memsuite_perf_counter *counters, int cpu,
				u64 *enabled, u64 *running)
{
	*enabled = 0;
	*running = 0;
	if (counters->by_cpu[cpu])
		perf_event_read_value(counters->by_cpu[cpu], enabled, running);
}
EXPORT_SYMBOL_GPL(memsuite_perf_counter_time);
