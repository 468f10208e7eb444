/* SPDX-License-Identifier: GPL-2.0-only */
/* Accesses that the processors count, charged to the policies of programs. */
#ifndef VIPZONE_STEER_ACCESS_CHARGE_H
#define VIPZONE_STEER_ACCESS_CHARGE_H

#include <linux/types.h>

#include "energy/access_counters.h"

/* Where accesses are known from. */
enum vipzone_access_source {
	VIPZONE_SOURCE_TOUCHES,		/* accessed and dirty bits */
	VIPZONE_SOURCE_PMU,		/* the processors count them */
};

/* From the PMU if this machine has the events, else from touches. May sleep. */
void vipzone_charge_init(void);

/**
 * vipzone_charge_want() - whether somebody wants accesses to be counted
 * @want: the audit samples touches for the energy model
 *
 * They are then, if the source is the PMU. Context: may sleep.
 * Return: 0 or an error; it cannot fail for false.
 */
int vipzone_charge_want(bool want);

/* Whether they are: then touches are only what they are divided by. */
bool vipzone_charge_is_on(void);

/*
 * Charges the policies with what their running programs have done so far, and
 * covers CPUs that have come. May sleep.
 */
void vipzone_charge_round(void);

/* The current task is exiting, and its policy still known. Does not sleep. */
void vipzone_charge_exiting(void);

enum vipzone_access_source vipzone_charge_source(void);

/**
 * vipzone_charge_set_source() - say where accesses are to be known from
 * @source: where from; after an error it is touches
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP (the machine does not count such
 * events) or another error.
 */
int vipzone_charge_set_source(enum vipzone_access_source source);

/**
 * vipzone_charge_set_event() - say what is counted
 * @kind: VIPZONE_ACCESS_READ or VIPZONE_ACCESS_WRITE
 * @event: that event; NULL: writes are counted by the event for reads
 *
 * Context: may sleep.
 * Return: 0, -EBUSY (accesses are being counted) or
 * -EOPNOTSUPP (the machine does not count it).
 */
int vipzone_charge_set_event(enum vipzone_access_kind kind,
			     const struct memsuite_perf_event *event);

/* How much of the time was counted, in percent. May sleep. */
u64 vipzone_charge_running_pct(void);

#endif
