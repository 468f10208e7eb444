/* SPDX-License-Identifier: GPL-2.0-only */
/* The controller of the workers: begins sweeps, and makes testing keep up. */
#ifndef MEMDIAG_PATHS_CONTROLLER_H
#define MEMDIAG_PATHS_CONTROLLER_H

#include <linux/types.h>

struct attribute_group;

extern const struct attribute_group memdiag_control_group;

/* Begin to test. May sleep. Returns 0, -ENOMEM, or what keeps the core from it. */
int memdiag_controller_start(void);
/* May sleep; nothing happens if it does not run. */
void memdiag_controller_stop(void);
bool memdiag_controller_running(void);

#endif
