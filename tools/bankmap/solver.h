/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which address bits select the bank, and which the row, from access times
 * alone (DRAMA, Pessl et al., USENIX Security 2016, section 4.2; rows as
 * DRAMDig, Wang et al., DAC 2020): two addresses that are accessed in turn take
 * longer if they lie in different rows of one bank.
 */
#ifndef BANKMAP_SOLVER_H
#define BANKMAP_SOLVER_H

#include "memory.h"

#define MAX_FUNCTIONS	16
#define HISTOGRAM	4096

/**
 * struct histogram - how often each latency was measured
 * @count: by latency; the last counts all that took longer
 * @total: of all of them
 * @threshold: what takes longer is a conflict; 0: there is no telling
 */
struct histogram {
	unsigned int count[HISTOGRAM];
	unsigned int total;
	unsigned int threshold;
};

/* Why there is no telling. */
enum verdict {
	FOUND,
	NO_CONFLICTS,		/* all pairs take the same time, or any */
	NO_SETS,		/* what conflicts does not form sets */
	NO_FUNCTIONS,		/* no parities tell the sets apart */
};

extern const char * const verdict_text[];

/**
 * struct mapping - what was found
 * @histogram: of random pairs
 * @nr_sets: sets of addresses that conflict with one another
 * @nr: how many @functions
 * @functions: masks of address bits, each parity of which is a bit of the bank
 * @rows: mask of the bits that select the row
 */
struct mapping {
	struct histogram histogram;
	unsigned int nr_sets;
	unsigned int nr;
	uint64_t functions[MAX_FUNCTIONS];
	uint64_t rows;
};

/* Finds the mapping of a memory: takes some 100000 measurements and more. */
enum verdict solve(struct memory *memory, struct mapping *mapping);

/* The steps of it, each from what those before have found. */
enum verdict find_threshold(struct memory *memory, struct mapping *mapping);
enum verdict find_functions(struct memory *memory, struct mapping *mapping);
void find_rows(struct memory *memory, struct mapping *mapping);

#endif
