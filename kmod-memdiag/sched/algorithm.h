/* SPDX-License-Identifier: GPL-2.0-only */
/* The test in use. */
#ifndef MEMDIAG_SCHED_ALGORITHM_H
#define MEMDIAG_SCHED_ALGORITHM_H

struct attribute_group;
struct engine_test;

extern const struct attribute_group algorithm_group;
extern const struct attribute_group algorithm_coverage_group;

/* Choose the default. Returns 0 or -EINVAL. */
int algorithm_init(void);

/**
 * algorithm_get() - the test in use
 * @test: a copy of it
 *
 * Context: may sleep.
 */
void algorithm_get(struct engine_test *test);

/**
 * algorithm_parse() - parse a test as written to sysfs
 * @line: a name of available_algorithms, or a march test written out
 * @parsed: its @kind and @march are set
 *
 * Return: 0 or -EINVAL, and the log tells why.
 */
int algorithm_parse(const char *line, struct engine_test *parsed);

#endif
