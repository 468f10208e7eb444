/* SPDX-License-Identifier: GPL-2.0-only */
/* The test engine: runs a test over a block of memory. */
#ifndef MEMDIAG_MARCH_ENGINE_H
#define MEMDIAG_MARCH_ENGINE_H

#include "march/element_run.h"
#include "march/engine_types.h"

extern const char *const memdiag_engine_methods[MEMDIAG_ENGINE_NR_METHODS];

/**
 * memdiag_engine_can() - whether the processor can do a method
 * @method: the method
 *
 * Return: true if it can.
 */
bool memdiag_engine_can(enum memdiag_engine_method method);

/**
 * memdiag_engine_ops() - how often a test accesses each word with one background
 * @test: the test
 *
 * The decoder test is counted for a block of 4 MiB. Another module's test counts
 * as a march test of the usual length.
 *
 * Return: reads and writes of a word.
 */
unsigned int memdiag_engine_ops(const struct memdiag_engine_test *test);

/**
 * memdiag_engine_run() - run a test over a block with one background
 * @test: the test
 * @block: the block; its contents are lost
 * @background: which one, see memdiag_background_make()
 * @report: called for every failing read, before the word is written again
 * @context: for @report
 *
 * Every element runs over the whole block before the next one begins, so that
 * faults between pages are seen (but for the methods that go page by page).
 *
 * Context: may sleep. Never uses the FPU where it may not.
 */
void memdiag_engine_run(const struct memdiag_engine_test *test,
			const struct memdiag_engine_block *block, unsigned int background,
			memdiag_march_report_fn *report, void *context);

/**
 * memdiag_engine_run_joint() - run a march test over several blocks as one memory
 * @test: a march test; its method does not matter
 * @runs: @block, @report and @context of each, in ascending order of addresses; the rest is set
 * @nr: how many
 * @background: which one, see memdiag_background_make()
 * @ends: asked now and then, or NULL
 *
 * Every element runs over all blocks before the next one begins, so that faults
 * between any two of them are seen, however far apart.
 *
 * Context: may sleep.
 * Return: false if @ends has ended it.
 */
bool memdiag_engine_run_joint(const struct memdiag_engine_test *test,
			      struct memdiag_test_run *runs, unsigned int nr,
			      unsigned int background, memdiag_ends_fn *ends);

#endif
