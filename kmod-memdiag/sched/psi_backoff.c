// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backing off when the system is short of memory or of CPUs, by its pressure
 * stall information.
 *
 * Testers need no memory that they would have to wait for. But they do wait for
 * CPUs, for they come last, and that looks like pressure as well; nor can their
 * share be subtracted, since "some task waits" does not say how many do. So
 * the pressure on CPUs is measured while no tester runs or wants to: once in a
 * policy interval they are held up for a monitoring interval, for a fifth of
 * the time at most. One that has not come to the end of its block for long
 * counts: if it waits, others want all of the CPUs.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/printk.h>
#include <linux/string.h>

#include <memsuite/control.h>
#include <memsuite/psi.h>

#include "sched/psi_backoff.h"
#include "sched/worker.h"

/* So many times as long as they were held up, they are not. */
#define LISTEN_PAUSE	4

/* How long to wait for blocks under test to be done. */
#define LISTEN_JIFFIES	HZ

/* Waiting for memory is felt at once; CPUs are shared all the time. */
struct backoff_stall pressure_limits = { .memory = 10, .cpu = 50 };

/**
 * struct reading - stall time at a moment
 * @us: stall time since boot
 * @time: the moment
 */
struct reading {
	u64 us;
	ktime_t time;
};

/**
 * struct pressure - what was measured since the controller began
 * @here: the kernel has the figures
 * @stall: last shares
 * @share_pct: what the testers get
 * @memory: when the policy was asked last
 * @cpu: when the testers were held up, or came to rest
 * @resting: they have come to rest
 * @listening: they are held up
 * @heard: @stall has been measured since the policy was asked
 * @since: from then on, in jiffies
 * @next: earliest time for the next stretch, likewise
 */
struct pressure {
	bool here;
	struct backoff_stall stall;
	unsigned int share_pct;
	struct reading memory;
	struct reading cpu;
	bool resting;
	bool listening;
	bool heard;
	unsigned long since;
	unsigned long next;
};

static struct pressure pressure = { .share_pct = 100 };

static u64 backoffs;

static bool read_stall(enum memsuite_psi what, struct reading *reading)
{
	reading->time = ktime_get();
	return !memsuite_psi_read(what, &reading->us);
}

static unsigned int share_between(const struct reading *from,
				  const struct reading *to)
{
	u64 us = max_t(s64, ktime_us_delta(to->time, from->time), 1);

	return min(div64_u64((to->us - from->us) * 100, us), 100ULL);
}

void pressure_begin(void)
{
	memset(&pressure, 0, sizeof(pressure));
	pressure.share_pct = 100;
	pressure.next = jiffies;
	pressure.here = read_stall(MEMSUITE_PSI_MEMORY, &pressure.memory) &&
			read_stall(MEMSUITE_PSI_CPU, &pressure.cpu);
	if (!pressure.here)
		pr_info("no pressure stall information: tests do not back off\n");
	tester_hold(false);
}

static void listen(void)
{
	if (!READ_ONCE(pressure_limits.cpu) || pressure.listening ||
	    time_before(jiffies, pressure.next) ||
	    !read_stall(MEMSUITE_PSI_CPU, &pressure.cpu))
		return;
	pressure.listening = true;
	pressure.resting = false;
	pressure.since = jiffies;
	tester_hold(true);
}

static void stop_listening(void)
{
	unsigned long lasted = jiffies - pressure.since + 1;

	pressure.next = jiffies + LISTEN_PAUSE * lasted;
	pressure.listening = false;
	tester_hold(false);
}

/* Blocks under test are tested to their end first. */
void pressure_watch(void)
{
	bool at_work = tester_at_work();
	struct reading now;

	if (!pressure.listening || !read_stall(MEMSUITE_PSI_CPU, &now))
		return;
	if (at_work && time_before(jiffies, pressure.since + LISTEN_JIFFIES))
		return;
	if (!at_work && !pressure.resting) {
		pressure.cpu = now;
		pressure.resting = true;
		return;
	}
	WRITE_ONCE(pressure.stall.cpu, share_between(&pressure.cpu, &now));
	pressure.heard = true;
	stop_listening();
}

static void adjust(void)
{
	struct reading now;
	bool pressed;

	if (!read_stall(MEMSUITE_PSI_MEMORY, &now))
		return;
	WRITE_ONCE(pressure.stall.memory,
		   share_between(&pressure.memory, &now));
	pressure.memory = now;
	pressed = backoff_pressed(&pressure.stall, &pressure_limits);
	if (pressed)
		WRITE_ONCE(backoffs, backoffs + 1);
	WRITE_ONCE(pressure.share_pct,
		   backoff_next(pressure.share_pct, pressed));
}

/* What was measured is heeded once, however often the policy is asked. */
void pressure_decide(void)
{
	if (!pressure.here)
		return;
	if (pressure.heard || !READ_ONCE(pressure_limits.cpu))
		adjust();
	pressure.heard = false;
	listen();
}

unsigned int pressure_share_pct(void)
{
	return READ_ONCE(pressure.share_pct);
}

u64 pressure_backoffs(void)
{
	return READ_ONCE(backoffs);
}

/* Reads what there is now, so that nothing is shown where there is nothing. */
static ssize_t show_stall(char *buf, enum memsuite_psi what,
			  unsigned int percent)
{
	u64 us;
	int err = memsuite_psi_read(what, &us);

	return err ?: sysfs_emit(buf, "%u\n", percent);
}

static ssize_t memory_stall_pct_show(struct kobject *kobj,
				     struct kobj_attribute *attr, char *buf)
{
	return show_stall(buf, MEMSUITE_PSI_MEMORY,
			  READ_ONCE(pressure.stall.memory));
}

static ssize_t cpu_stall_pct_show(struct kobject *kobj,
				  struct kobj_attribute *attr, char *buf)
{
	return show_stall(buf, MEMSUITE_PSI_CPU, READ_ONCE(pressure.stall.cpu));
}

struct kobj_attribute memory_stall_pct_attr = __ATTR_RO(memory_stall_pct);
struct kobj_attribute cpu_stall_pct_attr = __ATTR_RO(cpu_stall_pct);
