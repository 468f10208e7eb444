// SPDX-License-Identifier: GPL-2.0-only
/* Which policy an address space is under; lookup.h. */

#include <linux/cgroup.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "policy/lookup.h"

DEFINE_HASHTABLE(vipzone_processes_by_mm, 12);
DEFINE_HASHTABLE(vipzone_processes_by_pid, 12);
LIST_HEAD(vipzone_cgroup_policies);
DEFINE_HASHTABLE(vipzone_policies_by_cgroup, 12);
struct vipzone_policy __rcu *vipzone_machine_policy;
DEFINE_HASHTABLE(vipzone_policies_by_file, 8);
unsigned int vipzone_nr_file_policies;

struct vipzone_process *vipzone_process_by_pid(const struct pid *pid)
{
	unsigned int bucket = hash_min((unsigned long)pid,
				       HASH_BITS(vipzone_processes_by_pid));
	struct vipzone_process *process;

	hlist_for_each_entry_rcu(process, &vipzone_processes_by_pid[bucket], by_pid)
		if (process->pid == pid)
			return process;
	return NULL;
}

static struct vipzone_process *process_of(const struct mm_struct *mm)
{
	unsigned int bucket = hash_min((unsigned long)mm, HASH_BITS(vipzone_processes_by_mm));
	struct vipzone_process *process;

	hlist_for_each_entry_rcu(process, &vipzone_processes_by_mm[bucket], by_mm)
		if (process->mm == mm)
			return process;
	/* Until exec is over, the new address space is in no table. */
	return current->in_execve ? vipzone_process_by_pid(task_tgid(current)) : NULL;
}

static struct vipzone_policy *policy_for(const struct cgroup *cgroup)
{
	unsigned int bucket = hash_min((unsigned long)cgroup,
				       HASH_BITS(vipzone_policies_by_cgroup));
	struct vipzone_policy *policy;

	hlist_for_each_entry_rcu(policy, &vipzone_policies_by_cgroup[bucket], by_cgroup)
		if (READ_ONCE(policy->cgroup) == cgroup)
			return policy;
	return NULL;
}

/* By the depth of the cgroup, however many others have policies. */
struct vipzone_policy *vipzone_policy_of_cgroup(struct cgroup *cgroup)
{
	struct vipzone_policy *policy = NULL;

	for (; cgroup && !policy; cgroup = cgroup_parent(cgroup))
		policy = policy_for(cgroup);
	return policy;
}

static struct vipzone_policy *policy_for_file(const struct vipzone_file *file)
{
	unsigned int bucket = hash_min(vipzone_file_key(file),
				       HASH_BITS(vipzone_policies_by_file));
	struct vipzone_policy *policy;

	hlist_for_each_entry_rcu(policy, &vipzone_policies_by_file[bucket], by_file)
		if (vipzone_file_is(&policy->file, file))
			return policy;
	return NULL;
}

struct vipzone_policy *vipzone_policy_find_of_inode(const struct inode *inode)
{
	struct vipzone_file file = vipzone_file_of(inode);
	struct vipzone_policy *policy;
	const struct dentry *root;

	policy = policy_for_file(&file);
	if (policy)
		return policy;
	/* A file system that is being unmounted has none. */
	root = READ_ONCE(inode->i_sb->s_root);
	if (!root)
		return NULL;
	file = vipzone_file_of(d_inode(root));
	file.all = true;
	return policy_for_file(&file);
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

/* That of a cgroup or of the machine. */
static struct vipzone_policy *scope_policy(const struct mm_struct *mm)
{
	struct vipzone_policy *policy = NULL;
	struct cgroup *cgroup;

	if (mm && !list_empty(&vipzone_cgroup_policies)) {
		cgroup = cgroup_of(mm);
		if (cgroup)
			policy = vipzone_policy_of_cgroup(cgroup);
	}
	return policy ?: vipzone_policy_of_machine();
}

/*
 * The most specific one applies; but what a program has chosen only while the
 * policy that allows it to choose would apply.
 */
struct vipzone_policy *vipzone_policy_of(const struct mm_struct *mm)
{
	struct vipzone_process *process = process_of(mm);
	struct vipzone_policy *base, *scope;

	if (likely(!process))
		return scope_policy(mm);
	base = process->policy->base;
	if (likely(!base) || base->command.scope == VIPZONE_SCOPE_PROCESS)
		return process->policy;
	scope = scope_policy(mm);
	return scope == base ? process->policy : scope;
}

struct vipzone_policy *vipzone_policy_hold(const struct mm_struct *mm)
{
	struct vipzone_policy *policy;

	rcu_read_lock();
	preempt_disable();
	policy = vipzone_policy_of(mm);
	if (policy)
		vipzone_policy_get(policy);
	preempt_enable();
	rcu_read_unlock();
	return policy;
}

bool vipzone_page_is_placed(const struct vipzone_policy *policy,
			    const struct vipzone_order *order, struct page *page)
{
	unsigned int i;

	for (i = 0; i < order->nr; i++)
		if (memsuite_region_has(policy->targets[order->region[i]].region, page))
			return true;
	return false;
}
