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
 * @bandwidth: pages that one thread tests in a second at fidelity 1, or 0 if
 *	that is not known: nothing changes then
 * @fidelity: of the tests to come
 */
void memdiag_lifetime_update(u64 bandwidth, unsigned int fidelity);

#endif
