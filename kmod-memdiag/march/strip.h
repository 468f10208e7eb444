/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Strips: one pass of a march element over consecutive lines of memory, at the
 * speed of the memory. Each function below is the same loop (strip_loop.h) over
 * words, 32 byte or 64 byte vectors.
 */
#ifndef MEMDIAG_MARCH_STRIP_H
#define MEMDIAG_MARCH_STRIP_H

#include "march/background.h"

/**
 * struct memdiag_strip - lines that a pass goes over
 * @line: the first
 * @stride: words from one line to the next; negative if descending
 * @nr: how many
 * @number: of the first line: its physical address over MEMDIAG_LINE_BYTES
 * @up: how @number changes from line to line
 * @bit: those with this bit of their number set are inverted
 * @scatter: whether the values are scattered
 * @constant: whether all lines have the same value
 * @value: of the first line, before that
 * @step: how it changes from line to line
 * @read: whether to read a line and compare
 * @write: whether to write it then
 * @cached: write lines that are read too into the cache; else past it
 * @behind: the first of the lines to flush meanwhile, one for each line that is
 *	done; NULL: none
 * @expected: 0, or ~0 to expect the complement
 * @written: 0, or ~0 to write the complement
 * @diff: of a line that was not as expected: the bits that were not
 * @uncorrectable: or it could not be read at all
 */
struct memdiag_strip {
	u64 *line;
	long stride;
	size_t nr;
	u64 number;
	long up;
	unsigned int bit;
	bool scatter, constant, read, write, cached;
	u64 *behind;
	u64 value[MEMDIAG_LINE_WORDS];
	u64 step[MEMDIAG_LINE_WORDS];
	u64 expected, written;
	u64 diff[MEMDIAG_LINE_WORDS];
	bool uncorrectable;
};

/*
 * Do a pass. Writes and flushes are weakly ordered: a fence is the caller's.
 * The loops over vectors need the FPU.
 *
 * Return: lines done, all of them or up to one that is not as expected. That
 * one is described by @diff or @uncorrectable, and was not written.
 */
size_t memdiag_strip_words(struct memdiag_strip *strip);
size_t memdiag_strip_avx2(struct memdiag_strip *strip);
size_t memdiag_strip_avx512(struct memdiag_strip *strip);

#endif
