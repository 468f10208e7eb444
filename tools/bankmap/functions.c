// SPDX-License-Identifier: GPL-2.0-only
/* Sets of addresses that conflict, and the functions that tell them apart. */
#include <stdlib.h>
#include <string.h>

#include "gf2.h"
#include "solver.h"

#define POOL		4000
#define MAX_SETS	512
#define WITNESSES	5	/* members that a new one has to conflict with */
#define SMALLEST	4	/* members of a set that is worth something */
#define TRIALS		200
#define SAMPLE		160	/* differences in a trial */

/**
 * struct sets - addresses by the set that they are in
 * @address: of each
 * @set: number of its set, or -1
 * @left: how many are in none
 */
struct sets {
	uint64_t address[POOL];
	int set[POOL];
	unsigned int left;
	unsigned int nr;
};

static bool conflicts(const struct memory *memory,
		      const struct mapping *mapping, uint64_t a, uint64_t b)
{
	return latency_of(memory, a, b) > mapping->histogram.threshold;
}

/* A second look, at other members: most have to agree. */
static bool belongs(struct memory *memory, const struct mapping *mapping,
		    const uint64_t *members, unsigned int nr, uint64_t address)
{
	unsigned int i, agree = 0;

	for (i = 0; i < WITNESSES; i++)
		agree += conflicts(memory, mapping,
				   members[memory_draw(memory) % nr], address);
	return agree * 2 > WITNESSES;
}

/* The set of what conflicts with @base. Returns how many there are in it. */
static unsigned int gather(struct memory *memory, const struct mapping *mapping,
			   struct sets *sets, unsigned int base)
{
	static uint64_t members[POOL];
	static unsigned int index[POOL];
	unsigned int i, nr = 0, kept = 0;

	for (i = 0; i < POOL; i++) {
		if (sets->set[i] >= 0 || i == base ||
		    !conflicts(memory, mapping, sets->address[base],
			       sets->address[i]))
			continue;
		index[nr] = i;
		members[nr++] = sets->address[i];
	}
	if (nr < SMALLEST)
		return 0;
	for (i = 0; i < nr; i++)
		if (belongs(memory, mapping, members, nr, members[i])) {
			sets->set[index[i]] = sets->nr;
			kept++;
		}
	if (kept >= SMALLEST) {
		sets->set[base] = sets->nr++;
		sets->left -= kept + 1;
		return kept + 1;
	}
	for (i = 0; i < nr; i++)
		sets->set[index[i]] = -1;
	return 0;
}

static void gather_all(struct memory *memory, const struct mapping *mapping,
		       struct sets *sets)
{
	unsigned int base, vain = 0;

	while (sets->left > POOL / 20 && sets->nr < MAX_SETS && vain < 40) {
		do {
			base = memory_draw(memory) % POOL;
		} while (sets->set[base] >= 0);
		if (!gather(memory, mapping, sets, base))
			vain++;
	}
}

/* The difference of two random members of a random set. */
static uint64_t difference(struct memory *memory, const struct sets *sets,
			   const unsigned int *first)
{
	unsigned int i;

	do {
		i = memory_draw(memory) % POOL;
	} while (sets->set[i] < 0);
	return sets->address[i] ^ sets->address[first[sets->set[i]]];
}

/* Of all members, how many differ from another of their set: in 1000. */
static unsigned int wrong_permille(const struct sets *sets, uint64_t function)
{
	static unsigned int ones[MAX_SETS], all[MAX_SETS];
	unsigned int i, wrong = 0, total = 0;

	memset(ones, 0, sizeof(ones));
	memset(all, 0, sizeof(all));
	for (i = 0; i < POOL; i++) {
		if (sets->set[i] < 0)
			continue;
		all[sets->set[i]]++;
		ones[sets->set[i]] += parity(sets->address[i] & function);
	}
	for (i = 0; i < sets->nr; i++) {
		wrong += ones[i] * 2 > all[i] ? all[i] - ones[i] : ones[i];
		total += all[i];
	}
	return total ? wrong * 1000 / total : 1000;
}

