/* SPDX-License-Identifier: GPL-2.0-only */
/* Passes: a test that is run over a block, and what it is made of. */
#ifndef MEMDIAG_MARCH_ELEMENT_RUN_H
#define MEMDIAG_MARCH_ELEMENT_RUN_H

#include "march/engine_types.h"

/**
 * struct memdiag_test_run - a test that is being run over a block with a background
 * @block: the block
 * @background: the background
 * @method: how, not MEMDIAG_ENGINE_AUTO
 * @cached: lines may be in the caches, since they were read and not written
 * @report: for failures
 * @context: of @report
 * @failure: what is known of the next failure: @element
 */
struct memdiag_test_run {
	const struct memdiag_engine_block *block;
	struct memdiag_background background;
	enum memdiag_engine_method method;
	bool cached;
	memdiag_march_report_fn *report;
	void *context;
	struct memdiag_march_failure failure;
};

/**
 * struct memdiag_pass - a read, a write, or a read and a write, of some lines in order
 * @from: the first line that is visited
 * @nr: how many are
 * @stride: from each to the next; negative if descending
 * @read: the expected value: 0, 1 or MEMDIAG_PASS_NONE
 * @write: the value written, likewise
 */
struct memdiag_pass {
	size_t from;
	size_t nr;
	long stride;
	int read;
	int write;
};

#define MEMDIAG_PASS_NONE	(-1)

/* Do a pass at the speed of memory. May sleep. */
void memdiag_pass_run(struct memdiag_test_run *run, const struct memdiag_pass *pass);
/*
 * A march test, in passes over strips, of @nr blocks in ascending order. @ends, or NULL, is
 * asked between them. May sleep. Returns false if it was ended.
 */
bool memdiag_march_run(struct memdiag_test_run *runs, unsigned int nr,
		       const struct memdiag_march_test *march, memdiag_ends_fn *ends);
/*
 * Report the bits of @diff of a word as wrong, before it is written again; what
 * was expected is the background, but for the bits of @flip.
 */
void memdiag_failure_report(struct memdiag_test_run *run, size_t word, u64 diff, u64 flip);
/* Report that a word cannot be read, before it is written again. */
void memdiag_failure_report_uncorrectable(struct memdiag_test_run *run, size_t word, u64 flip);

#endif
