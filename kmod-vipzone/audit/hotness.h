/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a page's accessed and dirty bits said each time that they were looked
 * at, and what follows from it. Pure logic: also built in user space.
 *
 * How much a page is read, and how much it is written, are averages that forget
 * a quarter at each look. A page that was tried to be moved rests, and twice as
 * long each time that it is tried again soon: so what cannot be moved is seldom
 * tried, and what is wanted now here and now there does not swing.
 */
#ifndef VIPZONE_AUDIT_HOTNESS_H
#define VIPZONE_AUDIT_HOTNESS_H

#include <linux/types.h>

#define VIPZONE_HOTNESS_MAX_LOOKS	100

/* The average of a page that is used all the time: where what is forgotten is what is added. */
#define VIPZONE_HOTNESS_MOST		125

/**
 * struct vipzone_hotness - the history of a page, all 0 for none
 * @known: it was looked at before
 * @idle: looks in a row at which it was left alone
 * @reads: how much it is read and not written, VIPZONE_HOTNESS_MOST at most
 * @writes: how much it is written, likewise
 * @tries: times that it was tried to be moved, less those that it has rested off
 * @rest: looks since the last of them
 */
struct vipzone_hotness {
	u32 known : 1;
	u32 idle : 7;
	u32 reads : 7;
	u32 writes : 7;
	u32 tries : 3;
	u32 rest : 7;
};

/**
 * vipzone_hotness_look() - note a look at a page
 * @hotness: its history
 * @accessed: the page was accessed since the last look
 * @written: it was written since then
 *
 * The first look says nothing about when that was.
 *
 * Pure.
 *
 * Return: whether there was a look before, so that this one counts.
 */
bool vipzone_hotness_look(struct vipzone_hotness *hotness, bool accessed, bool written);

/* Whether a page has been written as much as one that was at @looks in a row, from none on. */
bool vipzone_hotness_is_written(struct vipzone_hotness hotness, unsigned int looks);

/* The same of being read or written. */
bool vipzone_hotness_is_used(struct vipzone_hotness hotness, unsigned int looks);

/* Whether the page was left alone at each of the last @looks. */
bool vipzone_hotness_is_idle(struct vipzone_hotness hotness, unsigned int looks);

/* A page is seen again: it has rested for one look more. */
void vipzone_hotness_rest(struct vipzone_hotness *hotness);

/* Whether it has rested enough to be moved. */
bool vipzone_hotness_may_move(struct vipzone_hotness hotness);

/* It is tried to be moved now. */
void vipzone_hotness_try(struct vipzone_hotness *hotness);

/* It was to be moved and found no room, which is not its fault: it rests seven looks at most. */
void vipzone_hotness_wait(struct vipzone_hotness *hotness);

#endif
