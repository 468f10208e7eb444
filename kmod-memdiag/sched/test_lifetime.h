/* SPDX-License-Identifier: GPL-2.0-only */
/* How long a test is good for. */
#ifndef MEMDIAG_SCHED_TEST_LIFETIME_H
#define MEMDIAG_SCHED_TEST_LIFETIME_H

#include <linux/kobject.h>
#include <linux/types.h>

/* In force; read with READ_ONCE(). */
extern unsigned int memdiag_test_lifetime_s;

extern struct kobj_attribute memdiag_test_lifetime_s_attr;
extern const struct attribute_group memdiag_lifetime_group;

/**
 * memdiag_lifetime_update() - compute it anew, if asked to
 * @speed: pages that are tested in a second of CPU time at fidelity 1, or 0 if
 *	that is not known: nothing changes then
 * @fidelity: of the tests to come
 * @sweep_pages_s: pages that a sweep may test in a second at fidelity 1
 * @sweep_parts: a sweep takes one of so many parts of a lifetime at most: 4, or 8, and then
 *	sweeps are twice as many
 *
 * Context: may sleep.
 */
void memdiag_lifetime_update(u64 speed, unsigned int fidelity, u64 sweep_pages_s,
			     unsigned int sweep_parts);

/* Percent of a CPU that tests may take on average. Context: any. */
unsigned int memdiag_lifetime_cpu_pct(void);

/* Defaults that follow from the machine. */
void memdiag_lifetime_init(void);

#endif
