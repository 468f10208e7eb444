/* SPDX-License-Identifier: GPL-2.0-only */
/* How many errors the machine has reported, page by page. */
#ifndef MEMDIAG_RESULT_ECC_COUNT_H
#define MEMDIAG_RESULT_ECC_COUNT_H

#include <linux/time64.h>
#include <linux/types.h>

/**
 * enum tally_state - what is being done about a page
 * @TALLY_COUNTED: nothing yet, or it could not be had for its test
 * @TALLY_ASKED: it is to be tested
 * @TALLY_TESTING: it is being tested, with its neighbours
 * @TALLY_PASSED: its last test found nothing
 * @TALLY_RETIRED: it was bad, and is withheld
 * @TALLY_IN_USE: it is bad, and could not be had
 */
enum tally_state {
	TALLY_COUNTED,
	TALLY_ASKED,
	TALLY_TESTING,
	TALLY_PASSED,
	TALLY_RETIRED,
	TALLY_IN_USE,
	TALLY_NR_STATES,
};

extern const char * const tally_state_name[TALLY_NR_STATES];

/**
 * struct tally_page - a page with errors
 * @pfn: its frame
 * @corrected: errors corrected by the hardware
 * @uncorrected: those that it could not correct
 * @fresh: errors of both kinds since the last test began
 * @time: of the last error, seconds since 1970
 * @state: what is being done about it
 */
struct tally_page {
	unsigned long pfn;
	u64 corrected;
	u64 uncorrected;
	u64 fresh;
	time64_t time;
	enum tally_state state;
};

#define TALLY_PAGES	64

/**
 * struct tally - the pages with errors that are remembered
 * @pages: they
 * @nr: how many
 */
struct tally {
	struct tally_page pages[TALLY_PAGES];
	unsigned int nr;
};

/**
 * tally_count() - count an error
 * @tally: the tally
 * @pfn: the page that it was in
 * @uncorrected: it was not corrected
 * @time: now, in seconds
 *
 * If there is no room, the page that has been quiet for longest is forgotten,
 * but for those that are to be tested.
 *
 * Pure. Return: the page, or NULL if there is no room even so.
 */
struct tally_page *tally_count(struct tally *tally, unsigned long pfn,
			       bool uncorrected, time64_t time);

/**
 * tally_due() - whether a page is to be tested
 * @page: just counted
 * @threshold: at so many errors; 0: never. One that was not corrected is
 *	enough.
 * @uncorrected: the last one was not corrected
 *
 * Pure.
 */
bool tally_due(const struct tally_page *page, unsigned int threshold,
	       bool uncorrected);

/**
 * tally_find() - the first page in a state
 * @tally: the tally
 * @state: the state
 *
 * Return: it or NULL.
 */
struct tally_page *tally_find(struct tally *tally, enum tally_state state);

#endif
