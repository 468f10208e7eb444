/* SPDX-License-Identifier: GPL-2.0-only */
/* The C library reads this one, too. */
#include_next <linux/errno.h>
#include <linux/kernel.h>
