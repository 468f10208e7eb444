/* SPDX-License-Identifier: GPL-2.0-only */
/* How many pages of a DIMM, or of the machine, may be bad; and the alarm when one more is. */
#ifndef MEMDIAG_RESULT_RETIRE_QUOTA_H
#define MEMDIAG_RESULT_RETIRE_QUOTA_H

#include <linux/time64.h>
#include <linux/types.h>

/**
 * struct memdiag_quota - how many pages of something may be bad
 * @bad: those that are known
 * @most: beyond so many, no more are retired; 0: any number
 * @since: when the alarm was raised, seconds since 1970
 * @alarm: one was refused, and there is no room yet
 * @untold: of that, nobody was told
 */
struct memdiag_quota {
	u64 bad;
	u64 most;
	time64_t since;
	bool alarm;
	bool untold;
};

/**
 * memdiag_quota_refuses() - whether one more may not be retired
 * @quota: of which
 * @now: seconds since 1970
 *
 * Raises the alarm if it may not. Pure.
 *
 * Return: true if it may not.
 */
bool memdiag_quota_refuses(struct memdiag_quota *quota, time64_t now);

/**
 * memdiag_quota_add() - a page is bad
 * @quota: of which
 *
 * Pure.
 */
void memdiag_quota_add(struct memdiag_quota *quota);

/**
 * memdiag_quota_del() - a page is not bad any more
 * @quota: of which
 *
 * Takes the alarm back if there is room again. Pure.
 */
void memdiag_quota_del(struct memdiag_quota *quota);

/**
 * memdiag_quota_set_most() - its size has changed
 * @quota: of which
 * @most: how many may be bad
 *
 * Takes the alarm back if there is room again. Pure.
 */
void memdiag_quota_set_most(struct memdiag_quota *quota, u64 most);

/**
 * memdiag_quota_take_back() - the administrator has decided anew
 * @quota: whose alarm is over, until one more is refused
 *
 * Pure.
 */
void memdiag_quota_take_back(struct memdiag_quota *quota);

/**
 * memdiag_quota_tell() - whether there is an alarm that nobody was told of
 * @quota: whose; from now on it was told
 *
 * Pure.
 *
 * Return: true if there is one.
 */
bool memdiag_quota_tell(struct memdiag_quota *quota);

#endif
