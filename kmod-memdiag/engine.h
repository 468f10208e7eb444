/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMDIAG_ENGINE_H
#define MEMDIAG_ENGINE_H

#include "march.h"

/**
 * struct march_failure - a word that did not read back as it should
 * @word: its index in the block
 * @mask: bits that differ
 * @expected: what it should have read
 * @element: march element that found it
 * @background: what 0 stands for
 */
struct march_failure {
	size_t word;
	u64 mask;
	u64 expected;
	unsigned int element;
	u64 background;
};

typedef void march_report_fn(void *context, const struct march_failure *failure);

/**
 * engine_run() - run a march test over a block
 * @test: the test
 * @words: the block, in the direct map, aligned to a cache line
 * @nr: number of words, a multiple of 8
 * @background: what 0 stands for; 1 is its complement
 * @report: called for every failing read, before the word is written again
 * @context: for @report
 *
 * Every element runs over the whole block before the next one begins, so that
 * faults between pages are seen. Writes bypass the caches, so that reads come
 * from memory.
 *
 * Context: may sleep.
 */
void engine_run(const struct march_test *test, u64 *words, size_t nr,
		u64 background, march_report_fn *report, void *context);

/**
 * ondemand_test() - test one page by the least that shows a stuck bit
 * @words: the page; zero on return, but for what is bad
 *
 * Context: any; a few microseconds.
 * Return: whether the page is good.
 */
bool ondemand_test(u64 *words);

#endif
