/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Diagnostic control policies (Asteroid, section 5.2.4): how many threads test,
 * and how thoroughly, so that testing keeps up with what is asked of it.
 * Pure logic.
 */
#ifndef MEMDIAG_SCHED_CONTROL_POLICY_H
#define MEMDIAG_SCHED_CONTROL_POLICY_H

#include <memsuite/memdiag_registry.h>

/* The first one is the default. */
extern struct memdiag_policy memdiag_policies[];
extern const unsigned int memdiag_nr_policies;

extern struct memdiag_alarm memdiag_alarms[];
extern const unsigned int memdiag_nr_alarms;

/**
 * struct memdiag_burst - demand that raises the alarm (Asteroid, section 5.2.4.2)
 * @factor_pct: so many hundredths of the last reading, or more
 * @pages: and so many pages at least
 *
 * Each is read and written by itself.
 */
struct memdiag_burst {
	unsigned int factor_pct;
	unsigned int pages;
};

extern struct memdiag_burst memdiag_burst;

/**
 * memdiag_policy_emergency() - the configuration while there is an alarm
 * @limits: within these
 *
 * Return: the configuration; if none is set, the one that tests fastest.
 */
struct memdiag_config memdiag_policy_emergency(const struct memdiag_limits *limits);

/**
 * memdiag_policy_bound() - bring what a policy chose into the range that there is
 * @config: what it chose
 *
 * Return: the same, or the nearest that there is.
 */
struct memdiag_config memdiag_policy_bound(struct memdiag_config config);

/* The most threads that can test. */
#define MEMDIAG_WORKERS_MAX	64U

#endif
