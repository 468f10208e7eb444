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

#include "policy/cgroup_policy.h"
#include "policy/lookup.h"
#include "policy/process_table.h"

static DEFINE_MUTEX(scopes_lock);	/* of vipzone_cgroup_policies and the machine's */

/* A policy is for a path, whichever cgroup is there. Under scopes_lock, or RCU. */
static struct policy *policy_at(const char *path)
{
	struct policy *policy;

	list_for_each_entry_rcu(policy, &vipzone_cgroup_policies, link, true)
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

/* Paths are looked up from the namespace's root, and policies have whole ones. */
static bool is_at(struct cgroup *cgroup, const char *path)
{
	char name[VIPZONE_PATH];

	return !vipzone_cgroup_path(cgroup, name) && !strcmp(name, path);
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
	vipzone_processes_revoke(policy);
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
			list_add_rcu(&policy->link, &vipzone_cgroup_policies);
		catch_up(policy);
	} else {
		old = rcu_replace_pointer(vipzone_machine_policy, policy, true);
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
		if (!vipzone_cgroup_path(cgroup, path))
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
		policy = rcu_replace_pointer(vipzone_machine_policy, NULL, true);
	mutex_unlock(&scopes_lock);
	drop(policy);
	return policy ? 0 : -ENOENT;
}

/* Hooks are off by now. */
void scopes_exit(void)
{
	struct policy *policy, *next;

	if (watching)
		memsuite_tracepoints_unregister(&probe, 1);
	watching = false;
	list_for_each_entry_safe(policy, next, &vipzone_cgroup_policies, link)
		policy_put(policy);
	INIT_LIST_HEAD(&vipzone_cgroup_policies);
	policy = rcu_replace_pointer(vipzone_machine_policy, NULL, true);
	if (policy)
		policy_put(policy);
}
