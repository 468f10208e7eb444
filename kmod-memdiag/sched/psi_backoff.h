/* SPDX-License-Identifier: GPL-2.0-only */
/* Backing off when the system is short of memory or of CPUs. */
#ifndef MEMDIAG_SCHED_PSI_BACKOFF_H
#define MEMDIAG_SCHED_PSI_BACKOFF_H

#include <linux/kobject.h>

#include "sched/backoff.h"

/* What was measured, for control/. */
extern struct kobj_attribute memory_stall_pct_attr;
extern struct kobj_attribute cpu_stall_pct_attr;

/* What is put up with, in percent of time; read and written field by field. */
extern struct backoff_stall pressure_limits;

/* Begin, without pressure. May sleep; the controller's, as all here. */
void pressure_begin(void);
/* Before each look at the demand. May sleep. */
void pressure_watch(void);
/* Before the policy is asked: back off, or come back. May sleep. */
void pressure_decide(void);
/* What the testers get of what they could use, in percent. */
unsigned int pressure_share_pct(void);
/* How often there was too much pressure when the policy was asked. */
u64 pressure_backoffs(void);

#endif
