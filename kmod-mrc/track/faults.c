// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which pages of an address space are touched while they are not accessible,
 * from the tracepoints of page faults. The kernel's own handler makes the page
 * accessible.
 */

#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>

#include <asm/trap_pf.h>

#include <compat/compat.h>
#include <compat/trace_probe.h>
#include <memsuite/tracepoints.h>

#include "track/addr_ring.h"
#include "track/faults.h"

static DEFINE_MUTEX(users_lock);
static unsigned int users;

/* Any thread, any CPU, interrupts off. */
static void on_fault(void *unused, unsigned long addr, struct pt_regs *regs,
		     unsigned long error_code)
{
	struct mm_struct *mm = current->mm;

	/* Of a page that is there, it is about writing only. */
	if (error_code & X86_PF_PROT || !mm || addr >= TASK_SIZE_MAX ||
	    addr < PAGE_SIZE)
		return;
	mrc_addr_ring_add(MRC_ADDR_FAULTS, mm, addr);
}

static struct memsuite_tracepoint probes[] = {
	MEMSUITE_TRACEPOINT(page_fault_user, on_fault),
	MEMSUITE_TRACEPOINT(page_fault_kernel, on_fault),
};

/**
 * mrc_faults_watch() - begin to take down the faults of an address space
 * @ring: zeroed
 * @mm: the address space, which may go away
 *
 * Context: may sleep.
 * Return: 0 or an error.
 */
int mrc_faults_watch(struct mrc_addr_ring *ring, struct mm_struct *mm)
{
	int err = 0;

	mutex_lock(&users_lock);
	if (!users)
		err = memsuite_tracepoints_register(probes, ARRAY_SIZE(probes));
	if (!err)
		users++;
	mutex_unlock(&users_lock);
	if (!err)
		mrc_addr_ring_open(ring, MRC_ADDR_FAULTS, mm);
	return err;
}

/**
 * mrc_faults_unwatch() - end it; @ring may be freed then
 * @ring: of mrc_faults_watch()
 *
 * Context: may sleep.
 */
void mrc_faults_unwatch(struct mrc_addr_ring *ring)
{
	mrc_addr_ring_close(ring);
	mutex_lock(&users_lock);
	if (!--users)
		memsuite_tracepoints_unregister(probes, ARRAY_SIZE(probes));
	mutex_unlock(&users_lock);
}
