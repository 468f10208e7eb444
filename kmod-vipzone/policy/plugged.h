/* SPDX-License-Identifier: GPL-2.0-only */
/* Regions of policies whose memory comes online, or goes offline. */
#ifndef VIPZONE_POLICY_PLUGGED_H
#define VIPZONE_POLICY_PLUGGED_H

/* Have policies follow it. May sleep. Returns 0 or an error. */
int vipzone_plugged_init(void);
void vipzone_plugged_exit(void);

#endif
