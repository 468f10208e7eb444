/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A cache as a model: which lines are in it, and which of them are dirty. Write-back, write-allocate, least recently
 * used goes first.
 */
#ifndef CACHE_H
#define CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NO_LINE UINT64_MAX
#define OWNERS 16u

struct cache {
	uint64_t line;		/* bytes */
	uint64_t sets;
	unsigned int ways;
	uint64_t *lines;	/* of a set the latest used first: (number * OWNERS + who wrote it) << 1 | dirty */
};

/* A line, and who it belongs to. */
struct owned_line {
	uint64_t number;
	unsigned int owner;
};

static inline void cache_clear(struct cache *cache)
{
	memset(cache->lines, 0xff, cache->sets * cache->ways * sizeof(*cache->lines));
}

/* False: there is no such cache, or no memory. */
static inline bool cache_init(struct cache *cache, uint64_t size, unsigned int ways, uint64_t line)
{
	if (!line || !ways || !size || size % (line * ways))
		return false;
	*cache = (struct cache){ .line = line, .sets = size / line / ways, .ways = ways };
	cache->lines = malloc(cache->sets * ways * sizeof(*cache->lines));
	if (!cache->lines)
		return false;
	cache_clear(cache);
	return true;
}

/*
 * @owner reads or writes the line numbered @number. Returns whether it was there; if not, it is now, and *@written_back
 * is the dirty line that went for it, with who wrote it last, or NO_LINE.
 */
static inline bool cache_access(struct cache *cache, uint64_t number, unsigned int owner, bool write,
				struct owned_line *written_back)
{
	uint64_t *set = cache->lines + number % cache->sets * cache->ways;
	uint64_t entry = (number * OWNERS + owner) << 1 | write;
	unsigned int way = 0;
	bool hit;

	while (way < cache->ways - 1 && (set[way] >> 1) / OWNERS != number)
		way++;
	hit = (set[way] >> 1) / OWNERS == number;
	written_back->number = NO_LINE;
	if (hit && !write)
		entry = set[way];
	else if (!hit && set[way] != NO_LINE && set[way] & 1)
		*written_back = (struct owned_line){ (set[way] >> 1) / OWNERS, (set[way] >> 1) % OWNERS };
	memmove(set + 1, set, way * sizeof(*set));
	set[0] = entry;
	return hit;
}

#endif
