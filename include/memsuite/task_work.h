/* SPDX-License-Identifier: GPL-2.0-only */
/* Work that a task does itself on its way to user space, where it may sleep. */
#ifndef MEMSUITE_TASK_WORK_H
#define MEMSUITE_TASK_WORK_H

#include <linux/types.h>

struct memsuite_task_work;

/**
 * memsuite_task_work_new() - something to do, for one task at a time
 * @run: does it; may sleep
 * @whose: is passed to it
 *
 * Context: may sleep.
 * Return: NULL if memory is short.
 */
struct memsuite_task_work *memsuite_task_work_new(void (*run)(void *whose), void *whose);

/**
 * memsuite_task_work_send() - have the current task do it before it is in user space again
 * @item: from memsuite_task_work_new()
 *
 * Context: any, for a task that comes from user space.
 * Return: false if it is under way already, or the task is ending.
 */
bool memsuite_task_work_send(struct memsuite_task_work *item);

/**
 * memsuite_task_work_drop() - have it not done any more, and free it
 * @item: from memsuite_task_work_new(); it is gone then; or NULL
 *
 * A task may take for ever to come back, in a page fault that a program of its
 * own is to answer, say. That is not waited for: the task will do nothing. Until
 * it has, memsuite.ko cannot be unloaded, but whoever called this can. Nobody may
 * call memsuite_task_work_send() meanwhile. Context: may sleep, for as long as it is being
 * done.
 */
void memsuite_task_work_drop(struct memsuite_task_work *item);

#endif
