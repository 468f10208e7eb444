/* SPDX-License-Identifier: GPL-2.0-only */
/* A test of held memory, and what it found wrong with each page. */
#ifndef MEMDIAG_RESULT_VERDICT_H
#define MEMDIAG_RESULT_VERDICT_H

#include <linux/bitmap.h>
#include <linux/bits.h>

#include <compat/compat.h>

#include "march/element_run.h"
#include "result/bad_pages.h"
#include "result/tester.h"

#define MEMDIAG_VERDICT_MAX_PAGES	BIT(MEMSUITE_MAX_ORDER)

/**
 * struct memdiag_suspect - a page that failed
 * @bad_page: what is known of it
 * @failed_runs: runs of the march that is on in which it failed
 * @failed_now: it failed in this one already
 * @again: it failed with another background, too, or by itself in a look that followed
 * @wrong_rereads: rereads of its first failing word that were wrong as well
 * @cpu: where it failed first
 * @opinion: what another CPU says of it
 */
struct memdiag_suspect {
	struct memdiag_bad_page bad_page;
	unsigned int failed_runs;
	unsigned int wrong_rereads;
	bool again;
	bool failed_now;
	int cpu;
	enum memdiag_opinion opinion;
};

/**
 * struct memdiag_verdict - what a test says of the memory that it went over
 * @pfn: first frame
 * @nr: number of frames, at most MEMDIAG_VERDICT_MAX_PAGES
 * @bad: those that failed; bit 0 is @pfn
 * @suspects: what was first found wrong with each, up to a limit
 * @nr_suspects: how many
 * @emulated: faults are emulated in the run that is on
 * @doubted: it is the CPU that fails: the pages that another one finds good are not bad
 * @certain: what is bad is retired up to the limits, whatever the policy says of its class: it
 *	has failed in a page fault already
 */
struct memdiag_verdict {
	unsigned long pfn;
	unsigned long nr;
	DECLARE_BITMAP(bad, MEMDIAG_VERDICT_MAX_PAGES);
	struct memdiag_suspect suspects[16];
	unsigned int nr_suspects;
	bool emulated;
	bool doubted;
	bool certain;
};

#define MEMDIAG_JOINT_BLOCKS	64U

/**
 * struct memdiag_joint - blocks that are tested together, as one memory
 * @nr: how many
 * @verdicts: of each, in ascending order of addresses
 * @blocks: each, as the engine takes it
 * @runs: likewise
 */
struct memdiag_joint {
	unsigned int nr;
	struct memdiag_verdict verdicts[MEMDIAG_JOINT_BLOCKS];
	struct memdiag_engine_block blocks[MEMDIAG_JOINT_BLOCKS];
	struct memdiag_test_run runs[MEMDIAG_JOINT_BLOCKS];
};

/**
 * memdiag_verdict_begin() - begin the test of a stretch of memory
 * @verdict: result; all pages are good
 * @pfn: first frame
 * @nr: number of frames, at most MEMDIAG_VERDICT_MAX_PAGES
 */
void memdiag_verdict_begin(struct memdiag_verdict *verdict, unsigned long pfn,
			   unsigned long nr);

/**
 * memdiag_verdict_march() - test the memory once, and again if it fails
 * @verdict: what was found is added to it
 * @test: the test
 * @background: number of the background
 *
 * A failure is confirmed: the word is read again past the caches, and the
 * test is run MEMDIAG_CLASSIFY_RERUNS times more, to tell what kind of fault it is.
 * Then another CPU tests the page: what it finds good, and the first one finds bad
 * again and again, is not bad.
 * The caller holds the memory, whose contents are lost.
 *
 * Context: may sleep.
 */
void memdiag_verdict_march(struct memdiag_verdict *verdict, const struct memdiag_engine_test *test,
			   unsigned int background);

/**
 * memdiag_joint_add() - add a block behind those that there are
 * @joint: fewer than MEMDIAG_JOINT_BLOCKS
 * @pfn: its first frame
 * @nr: number of frames, at most MEMDIAG_VERDICT_MAX_PAGES
 */
void memdiag_joint_add(struct memdiag_joint *joint, unsigned long pfn, unsigned long nr);

/**
 * memdiag_joint_march() - test blocks together once, and again if something fails
 * @joint: the blocks; what was found is added to their verdicts
 * @test: a march test
 * @background: number of the background
 * @ends: asked now and then, or NULL
 *
 * Shows faults between any two of them: two addresses that are one cell, and cells that
 * disturb each other. Emulated faults do not show. The caller holds the memory, whose
 * contents are lost.
 *
 * Context: may sleep.
 * Return: false if @ends has ended it before its time.
 */
bool memdiag_joint_march(struct memdiag_joint *joint, const struct memdiag_engine_test *test,
			 unsigned int background, memdiag_ends_fn *ends);

/**
 * memdiag_verdict_clear() - make the memory zero
 * @verdict: of which memory
 *
 * Context: may sleep.
 */
void memdiag_verdict_clear(const struct memdiag_verdict *verdict);

/**
 * memdiag_verdict_report() - put the bad pages on the list of bad pages
 * @verdict: after the last march; those that are not to be retired are no longer bad
 *
 * Context: may sleep.
 * Return: number of bad pages, which are to be retired.
 */
unsigned long memdiag_verdict_report(struct memdiag_verdict *verdict);

#endif
