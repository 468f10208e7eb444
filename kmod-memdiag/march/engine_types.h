/* SPDX-License-Identifier: GPL-2.0-only */
/* What the engine runs, and over what: its tests, its methods, its blocks. */
#ifndef MEMDIAG_MARCH_ENGINE_TYPES_H
#define MEMDIAG_MARCH_ENGINE_TYPES_H

#include "march/background.h"
#include "march/notation.h"

struct memdiag_test;

/* What kind of test it is. */
enum memdiag_engine_kind {
	MEMDIAG_ENGINE_MARCH,
	MEMDIAG_ENGINE_DECODER,		/* of the address decoder, bit by bit */
	MEMDIAG_ENGINE_MODULO,		/* memtest86+'s modulo-20 */
	MEMDIAG_ENGINE_FOREIGN,		/* another module's; not the engine's to run */
};

/*
 * How the memory is read and written. The first four go over strips of the
 * block in passes, see memdiag_march_pass(), the others do one operation after the
 * other and flush the line between any two.
 */
enum memdiag_engine_method {
	MEMDIAG_ENGINE_AUTO,		/* AVX2 if the processor has it, else words */
	MEMDIAG_ENGINE_WORDS,		/* movnti, without the FPU */
	MEMDIAG_ENGINE_AVX2,
	MEMDIAG_ENGINE_AVX512,
	MEMDIAG_ENGINE_LINES,		/* line by line over the block */
	MEMDIAG_ENGINE_PAGE_LINES,	/* the same, page by page: Asteroid, figure 28 */
	MEMDIAG_ENGINE_PAGE_WORDS,	/* COMeT, A.2.2: word by word, page by page */
	MEMDIAG_ENGINE_NR_METHODS,
};

/**
 * struct memdiag_engine_test - a test
 * @kind: what kind it is of
 * @march: the march test, if it is one
 * @method: how it is done
 * @seed: of the random backgrounds
 * @whole: it shows all stuck-at and transition faults, the least that a test is for
 * @foreign: another module's test, if it is one, else NULL
 */
struct memdiag_engine_test {
	enum memdiag_engine_kind kind;
	struct memdiag_march_test march;
	enum memdiag_engine_method method;
	u64 seed;
	bool whole;
	const struct memdiag_test *foreign;
};

/**
 * struct memdiag_engine_block - memory under test
 * @words: it, in the direct map, aligned to a line
 * @nr_lines: its size, whole pages
 * @address: its physical address
 */
struct memdiag_engine_block {
	u64 *words;
	size_t nr_lines;
	u64 address;
};

/**
 * struct memdiag_march_failure - a word that did not read back as it should
 * @word: its index in the block
 * @mask: bits that differ; 0 if it could not be read
 * @expected: what it should have read
 * @element: march element that found it; of the other kinds, 0
 * @background: what 0 stands for in this word
 * @uncorrectable: the machine reported an error that its ECC cannot correct
 */
struct memdiag_march_failure {
	size_t word;
	u64 mask;
	u64 expected;
	unsigned int element;
	u64 background;
	bool uncorrectable;
};

/* Whether a test of memory is to end before its time. */
typedef bool memdiag_ends_fn(void);

typedef void memdiag_march_report_fn(void *context, const struct memdiag_march_failure *failure);

#endif
