/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The proofs. Context of all: may sleep; one at a time; the point is hooked, and being
 * proven. They return 0; -ENXIO: the hook did not fire as expected; or another
 * error: that cannot be told.
 */
#ifndef MEMSUITE_HOOK_HOOK_CHECK_PRIVATE_H
#define MEMSUITE_HOOK_HOOK_CHECK_PRIVATE_H

#include <linux/types.h>

/* hook_check_call.c: calls of our own, with arguments that nobody else uses. */
int memsuite_hook_check_fault(void);
int memsuite_hook_check_cache(unsigned long ip);
int memsuite_hook_check_shmem_calls(void);
int memsuite_hook_check_entry(void);
int memsuite_hook_check_misplaced(void);
int memsuite_hook_check_clear(void);

/* hook_check_user.c: a page fault of the arming task, for which the hook supplies the page. */
int memsuite_hook_check_user(void);

/* hook_check_shmem.c: a page of a file of our own, for which the hook supplies it. */
int memsuite_hook_check_shmem(void);

/* hook_check_hugetlb.c: calls of our own, for an area that the kernel takes for hugetlbfs's. */
int memsuite_hook_check_hugetlb(void);

/* hook_check_mremap.c: a mapping of the arming task is moved, which needs an address space. */
int memsuite_hook_check_mremap(void);

#endif
