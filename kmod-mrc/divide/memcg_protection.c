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

#include <compat/page.h>

#include "divide/memcg_protection.h"

#ifdef CONFIG_MEMCG
typedef u64 memcg_measure_fn(struct mem_cgroup *memcg);

/* The least of the control groups that a process is in, and which of them has it; 0: none. */
static u64 memcg_least(struct mm_struct *mm, memcg_measure_fn *measure, u64 *whose)
{
	struct mem_cgroup *memcg;
	u64 least = U64_MAX;

	*whose = 0;
	if (mem_cgroup_disabled())
		return U64_MAX;
	rcu_read_lock();
	for (memcg = mem_cgroup_from_task(rcu_dereference(mm->owner)); memcg;
	     memcg = parent_mem_cgroup(memcg)) {
		u64 pages = measure(memcg);

		if (pages < least) {
			least = pages;
			*whose = memcg->css.serial_nr;
		}
	}
	rcu_read_unlock();
	return least;
}

static u64 memcg_slack(struct mem_cgroup *memcg)
{
	u64 protected = max(READ_ONCE(memcg->memory.min), READ_ONCE(memcg->memory.low));
	u64 usage = page_counter_read(&memcg->memory);

	if (!protected)
		return U64_MAX;
	return usage > protected ? usage - protected : 0;
}

static u64 memcg_limit(struct mem_cgroup *memcg)
{
	u64 limit = min(READ_ONCE(memcg->memory.high), READ_ONCE(memcg->memory.max));

	return limit < PAGE_COUNTER_MAX ? limit : U64_MAX;
}

static u64 memcg_swap_room(struct mem_cgroup *memcg)
{
	u64 used = page_counter_read(&memcg->swap), most = READ_ONCE(memcg->swap.max);

	return most > used ? most - used : 0;
}

/* Whether it or one above it protects all that it has. Under RCU. */
static bool memcg_protects(struct mem_cgroup *memcg)
{
	for (; memcg; memcg = parent_mem_cgroup(memcg))
		if (!memcg_slack(memcg))
			return true;
	return false;
}

/* Under RCU. */
static bool memcg_keeps(struct mm_struct *mm, struct mem_cgroup *memcg)
{
	return memcg && memcg != mem_cgroup_from_task(rcu_dereference(mm->owner)) &&
	       memcg_protects(memcg);
}
#else
#define memcg_least(mm, measure, whose)	(*(whose) = 0, U64_MAX)
#define memcg_keeps(mm, memcg)		((void)(memcg), false)
#endif

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
	u64 whose;

	return memcg_least(mm, memcg_slack, &whose);
}

/**
 * mrc_memcg_keeps() - whether a page is protected by others than mrc_memcg_slack() counts
 * @mm: the address space of the process
 * @page: a page of it
 *
 * What a process got in another control group is charged there still.
 *
 * Context: any.
 * Return: whether it is not to be evicted.
 */
bool mrc_memcg_keeps(struct mm_struct *mm, struct page *page)
{
	bool keeps;

	if (mem_cgroup_disabled())
		return false;
	rcu_read_lock();
	keeps = memcg_keeps(mm, memsuite_page_memcg(page));
	rcu_read_unlock();
	return keeps;
}

/**
 * mrc_memcg_limit() - how much memory a process may have
 * @mm: its address space
 * @whose: the control group that says so, by a number that no other ever has; 0: none
 *
 * The strictest of the control groups that it is in counts. All processes of that one
 * have so much together.
 *
 * Context: any.
 * Return: pages; U64_MAX if nothing limits them.
 */
u64 mrc_memcg_limit(struct mm_struct *mm, u64 *whose)
{
	return memcg_least(mm, memcg_limit, whose);
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
	u64 whose;

	return memcg_least(mm, memcg_swap_room, &whose);
}
