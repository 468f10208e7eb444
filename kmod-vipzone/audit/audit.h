/* SPDX-License-Identifier: GPL-2.0-only */
/* The thread that looks where pages are and how they are used. */
#ifndef VIPZONE_AUDIT_AUDIT_H
#define VIPZONE_AUDIT_AUDIT_H

#include <linux/sysfs.h>

/* The files in vipzone/audit, which start it. */
extern const struct attribute_group vipzone_audit_group;

/* Stops the thread. May sleep. */
void vipzone_audit_stop(void);

#endif
