/* SPDX-License-Identifier: GPL-2.0-only */
/* What is gathered in huge pages, if the kernel tells. */
#ifndef VIPZONE_STEER_COLLAPSE_COUNT_H
#define VIPZONE_STEER_COLLAPSE_COUNT_H

/* These may sleep; calls do not overlap. */
void vipzone_collapse_count_watch(void);
void vipzone_collapse_count_ignore(void);

#endif
