/* SPDX-License-Identifier: GPL-2.0-only */
/* The end of it, for main.c; all else is in memsuite/task_work.h. */
#ifndef MEMSUITE_KERNEL_TASK_WORK_PRIVATE_H
#define MEMSUITE_KERNEL_TASK_WORK_PRIVATE_H

#include <memsuite/task_work.h>

/* Waits for tasks that are still in this module's function. May sleep. */
void memsuite_task_works_exit(void);

#endif
