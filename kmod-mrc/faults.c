// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which pages of an address space are touched while they are not accessible, in
 * order, from the tracepoints of page faults. In the fault nothing is done but
 * to take the address down: the kernel's own handler makes the page accessible,
 * and the stack is brought up to date at the end of the epoch.
 */

#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include <asm/trap_pf.h>

#include <compat/compat.h>
#include <memsuite/probe.h>

#include "mrc.h"
#include "paper.h"

static DEFINE_HASHTABLE(watched, 6);
static DEFINE_MUTEX(watched_lock);
static unsigned int watched_count;

/* Any thread, any CPU, interrupts off. */
static void take_down(struct mrc_faults *faults, unsigned long addr)
{
	int at = atomic_read(&faults->head);

	do {
		if ((u32)at - READ_ONCE(faults->tail) >= MRC_FAULTS) {
			atomic_inc(&faults->lost);
			return;
		}
	} while (!atomic_try_cmpxchg(&faults->head, &at, at + 1));
	/* With mrc_faults_next(). */
	smp_store_release(&faults->addr[at & (MRC_FAULTS - 1)], addr);
}

static void on_fault(void *unused, unsigned long addr, struct pt_regs *regs,
		     unsigned long error_code)
{
	struct mm_struct *mm = current->mm;
	struct mrc_faults *faults;

	/* Of a page that is there, it is about writing only. */
	if (error_code & X86_PF_PROT || !mm || addr >= TASK_SIZE_MAX ||
	    addr < PAGE_SIZE)
		return;
	rcu_read_lock();
	hash_for_each_possible_rcu(watched, faults, link, (unsigned long)mm)
		if (faults->mm == mm)
			take_down(faults, addr & PAGE_MASK);
	rcu_read_unlock();
}

static struct ms_probe probes[] = {
	{ .name = "page_fault_user", .function = on_fault },
	{ .name = "page_fault_kernel", .function = on_fault },
};

/**
 * mrc_faults_watch() - begin to take down the faults of an address space
 * @faults: zeroed
 * @mm: the address space, which may go away
 *
 * Context: may sleep.
 * Return: 0 or an error.
 */
int mrc_faults_watch(struct mrc_faults *faults, struct mm_struct *mm)
{
	int err = 0;

	faults->mm = mm;
	mutex_lock(&watched_lock);
	if (!watched_count)
		err = ms_probes_register(probes, ARRAY_SIZE(probes));
	if (!err) {
		watched_count++;
		hash_add_rcu(watched, &faults->link, (unsigned long)mm);
	}
	mutex_unlock(&watched_lock);
	return err;
}

/**
 * mrc_faults_unwatch() - end it; @faults may be freed then
 * @faults: of mrc_faults_watch()
 *
 * Context: may sleep.
 */
void mrc_faults_unwatch(struct mrc_faults *faults)
{
	mutex_lock(&watched_lock);
	hash_del_rcu(&faults->link);
	if (!--watched_count)
		ms_probes_unregister(probes, ARRAY_SIZE(probes));
	mutex_unlock(&watched_lock);
	synchronize_rcu();
}

/**
 * mrc_faults_next() - the next fault
 * @faults: of mrc_faults_watch()
 *
 * One reader at a time.
 *
 * Return: the address of the page, or 0: there is none yet.
 */
unsigned long mrc_faults_next(struct mrc_faults *faults)
{
	unsigned long *at = &faults->addr[faults->tail & (MRC_FAULTS - 1)];
	/* With take_down(). */
	unsigned long addr = smp_load_acquire(at);

	if (!addr)
		return 0;
	WRITE_ONCE(*at, 0);
	/* The room is free once it is seen to be empty, by take_down(). */
	smp_store_release(&faults->tail, faults->tail + 1);
	return addr;
}
