/* SPDX-License-Identifier: GPL-2.0-only */
/* Accesses to memory that the processors count, by policy. */
#ifndef VIPZONE_METER_H
#define VIPZONE_METER_H

#include <linux/sysfs.h>
#include <linux/types.h>

#include "energy/energy_model.h"

/* vipzone/accesses */
extern const struct attribute_group meter_group;

/* By pmu if this machine has the events, else by touches. May sleep. */
void meter_init(void);

/**
 * meter_want() - whether somebody wants accesses to be counted
 * @want: the audit samples touches for the ledger
 *
 * They are then, if the source is pmu. Context: may sleep.
 * Return: 0 or an error; it cannot fail for false.
 */
int meter_want(bool want);

/* Whether they are: then touches are only what they are divided by. */
bool meter_counts(void);

/* Whether reads and writes are counted apart, or by one event. */
bool meter_is_apart(void);

/*
 * Charges the policies with what their running programs have done so far, and
 * covers CPUs that have come. May sleep.
 */
void meter_round(void);

/* The current task is exiting, and its policy still known. Does not sleep. */
void meter_exiting(void);

/* What @counted stands for, as the PMU had other events to count, too. Pure. */
u64 meter_scaled(u64 counted);

#endif
