// SPDX-License-Identifier: GPL-2.0-only
/* Errors that the machine reports, by page. Pure logic. */

#include <linux/kernel.h>

#include "result/ecc_count.h"

const char * const memdiag_ecc_state_name[MEMDIAG_ECC_NR_STATES] = {
	[MEMDIAG_ECC_COUNTED] = "counted",
	[MEMDIAG_ECC_ASKED] = "asked",
	[MEMDIAG_ECC_TESTING] = "testing",
	[MEMDIAG_ECC_PASSED] = "passed",
	[MEMDIAG_ECC_RETIRED] = "retired",
	[MEMDIAG_ECC_IN_USE] = "in-use",
};

static bool ecc_page_busy(const struct memdiag_ecc_page *page)
{
	return page->state == MEMDIAG_ECC_ASKED || page->state == MEMDIAG_ECC_TESTING;
}

/* A place for a new page. */
static struct memdiag_ecc_page *ecc_page_make_room(struct memdiag_ecc_count *ecc_count)
{
	struct memdiag_ecc_page *oldest = NULL;
	unsigned int i;

	if (ecc_count->nr < MEMDIAG_ECC_PAGES)
		return &ecc_count->pages[ecc_count->nr++];
	for (i = 0; i < ecc_count->nr; i++) {
		struct memdiag_ecc_page *page = &ecc_count->pages[i];

		if (!ecc_page_busy(page) && (!oldest || page->time < oldest->time))
			oldest = page;
	}
	return oldest;
}

static struct memdiag_ecc_page *ecc_page_get(struct memdiag_ecc_count *ecc_count, unsigned long pfn)
{
	struct memdiag_ecc_page *page;
	unsigned int i;

	for (i = 0; i < ecc_count->nr; i++)
		if (ecc_count->pages[i].pfn == pfn)
			return &ecc_count->pages[i];
	page = ecc_page_make_room(ecc_count);
	if (page)
		*page = (struct memdiag_ecc_page) { .pfn = pfn };
	return page;
}

struct memdiag_ecc_page *
memdiag_ecc_count_add(struct memdiag_ecc_count *ecc_count, unsigned long pfn,
		      bool uncorrected, time64_t time)
{
	struct memdiag_ecc_page *page = ecc_page_get(ecc_count, pfn);

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

bool memdiag_ecc_count_due(const struct memdiag_ecc_page *page, unsigned int threshold,
			   bool uncorrected)
{
	if (!threshold || ecc_page_busy(page) || page->state == MEMDIAG_ECC_RETIRED)
		return false;
	return uncorrected || page->fresh >= threshold;
}

struct memdiag_ecc_page *
memdiag_ecc_count_find(struct memdiag_ecc_count *ecc_count,
		       enum memdiag_ecc_state state)
{
	unsigned int i;

	for (i = 0; i < ecc_count->nr; i++)
		if (ecc_count->pages[i].state == state)
			return &ecc_count->pages[i];
	return NULL;
}
