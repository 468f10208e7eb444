/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_HOOK_HOOK_CHECK_H
#define MEMSUITE_HOOK_HOOK_CHECK_H

#include <memsuite/hook.h>

/**
 * memsuite_hook_check() - prove that a hook fires, gets its arguments, and is obeyed
 * @id: the point, which is hooked, and being proven
 * @ip: the function's address
 *
 * Context: may sleep; one at a time.
 * Return: 0; -ENXIO (it did not fire as expected); another error: that cannot be told.
 */
int memsuite_hook_check(enum memsuite_hook_point_id id, unsigned long ip);

#endif
