// SPDX-License-Identifier: GPL-2.0-only
/*
 * What memory.min, memory.low and memory.swap.max protect: evicting keeps to it as reclaim
 * does. And what memory.high and memory.max allow: nobody else is made smaller for what
 * cannot be had.
 */

#include <linux/limits.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/mm_types.h>
#include <linux/page_counter.h>
#include <linux/rcupdate.h>

#include "divide/memcg_protection.h"

#ifdef CONFIG_MEMCG
static u64 memcg_slack(struct mem_cgroup *memcg)
{
	u64 protected = max(READ_ONCE(memcg->memory.min), READ_ONCE(memcg->memory.low));
	u64 usage = page_counter_read(&memcg->memory);

	if (!protected)
		return U64_MAX;
	return usage > protected ? usage - protected : 0;
}

/**
 * mrc_memcg_slack() - how much may be evicted of a process
 * @mm: its address space
 *
 * The strictest of the control groups that it is in counts. Reclaim divides what a
 * group protects among those below it; here each may be made smaller down to what it
 * protects by itself.
 *
 * Context: any.
 * Return: pages; U64_MAX if nothing protects them.
 */
u64 mrc_memcg_slack(struct mm_struct *mm)
{
	struct mem_cgroup *memcg;
	u64 slack = U64_MAX;

	if (mem_cgroup_disabled())
		return U64_MAX;
	rcu_read_lock();
	for (memcg = mem_cgroup_from_task(rcu_dereference(mm->owner)); memcg;
	     memcg = parent_mem_cgroup(memcg))
		slack = min(slack, memcg_slack(memcg));
	rcu_read_unlock();
	return slack;
}

/**
 * mrc_memcg_limit() - how much memory a process may have
 * @mm: its address space
 *
 * The strictest of the control groups that it is in counts.
 *
 * Context: any.
 * Return: pages; U64_MAX if nothing limits them.
 */
u64 mrc_memcg_limit(struct mm_struct *mm)
{
	struct mem_cgroup *memcg;
	u64 limit = U64_MAX;

	if (mem_cgroup_disabled())
		return U64_MAX;
	rcu_read_lock();
	for (memcg = mem_cgroup_from_task(rcu_dereference(mm->owner)); memcg;
	     memcg = parent_mem_cgroup(memcg))
		limit = min3(limit, (u64)READ_ONCE(memcg->memory.high),
			     (u64)READ_ONCE(memcg->memory.max));
	rcu_read_unlock();
	return limit;
}

/**
 * mrc_memcg_may_swap() - whether control groups let pages of a process be swapped out
 * @mm: its address space
 *
 * Context: any.
 * Return: false: memory.swap.max of one of them is reached.
 */
bool mrc_memcg_may_swap(struct mm_struct *mm)
{
	struct mem_cgroup *memcg;
	bool may = true;

	if (mem_cgroup_disabled())
		return true;
	rcu_read_lock();
	for (memcg = mem_cgroup_from_task(rcu_dereference(mm->owner)); memcg;
	     memcg = parent_mem_cgroup(memcg))
		may &= page_counter_read(&memcg->swap) < READ_ONCE(memcg->swap.max);
	rcu_read_unlock();
	return may;
}
#else
u64 mrc_memcg_slack(struct mm_struct *mm)
{
	return U64_MAX;
}

u64 mrc_memcg_limit(struct mm_struct *mm)
{
	return U64_MAX;
}

bool mrc_memcg_may_swap(struct mm_struct *mm)
{
	return true;
}
#endif