/*
 * Functions that are constant within each set, of which there is no more than
 * so much noise, from a sample of differences. A member in the wrong set spoils
 * a sample; the next one may be without.
 */
static void try_sample(struct memory *memory, const struct sets *sets,
		       const unsigned int *first, uint64_t bits,
		       struct space *functions)
{
	struct space differences = {}, found;
	unsigned int i;

	for (i = 0; i < SAMPLE; i++)
		space_add(&differences, difference(memory, sets, first) & bits);
	space_orthogonal(&differences, bits, &found);
	functions->nr = 0;
	for (i = 0; i < found.nr; i++)
		if (wrong_permille(sets, found.basis[i]) <= 30)
			space_add(functions, found.basis[i]);
}

static uint64_t bits_that_vary(const struct sets *sets)
{
	uint64_t bits = 0;
	unsigned int i;

	for (i = 1; i < POOL; i++)
		bits |= sets->address[i] ^ sets->address[0];
	return bits & ~(LINE - 1);
}

/* Functions that are the same for all addresses tell nothing. */
static void find_trivial(const struct sets *sets, uint64_t bits,
			 struct space *trivial)
{
	struct space all = {};
	unsigned int i;

	for (i = 1; i < POOL; i++)
		space_add(&all, (sets->address[i] ^ sets->address[0]) & bits);
	space_orthogonal(&all, bits, trivial);
}

static int by_weight(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
	int weight = __builtin_popcountll(left) - __builtin_popcountll(right);

	return weight ? weight : left < right ? -1 : left > right;
}

static int by_value(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* Of all functions that say the same, those of the fewest bits. */
static void simplify(const struct space *functions, struct space *known,
		     struct mapping *mapping)
{
	static uint64_t all[1 << MAX_FUNCTIONS];
	unsigned int i, j, nr = 1U << functions->nr;

	for (i = 0; i < nr; i++) {
		all[i] = 0;
		for (j = 0; j < functions->nr; j++)
			if (i >> j & 1)
				all[i] ^= functions->basis[j];
	}
	qsort(all, nr, sizeof(*all), by_weight);
	for (i = 1; i < nr; i++)
		if (space_add(known, all[i]))
			mapping->functions[mapping->nr++] = all[i];
	qsort(mapping->functions, mapping->nr, sizeof(uint64_t), by_value);
}

static enum verdict solve_sets(struct memory *memory, struct mapping *mapping,
			       const struct sets *sets)
{
	uint64_t bits = bits_that_vary(sets);
	struct space trivial, best = {}, functions;
	unsigned int first[MAX_SETS], i;

	for (i = 0; i < POOL; i++)
		if (sets->set[i] >= 0)
			first[sets->set[i]] = i;
	for (i = 0; i < TRIALS; i++) {
		try_sample(memory, sets, first, bits, &functions);
		if (functions.nr > best.nr)
			best = functions;
	}
	find_trivial(sets, bits, &trivial);
	if (best.nr <= trivial.nr || best.nr > MAX_FUNCTIONS)
		return NO_FUNCTIONS;
	simplify(&best, &trivial, mapping);
	/* Sets that are as many as banks, but for some that were seen twice. */
	if (sets->nr < (1U << mapping->nr) / 2 ||
	    sets->nr > (2U << mapping->nr))
		return NO_FUNCTIONS;
	return FOUND;
}

enum verdict find_functions(struct memory *memory, struct mapping *mapping)
{
	static struct sets sets;
	unsigned int i;

	memset(&sets, 0, sizeof(sets));
	sets.left = POOL;
	for (i = 0; i < POOL; i++) {
		sets.address[i] = memory_any(memory);
		sets.set[i] = -1;
	}
	gather_all(memory, mapping, &sets);
	mapping->nr_sets = sets.nr;
	/* There is always more than one bank. */
	if (sets.nr < 2 || sets.left > POOL / 2)
		return NO_SETS;
	return solve_sets(memory, mapping, &sets);
}
