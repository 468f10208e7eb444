// SPDX-License-Identifier: GPL-2.0-only
/* Which address bits select the row. */
#include "gf2.h"
#include "solver.h"

#define ROW_PAIRS	9	/* measured for a bit */
#define SEARCH	4000	/* addresses looked at for them */

/*
 * A difference with @bit as its highest bit, others of @allowed, and the same
 * bank at both ends. Returns 0 if there is none.
 */
static uint64_t same_bank(const struct mapping *mapping, uint64_t bit,
			  uint64_t allowed)
{
	struct space functions = {}, kernel;
	unsigned int i;

	for (i = 0; i < mapping->nr; i++)
		space_add(&functions, mapping->functions[i] & (allowed | bit));
	space_orthogonal(&functions, allowed | bit, &kernel);
	for (i = 0; i < kernel.nr; i++)
		if (kernel.basis[i] & bit)
			return kernel.basis[i];
	return 0;
}

/* 1 if most pairs with this difference conflict, 0 if not, -1: no pairs. */
static int conflicts_over(struct memory *memory, const struct mapping *mapping,
			  uint64_t difference)
{
	unsigned int i, pairs = 0, conflicts = 0;
	uint64_t address;

	for (i = 0; i < SEARCH && pairs < ROW_PAIRS; i++) {
		address = memory_any(memory);
		if (memory_find(memory, address ^ difference) < 0)
			continue;
		pairs++;
		conflicts += latency_of(memory, address, address ^ difference) >
			     mapping->histogram.threshold;
	}
	return pairs ? conflicts * 2 > pairs : -1;
}

/*
 * Two addresses of one bank that differ in this bit, and otherwise in lower bits
 * that are not of the row, conflict if this one is. A bit that always leads to
 * another bank selects banks. Of one that only goes with bits of the row, or of
 * which there is no pair, nothing can be measured: above others it counts.
 */
static bool is_row(struct memory *memory, const struct mapping *mapping,
		   uint64_t bit)
{
	uint64_t lower = (bit - 1) & ~(LINE - 1), difference;
	int conflict = -1;

	if (!same_bank(mapping, bit, lower))
		return false;
	difference = same_bank(mapping, bit, lower & ~mapping->rows);
	if (difference)
		conflict = conflicts_over(memory, mapping, difference);
	return conflict < 0 ? mapping->rows != 0 : conflict;
}

/*
 * From the lowest bit up: where one cannot be told apart from a lower one that
 * goes with it, it is the higher that is of the row.
 */
void find_rows(struct memory *memory, struct mapping *mapping)
{
	uint64_t bit, last = memory->frames[memory->nr - 1] * PAGE;

	for (bit = LINE; bit <= last; bit <<= 1)
		if (is_row(memory, mapping, bit))
			mapping->rows |= bit;
}
