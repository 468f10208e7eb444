/* SPDX-License-Identifier: GPL-2.0-only */
/* The account of all pages that the suite holds: blocks here, pools beside. */
#ifndef MEMSUITE_HOLDING_H
#define MEMSUITE_HOLDING_H

#include <linux/types.h>

void ms_holding_add(long pages);
long ms_holding_pages(void);

/*
 * As ms_hold_wait(), for so many jiffies at most: for who has a lock that a
 * holder may need. Returns whether all stretches are over. May sleep.
 */
bool ms_hold_wait_for(unsigned long timeout);

/* Nothing of ms_hold_wait_for() is left. May sleep. */
void ms_hold_exit(void);

/* Somebody waits in ms_hold_wait(): who holds for long should end. */
bool ms_hold_wanted(void);

#endif
