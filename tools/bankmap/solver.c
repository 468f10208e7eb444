// SPDX-License-Identifier: GPL-2.0-only
#include "solver.h"

const char * const verdict_text[] = {
	[FOUND] = "found",
	[NO_CONFLICTS] = "row conflicts do not stand out: all pairs of addresses take about the same time",
	[NO_SETS] = "addresses that conflict do not form sets: too much noise",
	[NO_FUNCTIONS] = "the sets are not told apart by parities of address bits",
};

enum verdict solve(struct memory *memory, struct mapping *mapping)
{
	enum verdict verdict = find_threshold(memory, mapping);

	if (verdict == FOUND)
		verdict = find_functions(memory, mapping);
	if (verdict == FOUND)
		find_rows(memory, mapping);
	return verdict;
}
