/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fork, exec and exit of steered and tagged processes. They are followed from the
 * first process on until the module goes.
 */
#ifndef VIPZONE_STEER_TASK_EVENTS_H
#define VIPZONE_STEER_TASK_EVENTS_H

/**
 * vipzone_task_events_start() - follow them, unless they are followed already
 *
 * To be called before a process is steered or tagged. Context: may sleep.
 * Return: 0 or an error.
 */
int vipzone_task_events_start(void);

/* Stops following them, and waits for the probes that run. May sleep. */
void vipzone_task_events_stop(void);

#endif
