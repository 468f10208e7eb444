/* SPDX-License-Identifier: GPL-2.0-only */
/* Backing off when the system is short of memory or of CPUs. */
#ifndef MEMDIAG_SCHED_PSI_BACKOFF_H
#define MEMDIAG_SCHED_PSI_BACKOFF_H

#include <linux/kobject.h>

#include "sched/backoff.h"

/* What was measured, for control/. */
extern struct kobj_attribute memdiag_memory_stall_pct_attr;
extern struct kobj_attribute memdiag_cpu_stall_pct_attr;

/* The most stall that is tolerated, in percent of time; each field on its own. */
extern struct memdiag_backoff_stall memdiag_psi_limits;

/* Begin, without pressure. May sleep; the controller's, as all here. */
void memdiag_psi_begin(void);
/* Before each look at the demand. May sleep. */
void memdiag_psi_watch(void);
/* Before the policy is asked: back off, or come back. May sleep. */
void memdiag_psi_decide(void);
/* The share of what they could use that the workers get, in percent. */
unsigned int memdiag_psi_share_pct(void);
/* How often there was too much pressure when the policy was asked. */
u64 memdiag_psi_backoffs(void);

#endif
