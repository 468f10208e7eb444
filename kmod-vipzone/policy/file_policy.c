// SPDX-License-Identifier: GPL-2.0-only
/* The policies of files; file_policy.h. */

#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/path.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include <memsuite/hook_watch.h>

#include "policy/file_policy.h"
#include "policy/lookup.h"

static DEFINE_MUTEX(file_policy_lock);	/* of vipzone_policies_by_file and how many they are */

/* Under file_policy_lock. */
static struct vipzone_policy *policy_of_same(const struct vipzone_file *file)
{
	struct vipzone_policy *policy;

	hash_for_each_possible(vipzone_policies_by_file, policy, by_file, vipzone_file_key(file))
		if (vipzone_file_is(&policy->file, file))
			return policy;
	return NULL;
}

/* Under file_policy_lock. */
static struct vipzone_policy *policy_named(const char *name)
{
	struct vipzone_policy *policy;
	int bucket;

	hash_for_each(vipzone_policies_by_file, bucket, policy, by_file)
		if (!strcmp(policy->command.path, name))
			return policy;
	return NULL;
}

/* Whoever uses such files is asked about. */
static void policy_watch(const struct vipzone_policy *policy,
			 void (*change)(enum memsuite_hook_point_id id))
{
	if (policy->file.kind == VIPZONE_FILE_SHMEM)
		change(MEMSUITE_HOOK_POINT_SHMEM_ALLOC);
	else if (policy->file.kind == VIPZONE_FILE_CACHE)
		change(MEMSUITE_HOOK_POINT_CACHE_ALLOC);
}

/* Under file_policy_lock. */
static void policy_hash(struct vipzone_policy *policy)
{
	hash_add_rcu(vipzone_policies_by_file, &policy->by_file, vipzone_file_key(&policy->file));
	WRITE_ONCE(vipzone_nr_file_policies, vipzone_nr_file_policies + 1);
	policy_watch(policy, memsuite_hook_watch_files);
}

/* Under file_policy_lock. Hooks may still look at it: policy_drop() waits for them. */
static void policy_unhash(struct vipzone_policy *policy)
{
	if (!policy)
		return;
	hash_del_rcu(&policy->by_file);
	WRITE_ONCE(vipzone_nr_file_policies, vipzone_nr_file_policies - 1);
	policy_watch(policy, memsuite_hook_unwatch_files);
}

static void policy_drop(struct vipzone_policy *policy)
{
	if (!policy)
		return;
	synchronize_rcu();
	vipzone_policy_put(policy);
}

void vipzone_file_policy_set(struct vipzone_policy *policy)
{
	struct vipzone_policy *same, *named;

	mutex_lock(&file_policy_lock);
	same = policy_of_same(&policy->file);
	/* Another file may have the name by now. */
	named = policy_named(policy->command.path);
	if (named == same)
		named = NULL;
	policy_hash(policy);
	policy_unhash(same);
	policy_unhash(named);
	mutex_unlock(&file_policy_lock);
	policy_drop(same);
	policy_drop(named);
}

int vipzone_file_policy_remove(const char *name)
{
	struct vipzone_policy *policy;
	struct vipzone_file file;
	struct path path;
	bool found = !vipzone_file_find(name, &path, &file);

	mutex_lock(&file_policy_lock);
	policy = policy_named(name);
	if (!policy && found)
		policy = policy_of_same(&file);
	policy_unhash(policy);
	mutex_unlock(&file_policy_lock);
	if (found)
		path_put(&path);
	policy_drop(policy);
	return policy ? 0 : -ENOENT;
}

struct vipzone_policy *vipzone_file_policy_hold(const struct inode *inode)
{
	struct vipzone_policy *policy;

	rcu_read_lock();
	policy = vipzone_policy_of_inode(inode);
	if (policy)
		vipzone_policy_get(policy);
	rcu_read_unlock();
	return policy;
}

/* Hooks are off by now. */
void vipzone_file_policy_exit(void)
{
	struct vipzone_policy *policy;
	struct hlist_node *next;
	int bucket;

	hash_for_each_safe(vipzone_policies_by_file, bucket, next, policy, by_file) {
		policy_unhash(policy);
		policy_drop(policy);
	}
}
