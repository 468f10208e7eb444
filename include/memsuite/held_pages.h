/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stretches in which pages are held: what is taken out of the buddy lists in one
 * is given back, retired or in a pool at its end.
 */
#ifndef MEMSUITE_HELD_PAGES_H
#define MEMSUITE_HELD_PAGES_H

#include <linux/types.h>

/**
 * memsuite_hold_begin() - begin a stretch in which blocks are held
 *
 * Memory offlining waits for such stretches to end: keep them short, and
 * do not wait for memory in one. May nest.
 *
 * Return: a token for memsuite_hold_end().
 */
int memsuite_hold_begin(void);

/**
 * memsuite_hold_end() - end what memsuite_hold_begin() began
 * @token: its return value
 */
void memsuite_hold_end(int token);

/**
 * memsuite_hold_wait() - wait until all stretches that have begun are over
 *
 * Context: may sleep; not within such a stretch.
 */
void memsuite_hold_wait(void);

/**
 * memsuite_hold_wanted() - whether somebody waits for the stretches to end
 *
 * Whoever holds for long should look now and then, and end.
 *
 * Context: any.
 * Return: true if so.
 */
bool memsuite_hold_wanted(void);

#endif
