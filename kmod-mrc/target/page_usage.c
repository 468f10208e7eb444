// SPDX-License-Identifier: GPL-2.0-only
/* Which pages are used least, told by accessed bits; page_usage.h. Also built in user space. */

#include <linux/kernel.h>
#include <linux/string.h>

#include "target/page_usage.h"

/* One part in FADE of the usage fades in a round; a class spans A_CLASS of it. */
#define FADE		4
#define A_CLASS		8
#define TOUCH		32
/* What a byte has room for. */
#define MOST		127
/* One page at least is to be evicted of so many that could be. */
#define SPARSE		64

/**
 * mrc_page_usage_age() - a round has come to a page
 * @usage: of the page so far
 * @touched: since the round before
 *
 * Return: its usage from now on.
 */
u8 mrc_page_usage_age(u8 usage, bool touched)
{
	unsigned int value = usage >> 1;

	value -= (value + FADE - 1) / FADE;
	if (touched)
		value += TOUCH;
	return value << 1 | (usage & MRC_PAGE_USAGE_OWED) | (touched ? MRC_PAGE_USAGE_OWED : 0);
}

/**
 * mrc_page_usage_evict() - a page is evicted
 * @usage: of the page so far
 * @touched: since the last round
 *
 * Return: its usage when it comes back; nobody is owed anything.
 */
u8 mrc_page_usage_evict(u8 usage, bool touched)
{
	unsigned int value = (usage >> 1) + (touched ? TOUCH : 0);

	return min_t(unsigned int, value, MOST) << 1;
}

/**
 * mrc_page_usage_class() - how late a page is evicted
 * @usage: of the page
 * @touched: since the last round
 *
 * Return: below MRC_PAGE_USAGE_CLASSES; those of the lowest go first.
 */
unsigned int mrc_page_usage_class(u8 usage, bool touched)
{
	return ((usage >> 1) + (touched ? TOUCH : 0)) / A_CLASS;
}

/**
 * mrc_page_usage_count() - a page has been aged
 * @u: of the target
 * @usage: of the page
 * @pages: base pages that it is
 */
void mrc_page_usage_count(struct mrc_page_usage *u, u8 usage, u64 pages)
{
	u->pages[mrc_page_usage_class(usage, false)] += pages;
}

/**
 * mrc_page_usage_sparse() - whether there are too few to be evicted
 * @found: so many
 * @of: among so many
 *
 * Return: whether there are.
 */
bool mrc_page_usage_sparse(u64 found, u64 of)
{
	return found < of / SPARSE;
}

/**
 * mrc_page_usage_round() - a round is over: what is evicted until the next one ends
 * @u: of the target
 */
void mrc_page_usage_round(struct mrc_page_usage *u)
{
	u64 all = 0, cold;
	unsigned int i;

	for (i = 0; i < MRC_PAGE_USAGE_CLASSES; i++)
		all += u->pages[i];
	cold = u->pages[0];
	for (i = 0; i < MRC_PAGE_USAGE_CLASSES - 1 && mrc_page_usage_sparse(cold, all); i++)
		cold += u->pages[i + 1];
	u->all = all;
	u->coldest = i;
	memset(u->pages, 0, sizeof(u->pages));
}

/**
 * mrc_page_usage_raise() - too few were found: pages of the next class are evicted, too
 * @u: of the target
 *
 * Return: false if there is none.
 */
bool mrc_page_usage_raise(struct mrc_page_usage *u)
{
	if (u->coldest >= MRC_PAGE_USAGE_CLASSES - 1)
		return false;
	u->coldest++;
	return true;
}
