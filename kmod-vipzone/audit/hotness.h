/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a page's accessed and dirty bits said each time that they were looked
 * at, and what follows from it. Pure logic: also built in user space.
 *
 * Two thresholds make the hysteresis: a page has to be written in a row of
 * looks to be hot, and left alone in a longer row to be idle; a move begins its
 * history anew.
 */
#ifndef VIPZONE_AUDIT_HOTNESS_H
#define VIPZONE_AUDIT_HOTNESS_H

#include <linux/types.h>

#include <memsuite/region.h>

#define VIPZONE_HOTNESS_MAX_LOOKS	100

/**
 * vipzone_hotness_look() - note a look at a page
 * @hotness: its history, 0 for none
 * @accessed: the page was accessed since the last look
 * @written: it was written since then
 *
 * The first look says nothing about when that was.
 *
 * Pure.
 *
 * Return: its history with that look.
 */
u16 vipzone_hotness_look(u16 hotness, bool accessed, bool written);

/* Whether there was a look before the last one, so that the last one counts. */
bool vipzone_hotness_counts(u16 before);

/* Whether the page was written at each of the last @looks. */
bool vipzone_hotness_is_hot(u16 hotness, unsigned int looks);

/* Whether the page was left alone at each of the last @looks. */
bool vipzone_hotness_is_idle(u16 hotness, unsigned int looks);

/**
 * vipzone_hotness_choose() - choose regions for hot and for idle pages
 * @specs: the regions
 * @nr: how many
 * @hot: where to write, the region whose writes are the cheapest
 * @idle: where not to, the region whose writes are the dearest
 *
 * By energy, if it is known of all of them and tells them apart; else by power,
 * else by latency.
 *
 * Pure.
 *
 * Return: false if nothing tells them apart; @hot and @idle are
 * untouched.
 */
bool vipzone_hotness_choose(const struct memsuite_region_spec * const *specs, unsigned int nr,
			    unsigned int *hot, unsigned int *idle);

#endif
