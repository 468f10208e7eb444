/* SPDX-License-Identifier: GPL-2.0-only */
/* The test in use. */
#ifndef MEMDIAG_SCHED_ALGORITHM_H
#define MEMDIAG_SCHED_ALGORITHM_H

struct attribute_group;
struct memdiag_engine_test;

extern const struct attribute_group memdiag_algorithm_group;
extern const struct attribute_group memdiag_algorithm_coverage_group;

/* Choose the default. Returns 0 or -EINVAL. */
int memdiag_algorithm_init(void);

/**
 * memdiag_algorithm_get() - the test in use
 * @test: a copy of it
 *
 * Context: may sleep.
 */
void memdiag_algorithm_get(struct memdiag_engine_test *test);

/**
 * memdiag_algorithm_parse() - parse a test as written to sysfs
 * @line: a name of available_algorithms, or a march test written out
 * @parsed: its @kind and @march are set
 *
 * Return: 0 or -EINVAL, and the log tells why.
 */
int memdiag_algorithm_parse(const char *line, struct memdiag_engine_test *parsed);

#endif
