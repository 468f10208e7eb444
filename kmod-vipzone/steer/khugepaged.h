/* SPDX-License-Identifier: GPL-2.0-only */
/* What is gathered in huge pages, if the kernel tells. */
#ifndef VIPZONE_STEER_KHUGEPAGED_H
#define VIPZONE_STEER_KHUGEPAGED_H

/* These may sleep; calls do not overlap. */
void vipzone_khugepaged_watch(void);
void vipzone_khugepaged_ignore(void);

#endif
