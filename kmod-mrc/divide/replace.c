// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process that faults while it has more than its share replaces pages of its own: not in
 * the fault, where nothing may sleep, but right after it, on its way back to user space.
 */

#include <linux/atomic.h>
#include <linux/hashtable.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include <compat/compat.h>
#include <compat/trace_probe.h>
#include <memsuite/task_work.h>
#include <memsuite/tracepoints.h>

#include "divide/evict.h"
#include "divide/memory_reserve.h"
#include "divide/plan.h"
#include "divide/replace.h"
#include "target/target.h"

/* Pages evicted in one fault. */
#define FAULT_MAX	256
/* So many more are replaced than have to be, to the relief of the next faults. */
#define SLACK		32
/* Memory is not short where so many times what is to stay available is. */
#define AMPLE		4
/* Of so many faults on a CPU one is looked at. */
#define FAULTS_A_LOOK	8U

/* These never return to user space, where pages are replaced. */
#define STAYS_IN_KERNEL	(PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)

/* By process; read in page faults. */
static DEFINE_HASHTABLE(shares, 8);
static DEFINE_PER_CPU(unsigned int, faults);
/* Pages that targets are still to give up together, of what the last division found missing. */
static atomic64_t owed;

/**
 * mrc_replace_owe() - say how many pages targets are to give up together
 * @pages: how many
 *
 * Context: any.
 */
void mrc_replace_owe(u64 pages)
{
	atomic64_set(&owed, pages);
}

/*
 * While evicted pages are being written, the program goes on with memory of the reserve.
 * Only when half of that is used up it waits for the disk: else the kernel would take
 * pages, whoever they belong to.
 */
static bool reserve_is_short(void)
{
	return mrc_reserve_available() < READ_ONCE(mrc_reserve_kept) / 2;
}

/**
 * mrc_replace_take() - take of the pages that are to be given up
 * @pages: so many at most
 *
 * Context: any.
 * Return: how many.
 */
u64 mrc_replace_take(u64 pages)
{
	s64 left = atomic64_read(&owed), taken;

	do {
		taken = clamp_t(s64, left, 0, pages);
	} while (taken && !atomic64_try_cmpxchg(&owed, &left, left - taken));
	return taken;
}

/**
 * mrc_replace_given() - a target has given up pages for others
 * @s: its share
 * @pages: how many
 *
 * It does not take them again before the next division.
 *
 * Context: any.
 */
void mrc_replace_given(struct mrc_share *s, u64 pages)
{
	u64 given = READ_ONCE(s->given);

	/* A division that comes just now knows of them. */
	cmpxchg(&s->given, given, given - min(given, pages));
}

/*
 * What it has grown by since the division it makes up for itself. Beyond that, each target
 * that is over its share could give up all that others need: together they give up no
 * more than that. What cannot be had of one now is still owed.
 */
static void pages_evict(struct mrc_target *t, struct mm_struct *mm, u64 rss, u64 over)
{
	u64 grown = min(over, rss - min(rss, READ_ONCE(t->share.given))), others = 0;
	u64 want, got;

	if (grown < over && grown < FAULT_MAX)
		others = mrc_replace_take(min_t(u64, over - grown, FAULT_MAX - grown));
	if (!grown && !others)
		return;
	want = min3(grown + others + SLACK, (u64)FAULT_MAX,
		    rss - min(rss, READ_ONCE(t->share.min)));
	got = mrc_evict(t, mm, want, reserve_is_short(), &t->share.replaced);
	got = min(got - min(got, grown), others);
	mrc_replace_given(&t->share, got);
	atomic64_add(others - got, &owed);
}

/*
 * What the division found missing may be there by now: of a program that ended, or gave it back.
 * If it is little, the kernel would take pages before there is a look again.
 */
static bool is_memory_short(void)
{
	return READ_ONCE(mrc_division_tunables.total_kib) ||
	       mrc_reserve_available() < AMPLE * (READ_ONCE(mrc_reserve_kept) + FAULT_MAX);
}

/* After a page fault of its own, where it may sleep. */
static void pages_replace(void *target)
{
	struct mrc_target *t = target;
	u64 share = READ_ONCE(t->share.pages), rss;
	struct mm_struct *mm = current->mm;

	rss = mm && !(current->flags & PF_EXITING) ? get_mm_rss(mm) : 0;
	if (rss <= share)
		return;
	/* It may have some more before it is asked again; a division meanwhile decides. */
	if (is_memory_short())
		pages_evict(t, mm, rss, rss - share);
	else
		cmpxchg(&t->share.pages, share, rss + FAULT_MAX);
}

/*
 * A page fault of a program, or of the kernel for it, before it is handled; IRQs may be
 * off. In an NMI no work can be added. To look at one of some is enough, for it is looked
 * how much the program has grown by; and everybody's faults pass here.
 */
static void fault_send_work(void *data, unsigned long address, struct pt_regs *regs,
			    unsigned long error_code)
{
	struct pid *pid;
	struct mrc_target *t;

	if (this_cpu_inc_return(faults) % FAULTS_A_LOOK ||
	    in_nmi() || current->flags & STAYS_IN_KERNEL || address >= TASK_SIZE_MAX)
		return;
	rcu_read_lock();
	pid = task_tgid(current);
	hash_for_each_possible_rcu(shares, t, share.over, (unsigned long)pid) {
		if (t->pid == pid && current->mm &&
		    get_mm_rss(current->mm) > READ_ONCE(t->share.pages) &&
		    memsuite_task_work_send(t->share.task_work))
			WRITE_ONCE(t->share.fault, address);
	}
	rcu_read_unlock();
}

static struct memsuite_tracepoint probes[] = {
	MEMSUITE_TRACEPOINT(page_fault_user, fault_send_work),
	MEMSUITE_TRACEPOINT(page_fault_kernel, fault_send_work),
};

/**
 * mrc_replace_add() - a new target, whose faults may be looked at from now on
 * @t: the target
 *
 * Context: may sleep; the targets are locked.
 * Return: 0 or -ENOMEM.
 */
int mrc_replace_add(struct mrc_target *t)
{
	t->share.task_work = memsuite_task_work_new(pages_replace, t);
	if (!t->share.task_work)
		return -ENOMEM;
	hash_add_rcu(shares, &t->share.over, (unsigned long)t->pid);
	return 0;
}

/**
 * mrc_replace_hide() - look at its faults no more
 * @t: the target, of mrc_replace_add()
 *
 * Context: any; the targets are locked.
 */
void mrc_replace_hide(struct mrc_target *t)
{
	hash_del_rcu(&t->share.over);
}

/**
 * mrc_replace_forget() - end what a fault has begun
 * @t: the target, of mrc_replace_hide(), after a grace period of RCU
 *
 * Context: may sleep, for as long as pages are being replaced.
 */
void mrc_replace_forget(struct mrc_target *t)
{
	memsuite_task_work_drop(t->share.task_work);
}

/**
 * mrc_replace_start() - look at page faults
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP (the kernel does not tell of them) or -ENOMEM.
 */
int mrc_replace_start(void)
{
	return memsuite_tracepoints_register(probes, ARRAY_SIZE(probes));
}

/**
 * mrc_replace_stop() - look at them no more
 *
 * A process that is in a fault now, which may take for ever, may still replace pages after it.
 *
 * Context: may sleep.
 */
void mrc_replace_stop(void)
{
	memsuite_tracepoints_unregister(probes, ARRAY_SIZE(probes));
}
