/* SPDX-License-Identifier: GPL-2.0-only */
/* The address space of a process, whose first thread may have ended before the others. */
#ifndef MEMSUITE_PROCESS_H
#define MEMSUITE_PROCESS_H

struct mm_struct;
struct task_struct;

/**
 * memsuite_process_mm() - the address space of a process
 * @task: any thread of it, which does not go: by a reference, or under RCU
 *
 * Context: takes task_lock().
 * Return: it, with a reference to mmput(), or NULL: the process has ended, or is a kernel thread.
 */
struct mm_struct *memsuite_process_mm(struct task_struct *task);

/**
 * memsuite_process_mm_grab() - the same, without its memory
 * @task: any thread of it, which does not go: by a reference, or under RCU
 *
 * For what takes long: who holds the memory of a process keeps it from being freed when the process
 * is killed.
 *
 * Context: takes task_lock().
 * Return: it, with a reference to mmdrop(), or NULL: the process has ended, or is a kernel thread.
 */
struct mm_struct *memsuite_process_mm_grab(struct task_struct *task);

#endif
