// SPDX-License-Identifier: GPL-2.0-only
/* From accessed bits to what is used least; page_usage.h. Also built in user space. */

#include <linux/kernel.h>
#include <linux/string.h>

#include "target/page_usage.h"

/* What fades in a round is one part in so many; and a class is so much usage. */
#define FADE		4
#define A_CLASS		8
#define TOUCH		32
/* What a byte has room for. */
#define MOST		127
/* Of so many pages that could be evicted, one at least is to be. */
#define SPARSE		64

/**
 * mrc_usage_age() - a round has come to a page
 * @usage: of the page so far
 * @touched: since the round before
 *
 * Return: its usage from now on.
 */
u8 mrc_usage_age(u8 usage, bool touched)
{
	unsigned int value = usage >> 1;

	value -= (value + FADE - 1) / FADE;
	if (touched)
		value += TOUCH;
	return value << 1 | (usage & MRC_USAGE_OWED) | (touched ? MRC_USAGE_OWED : 0);
}

/**
 * mrc_usage_evict() - a page is evicted
 * @usage: of the page so far
 * @touched: since the last round
 *
 * Return: its usage when it comes back; nobody is owed anything.
 */
u8 mrc_usage_evict(u8 usage, bool touched)
{
	unsigned int value = (usage >> 1) + (touched ? TOUCH : 0);

	return min_t(unsigned int, value, MOST) << 1;
}

/**
 * mrc_usage_class() - how late a page is evicted
 * @usage: of the page
 * @touched: since the last round
 *
 * Return: below MRC_USAGE_CLASSES; those of the lowest go first.
 */
unsigned int mrc_usage_class(u8 usage, bool touched)
{
	return ((usage >> 1) + (touched ? TOUCH : 0)) / A_CLASS;
}

/**
 * mrc_usage_count() - a page has been aged
 * @u: of the target
 * @usage: of the page
 * @pages: base pages that it is
 */
void mrc_usage_count(struct mrc_usage *u, u8 usage, u64 pages)
{
	u->pages[mrc_usage_class(usage, false)] += pages;
}

/**
 * mrc_usage_sparse() - whether there are too few to be evicted
 * @found: so many
 * @of: among so many
 */
bool mrc_usage_sparse(u64 found, u64 of)
{
	return found < of / SPARSE;
}

/**
 * mrc_usage_round() - a round is over: what is evicted until the next one ends
 * @u: of the target
 */
void mrc_usage_round(struct mrc_usage *u)
{
	u64 all = 0, cold;
	unsigned int i;

	for (i = 0; i < MRC_USAGE_CLASSES; i++)
		all += u->pages[i];
	cold = u->pages[0];
	for (i = 0; i < MRC_USAGE_CLASSES - 1 && mrc_usage_sparse(cold, all); i++)
		cold += u->pages[i + 1];
	u->all = all;
	u->coldest = i;
	memset(u->pages, 0, sizeof(u->pages));
}

/**
 * mrc_usage_raise() - too few were found: pages of the next class are evicted, too
 * @u: of the target
 *
 * Return: false if there is none.
 */
bool mrc_usage_raise(struct mrc_usage *u)
{
	if (u->coldest >= MRC_USAGE_CLASSES - 1)
		return false;
	u->coldest++;
	return true;
}
