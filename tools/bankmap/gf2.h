/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of address bits as vectors over GF(2). */
#ifndef BANKMAP_GF2_H
#define BANKMAP_GF2_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_BITS	64

/**
 * struct space - the vectors that some vectors span
 * @nr: its dimension
 * @basis: each has a highest bit that none of the others has
 */
struct space {
	unsigned int nr;
	uint64_t basis[MAX_BITS];
};

static inline unsigned int parity(uint64_t bits)
{
	return __builtin_parityll(bits);
}

/* What is left of @vector when all that the space has of it is taken away. */
uint64_t space_reduce(const struct space *space, uint64_t vector);

/* Returns whether the dimension has grown. */
bool space_add(struct space *space, uint64_t vector);

/* All vectors of the bits in @bits that are orthogonal to the whole space. */
void space_orthogonal(const struct space *space, uint64_t bits,
		      struct space *result);

#endif
