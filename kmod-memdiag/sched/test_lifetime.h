/* SPDX-License-Identifier: GPL-2.0-only */
/* How long a test is good for. */
#ifndef MEMDIAG_LIFETIME_H
#define MEMDIAG_LIFETIME_H

#include <linux/kobject.h>

/* In force; read with READ_ONCE(). */
extern unsigned int tester_lifetime_s;

extern struct kobj_attribute test_lifetime_s_attr;
extern const struct attribute_group lifetime_group;

/* Compute it anew, if asked to, for tests of this fidelity. */
void lifetime_update(unsigned int fidelity);

#endif
