/* SPDX-License-Identifier: GPL-2.0-only */
/* The test engine: runs a test over a block of memory. */
#ifndef MEMDIAG_MARCH_ENGINE_H
#define MEMDIAG_MARCH_ENGINE_H

#include "march/engine_types.h"

extern const char *const engine_methods[ENGINE_NR_METHODS];

/**
 * engine_can() - whether the processor can do a method
 * @method: the method
 */
bool engine_can(enum engine_method method);

/**
 * engine_ops() - how often a test accesses each word with one background
 * @test: the test
 *
 * Of the decoder's, for a block of 4 MiB; another module's is taken for a march
 * test of the usual length.
 */
unsigned int engine_ops(const struct engine_test *test);

/**
 * engine_run() - run a test over a block with one background
 * @test: the test
 * @block: the block; its contents are lost
 * @background: which one, see background_make()
 * @report: called for every failing read, before the word is written again
 * @context: for @report
 *
 * Every element runs over the whole block before the next one begins, so that
 * faults between pages are seen (but for the methods that go page by page).
 *
 * Context: may sleep. Never uses the FPU where it may not.
 */
void engine_run(const struct engine_test *test,
		const struct engine_block *block, unsigned int background,
		march_report_fn *report, void *context);

#endif
