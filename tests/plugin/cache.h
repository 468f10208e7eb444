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

struct cache {
	uint64_t line;		/* bytes */
	uint64_t sets;
	unsigned int ways;
	uint64_t *lines;	/* of a set the latest used first: number << 1 | dirty */
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
 * The line numbered @number is read or written. Returns whether it was there; if not, it is now, and *@written_back is
 * the number of the dirty line that went for it, or NO_LINE.
 */
static inline bool cache_access(struct cache *cache, uint64_t number, bool write, uint64_t *written_back)
{
	uint64_t *set = cache->lines + number % cache->sets * cache->ways;
	uint64_t entry = number << 1;
	unsigned int way = 0;
	bool hit;

	while (way < cache->ways - 1 && set[way] >> 1 != number)
		way++;
	hit = set[way] >> 1 == number;
	*written_back = NO_LINE;
	if (hit)
		entry = set[way];
	else if (set[way] != NO_LINE && set[way] & 1)
		*written_back = set[way] >> 1;
	memmove(set + 1, set, way * sizeof(*set));
	set[0] = entry | write;
	return hit;
}

#endif
