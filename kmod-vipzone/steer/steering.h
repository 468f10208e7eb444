/* SPDX-License-Identifier: GPL-2.0-only */
/* The handlers of the hooks. */
#ifndef VIPZONE_STEER_STEERING_H
#define VIPZONE_STEER_STEERING_H

/* Arms them. May sleep. 0, else as memsuite_hook_arm(), and nothing is armed. */
int vipzone_steering_start(void);

/* Disarms them, and waits for those that run. May sleep. */
void vipzone_steering_stop(void);

#endif
