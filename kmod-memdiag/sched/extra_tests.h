/* SPDX-License-Identifier: GPL-2.0-only */
/* The tests that sweeps run beside the main one, each with its own period. */
#ifndef MEMDIAG_SCHED_EXTRA_TESTS_H
#define MEMDIAG_SCHED_EXTRA_TESTS_H

#include <linux/types.h>

struct attribute_group;
struct dentry;
struct verdict;

/* tests/ in sysfs. */
extern const struct attribute_group tests_group;
/* debugfs memdiag/tests */
void tests_init(struct dentry *debugfs);
/* Forget those of the administrator. */
void tests_exit(void);

/**
 * tests_due() - whether a test's period has passed
 *
 * Not those without one, which wait for the next sweep.
 *
 * Context: may sleep.
 */
bool tests_due(void);

/**
 * tests_ops() - how often all tests of this sweep access a word at fidelity 1
 *
 * Context: the controller's thread.
 */
unsigned int tests_ops(void);

/**
 * tests_begin_sweep() - choose the tests of a sweep that begins
 *
 * Context: may sleep. Return: whether there is one: then the sweep has to go
 * over all free memory, tested lately or not.
 */
bool tests_begin_sweep(void);

/* What has come to its end was a sweep over all memory. May sleep. */
void tests_end_sweep(void);

/**
 * tests_run() - run the tests of this sweep over memory
 * @verdict: of it, with what the main test has found; theirs is added
 * @first: number of the first background
 * @fidelity: how many backgrounds
 *
 * Context: may sleep.
 */
void tests_run(struct verdict *verdict, unsigned int first,
	       unsigned int fidelity);

#endif
