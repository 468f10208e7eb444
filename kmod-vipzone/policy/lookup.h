/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which policy an address space is under: its process's, or else that of the
 * nearest cgroup above it, or else the machine's. What it shares is under that of the file, if the
 * file or its file system has one.
 *
 * This is the side of the readers, who are faults and take no lock;
 * process_table.c, cgroup_policy.c and file_policy.c change what they read.
 */
#ifndef VIPZONE_POLICY_LOOKUP_H
#define VIPZONE_POLICY_LOOKUP_H

#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/pid.h>

#include <compat/page.h>

#include "policy/policy.h"
#include "policy/process_table.h"

/* Steered processes, thousands on a server: the same in both tables; readers under RCU. */
extern DECLARE_HASHTABLE(vipzone_processes_by_mm, 12);
extern DECLARE_HASHTABLE(vipzone_processes_by_pid, 12);

/* The policies of cgroups, the same in both, and that of the machine; readers under RCU. */
extern struct list_head vipzone_cgroup_policies;
extern DECLARE_HASHTABLE(vipzone_policies_by_cgroup, 12);
extern struct vipzone_policy __rcu *vipzone_machine_policy;

/* The policies of files, and how many they are; readers under RCU. */
extern DECLARE_HASHTABLE(vipzone_policies_by_file, 8);
extern unsigned int vipzone_nr_file_policies;

/* The entry of a process, or NULL. Under the lock of the table, or RCU. */
struct vipzone_process *vipzone_process_by_pid(const struct pid *pid);

/**
 * vipzone_policy_of() - the policy that an address space is under
 * @mm: the address space
 *
 * Context: a read side of RCU; takes no lock.
 * Return: the policy, which is there until that ends; or NULL.
 */
struct vipzone_policy *vipzone_policy_of(const struct mm_struct *mm);

/* That of the nearest cgroup from @cgroup up that has one, or NULL. Under RCU. */
struct vipzone_policy *vipzone_policy_of_cgroup(struct cgroup *cgroup);

/* The slow half of vipzone_policy_of_inode(). */
struct vipzone_policy *vipzone_policy_find_of_inode(const struct inode *inode);

/* That of a file, or else of its file system; or NULL. The inode stays; under RCU. */
static inline struct vipzone_policy *vipzone_policy_of_inode(const struct inode *inode)
{
	return likely(!READ_ONCE(vipzone_nr_file_policies)) ? NULL :
		vipzone_policy_find_of_inode(inode);
}

/* That of the file whose pages an area shares with others, or NULL. The area stays; under RCU. */
static inline struct vipzone_policy *vipzone_policy_of_shared(const struct vm_area_struct *vma)
{
	return vma->vm_file ? vipzone_policy_of_inode(file_inode(vma->vm_file)) : NULL;
}

/* The same for kernel threads, which have no address space. */
static inline struct vipzone_policy *vipzone_policy_of_machine(void)
{
	return rcu_dereference_raw(vipzone_machine_policy);
}

/**
 * vipzone_policy_hold() - the policy that an address space is under, to be put
 * @mm: the address space
 *
 * Context: any.
 * Return: the policy, for vipzone_policy_put(); or NULL.
 */
struct vipzone_policy *vipzone_policy_hold(const struct mm_struct *mm);

/* The administrator's, in place of one that a program has chosen; NULL for NULL. */
static inline struct vipzone_policy *vipzone_policy_base(struct vipzone_policy *policy)
{
	return policy && policy->base ? policy->base : policy;
}

/* Which segment a page belongs to that is mapped at @addr of @vma. */
static inline enum vipzone_segment vipzone_segment_of_page(const struct vm_area_struct *vma,
							   struct page *page, unsigned long addr)
{
	if (memsuite_page_shmem(compound_head(page)))
		return VIPZONE_SEGMENT_SHARED;
	return vipzone_segment_of(vma, addr);
}

/* Whether a page is under the policy of a file, not of the process that has it mapped in @vma. */
static inline bool vipzone_page_is_of_file(const struct vm_area_struct *vma,
					   enum vipzone_segment segment)
{
	bool found;

	if (likely(!READ_ONCE(vipzone_nr_file_policies)) || segment != VIPZONE_SEGMENT_SHARED)
		return false;
	rcu_read_lock();
	found = vipzone_policy_of_shared(vma);
	rcu_read_unlock();
	return found;
}

/* Whether it is moved to where it belongs: no page cache of a disk, and none of KSM's. */
static inline bool vipzone_page_is_movable(struct page *page)
{
	struct page *head = compound_head(page);

	return memsuite_page_anon(head) || memsuite_page_shmem(head);
}

/* Whether a page lies in one of the regions of @order. */
bool vipzone_page_is_placed(const struct vipzone_policy *policy,
			    const struct vipzone_order *order, struct page *page);

#endif
