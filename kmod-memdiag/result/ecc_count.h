/* SPDX-License-Identifier: GPL-2.0-only */
/* How many errors the machine has reported, page by page. */
#ifndef MEMDIAG_RESULT_ECC_COUNT_H
#define MEMDIAG_RESULT_ECC_COUNT_H

#include <linux/time64.h>
#include <linux/types.h>

/**
 * enum memdiag_ecc_state - what is being done about a page
 * @MEMDIAG_ECC_COUNTED: nothing yet, or the test could not get it
 * @MEMDIAG_ECC_ASKED: it is to be tested
 * @MEMDIAG_ECC_TESTING: it is being tested, with its neighbours
 * @MEMDIAG_ECC_PASSED: its last test found nothing
 * @MEMDIAG_ECC_RETIRED: it was bad, and is withheld
 * @MEMDIAG_ECC_IN_USE: it is bad, but in use, and could not be retired, or so many are that no
 *	more may be
 * @MEMDIAG_ECC_NR_STATES: how many states there are
 */
enum memdiag_ecc_state {
	MEMDIAG_ECC_COUNTED,
	MEMDIAG_ECC_ASKED,
	MEMDIAG_ECC_TESTING,
	MEMDIAG_ECC_PASSED,
	MEMDIAG_ECC_RETIRED,
	MEMDIAG_ECC_IN_USE,
	MEMDIAG_ECC_NR_STATES,
};

extern const char * const memdiag_ecc_state_name[MEMDIAG_ECC_NR_STATES];

/**
 * struct memdiag_ecc_page - a page with errors
 * @pfn: its frame
 * @corrected: errors corrected by the hardware
 * @uncorrected: those that it could not correct
 * @fresh: errors of both kinds since the last test began
 * @time: of the last error, seconds since 1970
 * @state: what is being done about it
 */
struct memdiag_ecc_page {
	unsigned long pfn;
	u64 corrected;
	u64 uncorrected;
	u64 fresh;
	time64_t time;
	enum memdiag_ecc_state state;
};

#define MEMDIAG_ECC_PAGES	64

/**
 * struct memdiag_ecc_count - the pages with errors that are remembered
 * @pages: they
 * @nr: how many
 */
struct memdiag_ecc_count {
	struct memdiag_ecc_page pages[MEMDIAG_ECC_PAGES];
	unsigned int nr;
};

/**
 * memdiag_ecc_count_add() - count an error
 * @ecc_count: the ecc_count
 * @pfn: the page that it was in
 * @uncorrected: it was not corrected
 * @time: now, in seconds
 *
 * When the list is full, the page that has been quiet for longest is forgotten,
 * but never one that waits for its test.
 *
 * Pure.
 *
 * Return: the page, or NULL if the list is full even so.
 */
struct memdiag_ecc_page *
memdiag_ecc_count_add(struct memdiag_ecc_count *ecc_count, unsigned long pfn,
		      bool uncorrected, time64_t time);

/**
 * memdiag_ecc_count_due() - whether a page is to be tested
 * @page: just counted
 * @threshold: errors that call for a test; 0: none do. One error that was not
 *	corrected is enough.
 * @uncorrected: the last one was not corrected
 *
 * Pure.
 *
 * Return: true if it is.
 */
bool memdiag_ecc_count_due(const struct memdiag_ecc_page *page, unsigned int threshold,
			   bool uncorrected);

/**
 * memdiag_ecc_count_find() - the first page in a state
 * @ecc_count: the ecc_count
 * @state: the state
 *
 * Return: it or NULL.
 */
struct memdiag_ecc_page *
memdiag_ecc_count_find(struct memdiag_ecc_count *ecc_count,
		       enum memdiag_ecc_state state);

#endif
