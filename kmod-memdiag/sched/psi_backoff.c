// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backing off when the system is short of memory or of CPUs, by its pressure
 * stall information.
 *
 * Workers need no memory that they would have to wait for. But they do wait for
 * CPUs, for they come last, and that looks like pressure as well; nor can their
 * share be subtracted, since "some task waits" does not say how many do. So
 * the pressure on CPUs is measured while no worker runs or wants to: once in a
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
struct memdiag_backoff_stall memdiag_psi_limits = { .memory = 10, .cpu = 50 };

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
 * struct psi_backoff - what was measured since the controller began
 * @here: the kernel has the figures
 * @stall: last shares
 * @share_pct: what the workers get
 * @memory: when the policy was asked last
 * @cpu: when the workers were held up, or came to rest
 * @resting: they have come to rest
 * @listening: they are held up
 * @heard: @stall has been measured since the policy was asked
 * @since: from then on, in jiffies
 * @next: earliest time for the next stretch, likewise
 */
struct psi_backoff {
	bool here;
	struct memdiag_backoff_stall stall;
	unsigned int share_pct;
	struct reading memory;
	struct reading cpu;
	bool resting;
	bool listening;
	bool heard;
	unsigned long since;
	unsigned long next;
};

static struct psi_backoff psi = { .share_pct = 100 };

static u64 backoffs;

static bool stall_read(enum memsuite_psi what, struct reading *reading)
{
	reading->time = ktime_get();
	return !memsuite_psi_read(what, &reading->us);
}

static unsigned int stall_share_pct(const struct reading *from,
				    const struct reading *to)
{
	u64 us = max_t(s64, ktime_us_delta(to->time, from->time), 1);

	return min(div64_u64((to->us - from->us) * 100, us), 100ULL);
}

void memdiag_psi_begin(void)
{
	memset(&psi, 0, sizeof(psi));
	psi.share_pct = 100;
	psi.next = jiffies;
	psi.here = stall_read(MEMSUITE_PSI_MEMORY, &psi.memory) &&
			stall_read(MEMSUITE_PSI_CPU, &psi.cpu);
	if (!psi.here)
		pr_info("no pressure stall information: tests do not back off\n");
	memdiag_worker_hold(false);
}

static void psi_listen(void)
{
	if (!READ_ONCE(memdiag_psi_limits.cpu) || psi.listening ||
	    time_before(jiffies, psi.next) ||
	    !stall_read(MEMSUITE_PSI_CPU, &psi.cpu))
		return;
	psi.listening = true;
	psi.resting = false;
	psi.since = jiffies;
	memdiag_worker_hold(true);
}

static void psi_stop_listening(void)
{
	unsigned long lasted = jiffies - psi.since + 1;

	psi.next = jiffies + LISTEN_PAUSE * lasted;
	psi.listening = false;
	memdiag_worker_hold(false);
}

/* Blocks under test are tested to their end first. */
void memdiag_psi_watch(void)
{
	bool at_work = memdiag_worker_at_work();
	struct reading now;

	if (!psi.listening || !stall_read(MEMSUITE_PSI_CPU, &now))
		return;
	if (at_work && time_before(jiffies, psi.since + LISTEN_JIFFIES))
		return;
	if (!at_work && !psi.resting) {
		psi.cpu = now;
		psi.resting = true;
		return;
	}
	WRITE_ONCE(psi.stall.cpu, stall_share_pct(&psi.cpu, &now));
	psi.heard = true;
	psi_stop_listening();
}

static void psi_adjust(void)
{
	struct reading now;
	bool pressed;

	if (!stall_read(MEMSUITE_PSI_MEMORY, &now))
		return;
	WRITE_ONCE(psi.stall.memory,
		   stall_share_pct(&psi.memory, &now));
	psi.memory = now;
	pressed = memdiag_backoff_pressed(&psi.stall, &memdiag_psi_limits);
	if (pressed)
		WRITE_ONCE(backoffs, backoffs + 1);
	WRITE_ONCE(psi.share_pct,
		   memdiag_backoff_next(psi.share_pct, pressed));
}

/* Each measurement counts once, however often the policy is asked. */
void memdiag_psi_decide(void)
{
	if (!psi.here)
		return;
	if (psi.heard || !READ_ONCE(memdiag_psi_limits.cpu))
		psi_adjust();
	psi.heard = false;
	psi_listen();
}

unsigned int memdiag_psi_share_pct(void)
{
	return READ_ONCE(psi.share_pct);
}

u64 memdiag_psi_backoffs(void)
{
	return READ_ONCE(backoffs);
}

/* The read tells whether this kernel has the figures at all. */
static ssize_t stall_show(char *buf, enum memsuite_psi what,
			  unsigned int percent)
{
	u64 us;
	int err = memsuite_psi_read(what, &us);

	return err ?: sysfs_emit(buf, "%u\n", percent);
}

static ssize_t memory_stall_pct_show(struct kobject *kobj,
				     struct kobj_attribute *attr, char *buf)
{
	return stall_show(buf, MEMSUITE_PSI_MEMORY,
			  READ_ONCE(psi.stall.memory));
}

static ssize_t cpu_stall_pct_show(struct kobject *kobj,
				  struct kobj_attribute *attr, char *buf)
{
	return stall_show(buf, MEMSUITE_PSI_CPU, READ_ONCE(psi.stall.cpu));
}

struct kobj_attribute memdiag_memory_stall_pct_attr = __ATTR_RO(memory_stall_pct);
struct kobj_attribute memdiag_cpu_stall_pct_attr = __ATTR_RO(cpu_stall_pct);
