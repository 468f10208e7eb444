/* SPDX-License-Identifier: GPL-2.0-only */
/* A run of the engine: what its files share. */
#ifndef MEMDIAG_RUN_H
#define MEMDIAG_RUN_H

#include "march/engine.h"

/**
 * struct run - a test that is being run over a block with a background
 * @block: the block
 * @background: the background
 * @method: how, not ENGINE_AUTO
 * @cached: lines may be in the caches, since they were read and not written
 * @report: for failures
 * @context: of @report
 * @failure: what is known of the next failure: @element
 */
struct run {
	const struct engine_block *block;
	struct background background;
	enum engine_method method;
	bool cached;
	march_report_fn *report;
	void *context;
	struct march_failure failure;
};

/**
 * struct pass - a read, a write, or a read and a write, of some lines in order
 * @from: the first line that is visited
 * @nr: how many are
 * @stride: from each to the next; negative if descending
 * @read: the expected value: 0, 1 or PASS_NONE
 * @write: the value written, likewise
 */
struct pass {
	size_t from;
	size_t nr;
	long stride;
	int read;
	int write;
};

#define PASS_NONE	(-1)

/* Do a pass at the speed of memory. May sleep. */
void run_pass(struct run *run, const struct pass *pass);
/* A march test, in passes over strips. May sleep. */
void run_march(struct run *run, const struct march_test *march);
/*
 * Report the bits of @diff of a word as wrong, before it is written again; what
 * was expected is the background, but for the bits of @flip.
 */
void run_report(struct run *run, size_t word, u64 diff, u64 flip);
/* Report that a word cannot be read; likewise. */
void run_report_uncorrectable(struct run *run, size_t word, u64 flip);

/* exact.c: a march test, each operation on its own. */
void run_exact_march(struct run *run, const struct march_test *march);
/* nonmarch.c; and how often they access a word, of a block of 4 MiB */
#define DECODER_OPS	(4 * 16)	/* an element's, for each bit */
#define MODULO_OPS	(20 * 2 * 2)	/* two, for each offset and value */
void run_decoder(struct run *run);
void run_modulo(struct run *run);

#endif
