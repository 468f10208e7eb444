/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory whose access times can be measured. */
#ifndef BANKMAP_MEMORY_H
#define BANKMAP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE	4096ULL
#define LINE	64ULL

/**
 * struct memory - some page frames, and how long it takes to access two of them
 * @frames: their numbers, ascending
 * @nr: how many
 * @latency: time of one access of two addresses that are accessed in turn, past
 *	all caches, in any unit; the addresses lie in these frames
 * @context: of @latency
 * @seed: of what is chosen at random
 */
struct memory {
	uint64_t *frames;
	size_t nr;
	unsigned int (*latency)(void *context, uint64_t a, uint64_t b);
	void *context;
	uint64_t seed;
};

static inline unsigned int latency_of(const struct memory *memory, uint64_t a,
				      uint64_t b)
{
	return memory->latency(memory->context, a, b);
}

/* A random number. */
uint64_t memory_draw(struct memory *memory);

/* The address of a random cache line. */
uint64_t memory_any(struct memory *memory);

/* The index of the frame that an address lies in, or -1. */
long memory_find(const struct memory *memory, uint64_t address);

#endif
