/* SPDX-License-Identifier: GPL-2.0-only */
/* A test of held memory, and what it found wrong with each page. */
#ifndef MEMDIAG_RESULT_VERDICT_H
#define MEMDIAG_RESULT_VERDICT_H

#include <linux/bitmap.h>
#include <linux/bits.h>

#include <compat/compat.h>

#include "march/engine_types.h"
#include "result/bad_pages.h"

#define VERDICT_MAX_PAGES	BIT(MEMSUITE_MAX_ORDER)

/**
 * struct suspect - a page that failed
 * @finding: what is known of it
 * @failed_runs: runs of the march that is on in which it failed
 * @failed_now: it failed in this one already
 * @wrong_rereads: rereads of its first failing word that were wrong as well
 */
struct suspect {
	struct finding finding;
	unsigned int failed_runs;
	unsigned int wrong_rereads;
	bool failed_now;
};

/**
 * struct verdict - what a test says of the memory that it went over
 * @pfn: first frame
 * @nr: number of frames, at most VERDICT_MAX_PAGES
 * @bad: those that failed; bit 0 is @pfn
 * @suspects: what was first found wrong with each, up to a limit
 * @nr_suspects: how many
 * @emulated: faults are emulated in the run that is on
 */
struct verdict {
	unsigned long pfn;
	unsigned long nr;
	DECLARE_BITMAP(bad, VERDICT_MAX_PAGES);
	struct suspect suspects[16];
	unsigned int nr_suspects;
	bool emulated;
};

/**
 * verdict_begin() - begin the test of a stretch of memory
 * @verdict: result; all pages are good
 * @pfn: first frame
 * @nr: number of frames, at most VERDICT_MAX_PAGES
 */
void verdict_begin(struct verdict *verdict, unsigned long pfn,
		   unsigned long nr);

/**
 * verdict_march() - test the memory once, and again if it fails
 * @verdict: what was found is added to it
 * @test: the test
 * @background: number of the background
 *
 * A failure is confirmed: the word is read again past the caches, and the
 * test is run CLASSIFY_RERUNS times more, to tell what kind of fault it is.
 * The caller holds the memory, whose contents are lost.
 *
 * Context: may sleep.
 */
void verdict_march(struct verdict *verdict, const struct engine_test *test,
		   unsigned int background);

/**
 * verdict_clear() - make the memory zero
 * @verdict: of which memory
 *
 * Context: may sleep.
 */
void verdict_clear(const struct verdict *verdict);

/**
 * verdict_report() - list the bad pages among the findings
 * @verdict: after the last march
 *
 * Context: may sleep.
 * Return: number of bad pages.
 */
unsigned long verdict_report(struct verdict *verdict);

#endif
