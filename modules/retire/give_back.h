/* SPDX-License-Identifier: GPL-2.0-only */
/* The account of all pages that the suite holds: blocks here, pools beside. */
#ifndef MEMSUITE_HOLDING_H
#define MEMSUITE_HOLDING_H

#include <linux/types.h>

void memsuite_held_pages_add(long pages);
long memsuite_held_pages(void);

/*
 * As memsuite_hold_wait(), for so many jiffies at most: for who has a lock that a
 * holder may need. Returns whether all stretches are over. May sleep.
 */
bool memsuite_hold_wait_for(unsigned long timeout);

/* Nothing of memsuite_hold_wait_for() is left. May sleep. */
void memsuite_hold_exit(void);

/* Somebody waits in memsuite_hold_wait(): who holds for long should end. */
bool memsuite_hold_wanted(void);

#endif
