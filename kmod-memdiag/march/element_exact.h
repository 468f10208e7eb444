/* SPDX-License-Identifier: GPL-2.0-only */
/* March tests with each operation on its own. */
#ifndef MEMDIAG_MARCH_ELEMENT_EXACT_H
#define MEMDIAG_MARCH_ELEMENT_EXACT_H

struct memdiag_march_test;
struct memdiag_test_run;

/* A march test, operation by operation: MEMDIAG_ENGINE_LINES and up. May sleep. */
void memdiag_exact_run(struct memdiag_test_run *run, const struct memdiag_march_test *march);

#endif
