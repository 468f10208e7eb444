// SPDX-License-Identifier: GPL-2.0-only
/*
 * The policies of cgroups and of the machine. A process without a policy of its own
 * is under that of the nearest cgroup above it, or else that of the machine.
 */

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include <trace/events/cgroup.h>

#include <memsuite/hook_watch.h>
#include <memsuite/tracepoints.h>

#include "policy/cgroup_policy.h"
#include "policy/cgroup_watch.h"
#include "policy/lookup.h"
#include "policy/process_table.h"

static DEFINE_MUTEX(cgroup_policy_lock);	/* of vipzone_cgroup_policies and the machine's */
static DEFINE_SPINLOCK(by_cgroup_lock);		/* of vipzone_policies_by_cgroup */

/* Each cgroup that is made is looked up here, however many have policies. */
static DEFINE_HASHTABLE(by_path, 10);		/* under cgroup_policy_lock; readers under RCU */

static u32 path_key(const char *path)
{
	return full_name_hash(NULL, path, strlen(path));
}

/* A policy is for a path, whichever cgroup is there. Under cgroup_policy_lock, or RCU. */
static struct vipzone_policy *policy_at(const char *path)
{
	struct vipzone_policy *policy;

	hash_for_each_possible_rcu(by_path, policy, by_path, path_key(path),
				   lockdep_is_held(&cgroup_policy_lock))
		if (!strcmp(policy->command.path, path))
			return policy;
	return NULL;
}

/* Under cgroup_policy_lock. */
static void policy_delist(struct vipzone_policy *policy)
{
	hash_del_rcu(&policy->by_path);
	list_del_rcu(&policy->link);
}

static void by_cgroup_add(struct vipzone_policy *policy)
{
	spin_lock(&by_cgroup_lock);
	hash_add_rcu(vipzone_policies_by_cgroup, &policy->by_cgroup,
		     (unsigned long)policy->cgroup);
	spin_unlock(&by_cgroup_lock);
}

static void by_cgroup_remove(struct vipzone_policy *policy)
{
	spin_lock(&by_cgroup_lock);
	hash_del_rcu(&policy->by_cgroup);
	spin_unlock(&by_cgroup_lock);
}

/*
 * Takes over a reference to another cgroup at its path, unless it has been removed. Who
 * looks through a bucket at this moment may miss what is behind it, once.
 */
static void policy_follow(struct vipzone_policy *policy, struct cgroup *cgroup)
{
	struct cgroup *idle = cgroup;

	spin_lock(&by_cgroup_lock);
	if (!hlist_unhashed(&policy->by_cgroup)) {
		hash_del_rcu(&policy->by_cgroup);
		idle = policy->cgroup;
		WRITE_ONCE(policy->cgroup, cgroup);
		hash_add_rcu(vipzone_policies_by_cgroup, &policy->by_cgroup,
			     (unsigned long)cgroup);
	}
	spin_unlock(&by_cgroup_lock);
	if (idle)
		cgroup_put(idle);
}

/*
 * A cgroup was made, as a service's is each time it starts. Inside a tracepoint:
 * no sleeping. Readers of the cgroup before are in RCU, which keeps it from being
 * freed.
 */
static void probe_mkdir(void *data, struct cgroup *cgroup, const char *path)
{
	struct vipzone_policy *policy;

	if (cgroup->root != &cgrp_dfl_root)
		return;
	rcu_read_lock();
	policy = policy_at(path);
	if (policy) {
		css_get(&cgroup->self);
		policy_follow(policy, cgroup);
	}
	rcu_read_unlock();
}

static void probe_attach(void *data, struct cgroup *cgroup, const char *path,
			 struct task_struct *task, bool threadgroup)
{
	if (cgroup->root == &cgrp_dfl_root)
		vipzone_cgroup_watch_moved(cgroup, task);
}

static struct memsuite_tracepoint probes[] = {
	MEMSUITE_TRACEPOINT(cgroup_mkdir, probe_mkdir),
	MEMSUITE_TRACEPOINT(cgroup_attach_task, probe_attach),
};

static bool watching;			/* under cgroup_policy_lock */

int vipzone_cgroup_policy_watch(void)
{
	int err = 0;

	mutex_lock(&cgroup_policy_lock);
	if (!watching) {
		err = memsuite_tracepoints_register(probes, ARRAY_SIZE(probes));
		watching = !err;
	}
	mutex_unlock(&cgroup_policy_lock);
	return err;
}

