/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_HOOK_HOOK_CHECK_H
#define MEMSUITE_HOOK_HOOK_CHECK_H

#include <memsuite/hook.h>

/* What is armed while a point is being proven. */
extern const struct memsuite_hook memsuite_hook_check_handlers;

/**
 * memsuite_hook_check() - prove that a hook fires and gets its arguments
 * @id: the point, with memsuite_hook_check_handlers armed
 *
 * Context: may sleep; one at a time.
 * Return: 0; -ENXIO (it did not fire as expected); another error: that cannot be told.
 */
int memsuite_hook_check(enum memsuite_hook_point_id id);

#endif
