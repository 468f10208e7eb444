// SPDX-License-Identifier: GPL-2.0-only
/*
 * The proof that a hook works. No compiler and no symbol table can tell that an argument has
 * moved, or that the kernel calls a clone of the function. So the hooked function is called with
 * arguments that nobody else uses, none of them neutral, and must arrive as it was called; and the
 * kernel must come by on its own way, where the arming task can make it.
 */

#include <linux/errno.h>
#include <linux/sched.h>

#include <memsuite/hook_watch.h>

#include "hook/hook_check.h"
#include "hook/hook_check_private.h"

static int point_check(enum memsuite_hook_point_id id, unsigned long ip)
{
	switch (id) {
	case MEMSUITE_HOOK_POINT_FAULT_ALLOC:
		return memsuite_hook_check_fault() ?: memsuite_hook_check_user();
	case MEMSUITE_HOOK_POINT_CACHE_ALLOC:
		return memsuite_hook_check_cache(ip);
	case MEMSUITE_HOOK_POINT_SHMEM_ALLOC:
		return memsuite_hook_check_shmem_calls() ?: memsuite_hook_check_shmem();
	case MEMSUITE_HOOK_POINT_HUGETLB_POLICY:
		return memsuite_hook_check_hugetlb();
	case MEMSUITE_HOOK_POINT_ALLOC_ENTRY:
		return memsuite_hook_check_entry();
	case MEMSUITE_HOOK_POINT_MREMAP_MOVE:
		return memsuite_hook_check_mremap();
	case MEMSUITE_HOOK_POINT_NUMA_MISPLACED:
		return memsuite_hook_check_misplaced();
	case MEMSUITE_HOOK_POINT_FAULT_CLEAR:
		return memsuite_hook_check_clear();
	default:
		return -EINVAL;
	}
}

int memsuite_hook_check(enum memsuite_hook_point_id id, unsigned long ip)
{
	struct mm_struct *mm = current->mm;
	int err;

	/* A direct call asks about nobody else. */
	memsuite_hook_watch(mm);
	memsuite_hook_watch_entry();
	err = point_check(id, ip);
	memsuite_hook_unwatch_entry();
	memsuite_hook_unwatch(mm);
	return err;
}
