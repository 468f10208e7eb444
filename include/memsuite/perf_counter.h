/* SPDX-License-Identifier: GPL-2.0-only */
/* Performance events, and a counter of one on each CPU. */
#ifndef MEMSUITE_PERF_COUNTER_H
#define MEMSUITE_PERF_COUNTER_H

#include <linux/types.h>

struct perf_event;
struct perf_sample_data;
struct pt_regs;

/**
 * struct memsuite_perf_event - a performance event
 * @type: of its PMU, as in /sys/bus/event_source/devices/PMU/type
 * @config: what it counts, in that PMU's own terms
 * @config1: and what else
 */
struct memsuite_perf_event {
	u32 type;
	u64 config;
	u64 config1;
};

/**
 * memsuite_perf_event_store() - read what was written to an event's file
 * @buf: as handed to store(): "TYPE:CONFIG[:CONFIG1]"
 * @count: length of @buf
 * @event: result, as it was if there is an error
 *
 * Return: 0, -EINVAL or -ERANGE.
 */
int memsuite_perf_event_store(const char *buf, size_t count, struct memsuite_perf_event *event);

/**
 * memsuite_perf_event_show() - print an event to its file
 * @event: it
 * @buf: as handed to show()
 *
 * Return: length of the text, which memsuite_perf_event_store() reads.
 */
ssize_t memsuite_perf_event_show(const struct memsuite_perf_event *event, char *buf);

/**
 * struct memsuite_perf_counter - a counter of an event on each CPU
 * @event: what is counted, of what programs do and, if the PMU can tell, not of
 *	what the kernel does for them
 * @period: a sample is taken each so many times; 0: none are
 * @on_sample: told of each, with its address, perhaps in an NMI; or NULL
 * @by_cpu: those of CPUs that are offline, or have no such event, are NULL
 *
 * The caller has the first three filled in, and sees to it that no two calls
 * overlap.
 */
struct memsuite_perf_counter {
	struct memsuite_perf_event event;
	u32 period;
	void (*on_sample)(struct perf_event *counter,
			  struct perf_sample_data *data, struct pt_regs *regs);
	struct perf_event **by_cpu;
};

/**
 * memsuite_perf_counter_try() - whether this machine has the event
 * @counters: what to count; not open
 *
 * Context: may sleep.
 * Return: 0, or the error of one counter.
 */
int memsuite_perf_counter_try(const struct memsuite_perf_counter *counters);

/**
 * memsuite_perf_counter_open() - begin to count
 * @counters: what
 *
 * Context: may sleep.
 * Return: 0 if any CPU has a counter, or an error.
 */
int memsuite_perf_counter_open(struct memsuite_perf_counter *counters);

/**
 * memsuite_perf_counter_cover() - have a counter on CPUs that have come meanwhile
 * @counters: open
 *
 * Waits for a grace period of RCU if CPUs have gone. Context: may sleep.
 * Return: 0 if any CPU has a counter, or an error.
 */
int memsuite_perf_counter_cover(struct memsuite_perf_counter *counters);

/**
 * memsuite_perf_counter_close() - end counting
 * @counters: open, and nobody calls memsuite_perf_counter_count()
 *
 * Context: may sleep.
 */
void memsuite_perf_counter_close(struct memsuite_perf_counter *counters);

/**
 * memsuite_perf_counter_count() - what the counter of this CPU has counted
 * @counters: open
 *
 * It starts anew when the CPU has gone and come.
 *
 * Context: interrupts off.
 * Return: so many; 0 if it has none.
 */
u64 memsuite_perf_counter_count(const struct memsuite_perf_counter *counters);

/**
 * memsuite_perf_counter_time() - how long the counter of a CPU could, and did count
 * @counters: open
 * @cpu: the CPU
 * @enabled: in ns; result, 0 if it has none
 * @running: of that; less, if the PMU had to count other events, too
 *
 * Context: may sleep.
 */
void memsuite_perf_counter_time(const struct memsuite_perf_counter *counters, int cpu,
				u64 *enabled, u64 *running);

#endif
