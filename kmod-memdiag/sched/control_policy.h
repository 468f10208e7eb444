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
extern struct memdiag_policy policies[];
extern const unsigned int nr_policies;

extern struct memdiag_alarm policy_alarms[];
extern const unsigned int nr_policy_alarms;

/**
 * policy_emergency() - the configuration that tests fastest
 * @limits: within these
 */
struct memdiag_config policy_emergency(const struct memdiag_limits *limits);

/**
 * policy_bounded() - bring what a policy chose into the range that there is
 * @config: what it chose
 */
struct memdiag_config policy_bounded(struct memdiag_config config);

/* The most threads that can test. */
#define TESTERS_MAX	64U

#endif
