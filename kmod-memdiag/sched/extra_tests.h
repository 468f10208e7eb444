/* SPDX-License-Identifier: GPL-2.0-only */
/* The tests that sweeps run beside the main one, each with its own period. */
#ifndef MEMDIAG_SCHED_EXTRA_TESTS_H
#define MEMDIAG_SCHED_EXTRA_TESTS_H

#include <linux/types.h>

#include "march/engine_types.h"

struct attribute_group;
struct dentry;
struct memdiag_verdict;

/* tests/ in sysfs. */
extern const struct attribute_group memdiag_extra_tests_group;
/* debugfs memdiag/tests */
int memdiag_extra_tests_init(void);
/* The same table in debugfs. */
void memdiag_extra_tests_table_init(struct dentry *debugfs);
/* Forget those of the administrator. */
void memdiag_extra_tests_exit(void);

/**
 * memdiag_extra_tests_due() - whether the period of a test has passed
 *
 * Tests without a period do not count: they wait for the next sweep.
 *
 * Context: may sleep.
 * Return: true if one has.
 */
bool memdiag_extra_tests_due(void);

/**
 * memdiag_extra_tests_ops() - how often all tests of this sweep access a word at fidelity 1
 *
 * Context: the controller's thread.
 * Return: reads and writes of a word.
 */
unsigned int memdiag_extra_tests_ops(void);

/**
 * memdiag_extra_tests_begin_sweep() - choose the tests of a sweep that begins
 *
 * Context: may sleep.
 * Return: true if there is one: the sweep then has to test all free memory, even
 * what was tested lately.
 */
bool memdiag_extra_tests_begin_sweep(void);

/* A sweep over all memory has ended. May sleep. */
void memdiag_extra_tests_end_sweep(void);

/**
 * memdiag_extra_tests_run() - run the tests of this sweep over memory
 * @verdict: of that memory, with what the main test has found; what these tests
 *	find is added
 * @first: number of the first background
 * @fidelity: how many backgrounds
 * @ends: asked between two backgrounds
 *
 * Context: may sleep.
 * Return: false if @ends has ended it.
 */
bool memdiag_extra_tests_run(struct memdiag_verdict *verdict, unsigned int first,
			     unsigned int fidelity, memdiag_ends_fn *ends);

#endif
