/* SPDX-License-Identifier: GPL-2.0-only */
/* What only the core does with held pages; all else is in memsuite/held_pages.h. */
#ifndef MEMSUITE_FRAME_HELD_PAGES_PRIVATE_H
#define MEMSUITE_FRAME_HELD_PAGES_PRIVATE_H

#include <linux/types.h>

#include <memsuite/held_pages.h>

int memsuite_held_pages_init(void);
void memsuite_held_pages_exit(void);

/* So many more are held. Context: any. */
void memsuite_held_pages_add(long pages);

/* How many are held; pools have a count of their own. */
long memsuite_held_pages_count(void);

/**
 * memsuite_hold_wait_for() - memsuite_hold_wait(), for so long at most
 * @timeout: in jiffies
 *
 * For a caller with a lock that a holder may need.
 *
 * Context: may sleep.
 * Return: whether all stretches that had begun are over.
 */
bool memsuite_hold_wait_for(unsigned long timeout);

#endif
