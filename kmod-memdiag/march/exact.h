/* SPDX-License-Identifier: GPL-2.0-only */
/* March tests with each operation on its own. */
#ifndef MEMDIAG_MARCH_EXACT_H
#define MEMDIAG_MARCH_EXACT_H

struct march_test;
struct run;

/* A march test, operation by operation: ENGINE_LINES and up. May sleep. */
void run_exact_march(struct run *run, const struct march_test *march);

#endif
