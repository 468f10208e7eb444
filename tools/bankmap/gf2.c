// SPDX-License-Identifier: GPL-2.0-only
#include "gf2.h"

static uint64_t highest(uint64_t vector)
{
	return 1ULL << (63 - __builtin_clzll(vector));
}

uint64_t space_reduce(const struct space *space, uint64_t vector)
{
	unsigned int i;

	for (i = 0; i < space->nr; i++)
		if (vector & highest(space->basis[i]))
			vector ^= space->basis[i];
	return vector;
}

bool space_add(struct space *space, uint64_t vector)
{
	uint64_t top;
	unsigned int i;

	vector = space_reduce(space, vector);
	if (!vector)
		return false;
	top = highest(vector);
	for (i = 0; i < space->nr; i++)
		if (space->basis[i] & top)
			space->basis[i] ^= vector;
	space->basis[space->nr++] = vector;
	return true;
}

/*
 * In the reduced basis each vector has a highest bit of its own. Any choice of
 * the other bits determines those.
 */
void space_orthogonal(const struct space *space, uint64_t bits,
		      struct space *result)
{
	uint64_t tops = 0, bit, vector;
	unsigned int i;

	result->nr = 0;
	for (i = 0; i < space->nr; i++)
		tops |= highest(space->basis[i]);
	for (bit = 1; bit; bit <<= 1) {
		if (!(bits & bit) || (tops & bit))
			continue;
		vector = bit;
		for (i = 0; i < space->nr; i++)
			if (space->basis[i] & bit)
				vector |= highest(space->basis[i]);
		space_add(result, vector);
	}
}
