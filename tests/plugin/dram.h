/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DRAM as a model: banks, each with one row that is open until another one of the same bank is wanted.
 *
 * What selects a bank is a list of digits: an interleave of COUNT units of SIZE bytes, or the parity of the address
 * bits in a mask. The row is what remains: the address divided by the size of a row across all that are interleaved
 * below it.
 */
#ifndef DRAM_H
#define DRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS 16
#define NO_ROW UINT64_MAX

struct digit {
	uint64_t size;		/* of an interleave */
	uint64_t count;
	uint64_t mask;		/* of a parity, if not 0 */
};

/* Of a user, who is a CPU or a program: what its accesses found. */
struct dram_counts {
	uint64_t hits;		/* its row was open */
	uint64_t opened;	/* no row was: the first access to the bank */
	uint64_t own;		/* another row was, which this user had opened */
	uint64_t others;	/* another row was, which somebody else had opened */
};

struct dram {
	struct digit digits[DIGITS];
	unsigned int ndigits;
	uint64_t row_size;
	uint64_t banks;
	struct {
		uint64_t row;
		uint64_t address;	/* accessed last */
		unsigned int user;
	} *open;
};

static inline void dram_clear(struct dram *dram)
{
	for (uint64_t bank = 0; bank < dram->banks; bank++)
		dram->open[bank].row = NO_ROW;
}

/* The digits and the row's size are set. False: too little memory. */
static inline bool dram_init(struct dram *dram)
{
	dram->banks = 1;
	for (unsigned int i = 0; i < dram->ndigits; i++)
		dram->banks *= dram->digits[i].mask ? 2 : dram->digits[i].count;
	dram->open = calloc(dram->banks, sizeof(*dram->open));
	if (!dram->open)
		return false;
	dram_clear(dram);
	return true;
}

static inline uint64_t dram_bank(const struct dram *dram, uint64_t address)
{
	uint64_t bank = 0;

	for (unsigned int i = 0; i < dram->ndigits; i++) {
		const struct digit *d = &dram->digits[i];

		if (d->mask)
			bank = bank * 2 + __builtin_parityll(address & d->mask);
		else
			bank = bank * d->count + address / d->size % d->count;
	}
	return bank;
}

/* What somebody else had accessed in the row that was in the way, or NO_ROW. */
static inline uint64_t dram_access(struct dram *dram, uint64_t address, unsigned int user, struct dram_counts *counts)
{
	uint64_t bank = dram_bank(dram, address), row = address / dram->row_size, other = NO_ROW;

	if (dram->open[bank].row == row)
		counts->hits++;
	else if (dram->open[bank].row == NO_ROW)
		counts->opened++;
	else if (dram->open[bank].user == user)
		counts->own++;
	else {
		counts->others++;
		other = dram->open[bank].address;
	}
	dram->open[bank].row = row;
	dram->open[bank].address = address;
	dram->open[bank].user = user;
	return other;
}

#endif
