// SPDX-License-Identifier: GPL-2.0-only
/* Errors that the machine reports, by page. Pure logic. */

#include <linux/kernel.h>

#include "result/ecc_count.h"

const char * const tally_state_name[TALLY_NR_STATES] = {
	[TALLY_COUNTED] = "counted",
	[TALLY_ASKED] = "asked",
	[TALLY_TESTING] = "testing",
	[TALLY_PASSED] = "passed",
	[TALLY_RETIRED] = "retired",
	[TALLY_IN_USE] = "in-use",
};

static bool busy(const struct tally_page *page)
{
	return page->state == TALLY_ASKED || page->state == TALLY_TESTING;
}

/* A place for a new page. */
static struct tally_page *make_room(struct tally *tally)
{
	struct tally_page *oldest = NULL;
	unsigned int i;

	if (tally->nr < TALLY_PAGES)
		return &tally->pages[tally->nr++];
	for (i = 0; i < tally->nr; i++) {
		struct tally_page *page = &tally->pages[i];

		if (!busy(page) && (!oldest || page->time < oldest->time))
			oldest = page;
	}
	return oldest;
}

static struct tally_page *page_of(struct tally *tally, unsigned long pfn)
{
	struct tally_page *page;
	unsigned int i;

	for (i = 0; i < tally->nr; i++)
		if (tally->pages[i].pfn == pfn)
			return &tally->pages[i];
	page = make_room(tally);
	if (page)
		*page = (struct tally_page) { .pfn = pfn };
	return page;
}

struct tally_page *tally_count(struct tally *tally, unsigned long pfn,
			       bool uncorrected, time64_t time)
{
	struct tally_page *page = page_of(tally, pfn);

	if (!page)
		return NULL;
	if (uncorrected)
		page->uncorrected++;
	else
		page->corrected++;
	page->fresh++;
	page->time = time;
	return page;
}

bool tally_due(const struct tally_page *page, unsigned int threshold,
	       bool uncorrected)
{
	if (!threshold || busy(page) || page->state == TALLY_RETIRED)
		return false;
	return uncorrected || page->fresh >= threshold;
}

struct tally_page *tally_find(struct tally *tally, enum tally_state state)
{
	unsigned int i;

	for (i = 0; i < tally->nr; i++)
		if (tally->pages[i].state == state)
			return &tally->pages[i];
	return NULL;
}
