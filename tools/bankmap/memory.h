/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory whose access times can be measured. */
#ifndef BANKMAP_MEMORY_H
#define BANKMAP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE	4096ULL
#define LINE	64ULL

#define MAX_CHAIN	256

/* What is done with the lines of a chain. */
enum access {
	READ_MEMORY,	/* reads, one after another, of what is in no cache */
	READ_CACHE,	/* the same of what was read just now */
	FLUSH_CLEAN,	/* flushes, each waited for, of what caches have unchanged */
	FLUSH_DIRTY,	/* the same of what has to be written to memory */
};

/**
 * struct memory - some page frames, and how long it takes to access two of them
 * @frames: their numbers, ascending
 * @nr: how many
 * @latency: time of one access of two addresses that are accessed in turn, past
 *	all caches, in any unit; the addresses lie in these frames
 * @chain: time that accesses of at most MAX_CHAIN lines take, each of which begins
 *	when the one before is done, and the taking of the time
 * @context: of both
 * @seed: of what is chosen at random
 */
struct memory {
	uint64_t *frames;
	size_t nr;
	unsigned int (*latency)(void *context, uint64_t a, uint64_t b);
	unsigned int (*chain)(void *context, enum access access,
			      const uint64_t *lines, unsigned int nr);
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

/* Times, ascending. */
void sort_times(int *times, size_t nr);

#endif
