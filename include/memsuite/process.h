/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes, and their address spaces: the first thread may have ended before the others. */
#ifndef MEMSUITE_PROCESS_H
#define MEMSUITE_PROCESS_H

#include <linux/types.h>

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

/**
 * memsuite_process_next() - the process with the smallest number from a given one on
 * @nr: the number, in the initial namespace; then that of the process
 *
 * To go through all, however many they are: RCU may be left between two calls, and what ends
 * meanwhile keeps nobody from finding the next one. For for_each_process() RCU is held throughout.
 *
 * Context: under RCU.
 * Return: its first thread, which stays while RCU is held; NULL: there is none.
 */
struct task_struct *memsuite_process_next(pid_t *nr);

#endif