/* A path is looked up from the namespace's root, but policies have full paths. */
static bool is_at(struct cgroup *cgroup, const char *path)
{
	char name[VIPZONE_PATH_SIZE];

	return !vipzone_cgroup_path(cgroup, name) && !strcmp(name, path);
}

/*
 * The cgroup may have been made, or made again, after its path was looked up, before
 * the policy was in the list: no probe has seen that. From here on, probes do.
 */
static void policy_catch_up(struct vipzone_policy *policy)
{
	const char *path = policy->command.path;
	struct cgroup *cgroup;

	for (;;) {
		cgroup = cgroup_get_from_path(path);
		if (IS_ERR(cgroup))
			return;
		if (cgroup == READ_ONCE(policy->cgroup) || !is_at(cgroup, path))
			break;
		policy_follow(policy, cgroup);
	}
	cgroup_put(cgroup);
}

/* Whose faults the hooks are asked about, for a policy that has come or is gone. */
static void watch(const struct vipzone_policy *policy, bool on)
{
	if (policy->command.scope == VIPZONE_SCOPE_CGROUP)
		vipzone_cgroup_watch_renew();
	else if (on)
		memsuite_hook_watch_all();
	else
		memsuite_hook_unwatch_all();
}

/* Hooks may still look at it. */
static void policy_drop(struct vipzone_policy *policy)
{
	if (!policy)
		return;
	watch(policy, false);
	synchronize_rcu();
	vipzone_processes_revoke(policy);
	vipzone_policy_put(policy);
}

void vipzone_cgroup_policy_set(struct vipzone_policy *policy)
{
	struct vipzone_policy *old;

	mutex_lock(&cgroup_policy_lock);
	if (policy->command.scope == VIPZONE_SCOPE_CGROUP) {
		old = policy_at(policy->command.path);
		list_add_rcu(&policy->link, &vipzone_cgroup_policies);
		hash_add_rcu(by_path, &policy->by_path, path_key(policy->command.path));
		if (old)
			policy_delist(old);
		by_cgroup_add(policy);
		policy_catch_up(policy);
		if (old)
			by_cgroup_remove(old);
	} else {
		old = rcu_replace_pointer(vipzone_machine_policy, policy, true);
	}
	watch(policy, true);
	mutex_unlock(&cgroup_policy_lock);
	policy_drop(old);
}

/* The cgroup may be gone; then only its full path will do. */
static struct vipzone_policy *policy_take(const char *written)
{
	struct cgroup *cgroup = cgroup_get_from_path(written);
	struct vipzone_policy *policy = NULL;
	char path[VIPZONE_PATH_SIZE];

	if (IS_ERR(cgroup)) {
		policy = policy_at(written);
	} else {
		if (!vipzone_cgroup_path(cgroup, path))
			policy = policy_at(path);
		cgroup_put(cgroup);
	}
	if (policy) {
		policy_delist(policy);
		by_cgroup_remove(policy);
	}
	return policy;
}

int vipzone_cgroup_policy_remove(const struct vipzone_command *command)
{
	struct vipzone_policy *policy;

	mutex_lock(&cgroup_policy_lock);
	if (command->scope == VIPZONE_SCOPE_CGROUP)
		policy = policy_take(command->path);
	else
		policy = rcu_replace_pointer(vipzone_machine_policy, NULL, true);
	mutex_unlock(&cgroup_policy_lock);
	policy_drop(policy);
	return policy ? 0 : -ENOENT;
}

/* Hooks are off by now. */
void vipzone_cgroup_policy_exit(void)
{
	struct vipzone_policy *policy, *next;

	if (watching)
		memsuite_tracepoints_unregister(probes, ARRAY_SIZE(probes));
	watching = false;
	vipzone_cgroup_watch_exit();
	list_for_each_entry_safe(policy, next, &vipzone_cgroup_policies, link) {
		policy_delist(policy);
		by_cgroup_remove(policy);
		vipzone_policy_put(policy);
	}
	vipzone_cgroup_watch_renew();
	policy = rcu_replace_pointer(vipzone_machine_policy, NULL, true);
	if (policy)
		policy_drop(policy);
}
