// SPDX-License-Identifier: GPL-2.0-only
/*
 * The policies and alarm conditions, memdiag's own and those of other modules:
 * /sys/kernel/memsuite/memdiag/control/{policy,available_policies,
 * available_alarms}
 *
 * Callbacks run under the lock: whoever has unregistered one knows that it is
 * over.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/string.h>

#include <memsuite/control.h>

#include "sched/control_policy.h"
#include "sched/registry.h"

static LIST_HEAD(policy_list);		/* all under registry_lock */
static LIST_HEAD(alarm_list);
static struct memdiag_policy *in_use = &memdiag_policies[0];
static DEFINE_MUTEX(registry_lock);

bool memdiag_registry_name_ok(const char *name)
{
	size_t length = name ? strnlen(name, MEMDIAG_NAME) : 0, i;

	if (!length || length == MEMDIAG_NAME)
		return false;
	for (i = 0; i < length; i++)
		if (!isgraph(name[i]))
			return false;
	return true;
}

static struct memdiag_policy *policy_find(const char *name)
{
	struct memdiag_policy *policy;

	list_for_each_entry(policy, &policy_list, list)
		if (!strcmp(policy->name, name))
			return policy;
	return NULL;
}

int memdiag_policy_register(struct memdiag_policy *policy)
{
	int err = -EEXIST;

	if (!memdiag_registry_name_ok(policy->name) || !policy->choose)
		return -EINVAL;
	mutex_lock(&registry_lock);
	if (!policy_find(policy->name)) {
		list_add_tail(&policy->list, &policy_list);
		err = 0;
	}
	mutex_unlock(&registry_lock);
	return err;
}
EXPORT_SYMBOL_GPL(memdiag_policy_register);

void memdiag_policy_unregister(struct memdiag_policy *policy)
{
	mutex_lock(&registry_lock);
	list_del(&policy->list);
	if (in_use == policy) {
		in_use = &memdiag_policies[0];
		pr_info("policy \"%s\" is gone, back to \"%s\"\n",
			policy->name, in_use->name);
	}
	mutex_unlock(&registry_lock);
}
EXPORT_SYMBOL_GPL(memdiag_policy_unregister);

static struct memdiag_alarm *alarm_find(const char *name)
{
	struct memdiag_alarm *alarm;

	list_for_each_entry(alarm, &alarm_list, list)
		if (!strcmp(alarm->name, name))
			return alarm;
	return NULL;
}

int memdiag_alarm_register(struct memdiag_alarm *alarm)
{
	int err = -EEXIST;

	if (!memdiag_registry_name_ok(alarm->name) || !alarm->raised)
		return -EINVAL;
	mutex_lock(&registry_lock);
	if (!alarm_find(alarm->name)) {
		list_add_tail(&alarm->list, &alarm_list);
		err = 0;
	}
	mutex_unlock(&registry_lock);
	return err;
}
EXPORT_SYMBOL_GPL(memdiag_alarm_register);

void memdiag_alarm_unregister(struct memdiag_alarm *alarm)
{
	mutex_lock(&registry_lock);
	list_del(&alarm->list);
	mutex_unlock(&registry_lock);
}
EXPORT_SYMBOL_GPL(memdiag_alarm_unregister);

struct memdiag_config memdiag_registry_choose(const struct memdiag_limits *limits,
					      const struct memdiag_load *load,
					      bool *on_demand)
{
	struct memdiag_config config;

	mutex_lock(&registry_lock);
	config = in_use->choose(limits, load);
	*on_demand = in_use->on_demand;
	mutex_unlock(&registry_lock);
	return memdiag_policy_bound(config);
}

bool memdiag_registry_alarmed(const struct memdiag_demand *demand)
{
	struct memdiag_alarm *alarm;
	bool alarmed = false;

	mutex_lock(&registry_lock);
	if (in_use->alarm)
		list_for_each_entry(alarm, &alarm_list, list)
			alarmed |= alarm->raised(demand);
	mutex_unlock(&registry_lock);
	return alarmed;
}

bool memdiag_registry_replenishes(void)
{
	bool replenishes;

	mutex_lock(&registry_lock);
	replenishes = in_use->replenish;
	mutex_unlock(&registry_lock);
	return replenishes;
}

void memdiag_registry_init(void)
{
	unsigned int i;

	for (i = 0; i < memdiag_nr_policies; i++)
		memdiag_policy_register(&memdiag_policies[i]);
	for (i = 0; i < memdiag_nr_alarms; i++)
		memdiag_alarm_register(&memdiag_alarms[i]);
}

static ssize_t policy_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	ssize_t length;

	mutex_lock(&registry_lock);
	length = sysfs_emit(buf, "%s\n", in_use->name);
	mutex_unlock(&registry_lock);
	return length;
}

static ssize_t policy_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	struct memdiag_policy *policy;
	char line[MEMDIAG_NAME];

	if (memsuite_parse_line(buf, count, line, sizeof(line)))
		return -EINVAL;
	mutex_lock(&registry_lock);
	policy = policy_find(line);
	if (policy)
		in_use = policy;
	mutex_unlock(&registry_lock);
	return policy ? count : -EINVAL;
}

static ssize_t available_policies_show(struct kobject *kobj,
				       struct kobj_attribute *attr, char *buf)
{
	struct memdiag_policy *policy;
	ssize_t length = 0;

	mutex_lock(&registry_lock);
	list_for_each_entry(policy, &policy_list, list)
		length += sysfs_emit_at(buf, length, "%s\n", policy->name);
	mutex_unlock(&registry_lock);
	return length;
}

static ssize_t available_alarms_show(struct kobject *kobj,
				     struct kobj_attribute *attr, char *buf)
{
	struct memdiag_alarm *alarm;
	ssize_t length = 0;

	mutex_lock(&registry_lock);
	list_for_each_entry(alarm, &alarm_list, list)
		length += sysfs_emit_at(buf, length, "%s\n", alarm->name);
	mutex_unlock(&registry_lock);
	return length;
}

struct kobj_attribute memdiag_policy_attr = __ATTR_RW(policy);
struct kobj_attribute memdiag_available_policies_attr = __ATTR_RO(available_policies);
struct kobj_attribute memdiag_available_alarms_attr = __ATTR_RO(available_alarms);
