// SPDX-License-Identifier: GPL-2.0-only
/*
 * The policies of cgroups and of the machine. A process that has none of its
 * own is under that of the nearest cgroup above it, or else the machine's.
 */

#include <linux/cgroup.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "vipzone.h"

static LIST_HEAD(cgroups);		/* readers under RCU */
static struct policy __rcu *machine;
static DEFINE_MUTEX(scopes_lock);

static struct policy *policy_of_cgroup(const struct cgroup *cgroup)
{
	struct policy *policy;

	list_for_each_entry(policy, &cgroups, link)
		if (policy->cgroup == cgroup)
			return policy;
	return NULL;
}

/* Hooks may still look at it. */
static void drop(struct policy *policy)
{
	if (!policy)
		return;
	synchronize_rcu();
	processes_revoke(policy);
	policy_put(policy);
}

void scope_set(struct policy *policy)
{
	struct policy *old;

	mutex_lock(&scopes_lock);
	if (policy->cgroup) {
		old = policy_of_cgroup(policy->cgroup);
		if (old)
			list_replace_rcu(&old->link, &policy->link);
		else
			list_add_rcu(&policy->link, &cgroups);
	} else {
		old = rcu_replace_pointer(machine, policy, true);
	}
	mutex_unlock(&scopes_lock);
	drop(old);
}

static struct policy *take_cgroup(const char *path)
{
	struct policy *policy;

	list_for_each_entry(policy, &cgroups, link)
		if (!strcmp(policy->command.cgroup, path)) {
			list_del_rcu(&policy->link);
			return policy;
		}
	return NULL;
}

int scope_remove(const struct vipzone_command *command)
{
	struct policy *policy;

	mutex_lock(&scopes_lock);
	/* By its path: the cgroup may be gone. */
	if (command->scope == VIPZONE_CGROUP)
		policy = take_cgroup(command->cgroup);
	else
		policy = rcu_replace_pointer(machine, NULL, true);
	mutex_unlock(&scopes_lock);
	drop(policy);
	return policy ? 0 : -ENOENT;
}

static struct policy *nearest(struct cgroup *cgroup)
{
	struct policy *policy, *best = NULL;

	list_for_each_entry_rcu(policy, &cgroups, link, true)
		if (cgroup_is_descendant(cgroup, policy->cgroup) &&
		    (!best || best->cgroup->level < policy->cgroup->level))
			best = policy;
	return best;
}

static struct cgroup *cgroup_of(const struct mm_struct *mm)
{
	struct task_struct *owner;

#ifdef CONFIG_MEMCG
	owner = rcu_dereference_raw(mm->owner);
#else
	owner = current->mm == mm ? current : NULL;
#endif
	/* A task that is exiting owns it no more. */
	if (!owner && current->flags & PF_EXITING && current->active_mm == mm)
		owner = current;
	return owner ? task_dfl_cgroup(owner) : NULL;
}

struct policy *scope_policy(const struct mm_struct *mm)
{
	struct policy *policy = NULL;
	struct cgroup *cgroup;

	if (mm && !list_empty(&cgroups)) {
		cgroup = cgroup_of(mm);
		if (cgroup)
			policy = nearest(cgroup);
	}
	return policy ?: rcu_dereference_raw(machine);
}

/* Hooks are off by now. */
void scopes_exit(void)
{
	struct policy *policy, *next;

	list_for_each_entry_safe(policy, next, &cgroups, link)
		policy_put(policy);
	INIT_LIST_HEAD(&cgroups);
	policy = rcu_replace_pointer(machine, NULL, true);
	if (policy)
		policy_put(policy);
}
