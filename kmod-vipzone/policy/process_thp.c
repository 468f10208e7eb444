// SPDX-License-Identifier: GPL-2.0-only
/* khugepaged and huge pages are kept from a steered process where they would undo its policy. */

#include <linux/hashtable.h>
#include <linux/mm_types.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include <compat/thp.h>

#include "policy/lookup.h"
#include "policy/process_thp.h"

/* Whether an entry forbids it huge pages, and not the process itself. Under table_lock. */
bool vipzone_thp_is_forbidden(const struct mm_struct *mm)
{
	struct vipzone_process *process;

	hash_for_each_possible(vipzone_processes_by_mm, process, by_mm,
			       (unsigned long)mm)
		if (process->mm == mm && process->thp == VIPZONE_THP_FORBIDDEN)
			return true;
	return false;
}

/*
 * If a region is a whole node, khugepaged is left alone. Else it is kept away,
 * unless it knows the address space already, as that of a forked child. Bank sets
 * cannot use huge pages: these are forbidden.
 */
enum vipzone_thp vipzone_thp_restrict(const struct vipzone_policy *policy,
				      struct mm_struct *mm,
				      const struct mm_struct *from)
{
	if (policy->has_node)
		return VIPZONE_THP_AS_EVER;
	if (policy->has_large)
		return memsuite_khugepaged_avoid(mm) ? VIPZONE_THP_NOT_GATHERED :
						       VIPZONE_THP_AS_EVER;
	if (memsuite_thp_disable(mm) || (from != mm && vipzone_thp_is_forbidden(from)))
		return VIPZONE_THP_FORBIDDEN;
	return VIPZONE_THP_AS_EVER;
}

void vipzone_thp_release(const struct vipzone_process *process)
{
	if (process->thp == VIPZONE_THP_NOT_GATHERED)
		memsuite_khugepaged_admit(process->mm);
	if (process->thp == VIPZONE_THP_FORBIDDEN)
		memsuite_thp_enable(process->mm);
}

/* A child of vfork() or posix_spawn() execs from its parent's address space. */
bool vipzone_thp_parent_is_forbidden(const struct task_struct *task)
{
	bool forbidden;

	rcu_read_lock();
	forbidden = vipzone_thp_is_forbidden(READ_ONCE(rcu_dereference(task->real_parent)->mm));
	rcu_read_unlock();
	return forbidden;
}
