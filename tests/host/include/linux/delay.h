/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOST_LINUX_DELAY_H
#define HOST_LINUX_DELAY_H

#include <linux/kernel.h>
#include <unistd.h>

#define msleep(ms)	((void)usleep((ms) * 1000))

#endif
