/* SPDX-License-Identifier: GPL-2.0-only */
/* The policies and alarm conditions there are, and the policy in use. */
#ifndef MEMDIAG_SCHED_REGISTRY_H
#define MEMDIAG_SCHED_REGISTRY_H

#include <linux/kobject.h>

#include <memsuite/memdiag_registry.h>

/* control/policy and what can be chosen. */
extern struct kobj_attribute memdiag_policy_attr;
extern struct kobj_attribute memdiag_available_policies_attr;
extern struct kobj_attribute memdiag_available_alarms_attr;

/* Register memdiag's own. May sleep. */
void memdiag_registry_init(void);

/**
 * memdiag_registry_name_ok() - whether a name is valid
 * @name: of a policy, an alarm or a test
 *
 * Return: true if it is printable, without blanks, and not too long.
 */
bool memdiag_registry_name_ok(const char *name);

/**
 * memdiag_registry_choose() - ask the policy in use
 * @limits: for it
 * @load: for it
 * @on_demand: whether nothing is to be tested ahead
 *
 * Context: may sleep.
 * Return: the configuration.
 */
struct memdiag_config memdiag_registry_choose(const struct memdiag_limits *limits,
					      const struct memdiag_load *load,
					      bool *on_demand);

/**
 * memdiag_registry_alarmed() - whether a condition raises the alarm
 * @demand: as monitored
 *
 * Context: may sleep.
 * Return: true if one does; false also if the policy in use heeds no alarms.
 */
bool memdiag_registry_alarmed(const struct memdiag_demand *demand);

/* Whether COMeT's state machines pace the tests. May sleep. */
bool memdiag_registry_replenishes(void);

#endif
