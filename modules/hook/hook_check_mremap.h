/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_HOOK_HOOK_CHECK_MREMAP_H
#define MEMSUITE_HOOK_HOOK_CHECK_MREMAP_H

#include <linux/mm_types.h>

/* The handler, while MEMSUITE_HOOK_POINT_MREMAP_MOVE is being proven. */
void memsuite_hook_check_mremap_seen(struct mm_struct *mm, unsigned long from,
				     unsigned long to, unsigned long length);

/**
 * memsuite_hook_check_mremap() - make the hook of mremap.move fire
 *
 * Context: may sleep; in a task with an address space of its own.
 * Return: 0; -ENXIO (it did not fire as expected); another error: that cannot be told.
 */
int memsuite_hook_check_mremap(void);

#endif
