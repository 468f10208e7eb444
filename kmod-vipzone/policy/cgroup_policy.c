// SPDX-License-Identifier: GPL-2.0-only
/*
 * The policies of cgroups and of the machine. A process that has none of its
 * own is under that of the nearest cgroup above it, or else the machine's.
 */

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include <memsuite/tracepoints.h>

#include "vipzone.h"

static LIST_HEAD(cgroups);		/* readers under RCU */
static struct policy __rcu *machine;
static DEFINE_MUTEX(scopes_lock);

/* A policy is for a path, whichever cgroup is there. Under scopes_lock, or RCU. */
static struct policy *policy_at(const char *path)
{
	struct policy *policy;

	list_for_each_entry_rcu(policy, &cgroups, link, true)
		if (!strcmp(policy->command.cgroup, path))
			return policy;
	return NULL;
}

/*
 * A cgroup was made, as a service's is each time it starts. Inside a tracepoint:
 * no sleeping. Who looks at the one before keeps it from being freed by RCU.
 */
static void probe_mkdir(void *data, struct cgroup *cgroup, const char *path)
{
	struct policy *policy;

	if (cgroup->root != &cgrp_dfl_root)
		return;
	rcu_read_lock();
	policy = policy_at(path);
	if (policy) {
		css_get(&cgroup->self);
		cgroup_put(xchg(&policy->cgroup, cgroup));
	}
	rcu_read_unlock();
}

static struct memsuite_tracepoint probe = {
	.name = "cgroup_mkdir", .function = probe_mkdir
};

static bool watching;			/* under scopes_lock */

int scopes_watch(void)
{
	int err = 0;

	mutex_lock(&scopes_lock);
	if (!watching) {
		err = memsuite_tracepoints_register(&probe, 1);
		watching = !err;
	}
	mutex_unlock(&scopes_lock);
	return err;
}

int scope_name_cgroup(struct cgroup *cgroup, char *path)
{
	int length = cgroup_path(cgroup, path, VIPZONE_PATH);

	return length < 0 || length >= VIPZONE_PATH ? -ENAMETOOLONG : 0;
}

/* Paths are looked up from the namespace's root, and policies have whole ones. */
static bool is_at(struct cgroup *cgroup, const char *path)
{
	char name[VIPZONE_PATH];

	return !scope_name_cgroup(cgroup, name) && !strcmp(name, path);
}

/*
 * A cgroup that was made again after its path was looked up, and before anybody
 * followed what is made there, went unseen. One that is made meanwhile does not.
 */
static void catch_up(struct policy *policy)
{
	const char *path = policy->command.cgroup;
	struct cgroup *cgroup;

	for (;;) {
		cgroup = cgroup_get_from_path(path);
		if (IS_ERR(cgroup))
			return;
		if (cgroup == READ_ONCE(policy->cgroup) || !is_at(cgroup, path))
			break;
		cgroup_put(xchg(&policy->cgroup, cgroup));
	}
	cgroup_put(cgroup);
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
	if (policy->command.scope == VIPZONE_CGROUP) {
		old = policy_at(policy->command.cgroup);
		if (old)
			list_replace_rcu(&old->link, &policy->link);
		else
			list_add_rcu(&policy->link, &cgroups);
		catch_up(policy);
	} else {
		old = rcu_replace_pointer(machine, policy, true);
	}
	mutex_unlock(&scopes_lock);
	drop(old);
}

/* The cgroup may be gone; then only its full path will do. */
static struct policy *take_cgroup(const char *written)
{
	struct cgroup *cgroup = cgroup_get_from_path(written);
	struct policy *policy = NULL;
	char path[VIPZONE_PATH];

	if (IS_ERR(cgroup)) {
		policy = policy_at(written);
	} else {
		if (!scope_name_cgroup(cgroup, path))
			policy = policy_at(path);
		cgroup_put(cgroup);
	}
	if (policy)
		list_del_rcu(&policy->link);
	return policy;
}

int scope_remove(const struct vipzone_command *command)
{
	struct policy *policy;

	mutex_lock(&scopes_lock);
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
	struct cgroup *above;
	int level = -1;

	list_for_each_entry_rcu(policy, &cgroups, link, true) {
		above = READ_ONCE(policy->cgroup);
		if (above->level <= level ||
		    !cgroup_is_descendant(cgroup, above))
			continue;
		best = policy;
		level = above->level;
	}
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

	if (watching)
		memsuite_tracepoints_unregister(&probe, 1);
	watching = false;
	list_for_each_entry_safe(policy, next, &cgroups, link)
		policy_put(policy);
	INIT_LIST_HEAD(&cgroups);
	policy = rcu_replace_pointer(machine, NULL, true);
	if (policy)
		policy_put(policy);
}
