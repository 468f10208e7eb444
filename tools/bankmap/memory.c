// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "memory.h"

/* xorshift64 (Marsaglia, 2003). */
uint64_t memory_draw(struct memory *memory)
{
	memory->seed ^= memory->seed << 13;
	memory->seed ^= memory->seed >> 7;
	memory->seed ^= memory->seed << 17;
	return memory->seed * 0x2545f4914f6cdd1dULL >> 16;
}

uint64_t memory_any(struct memory *memory)
{
	return memory->frames[memory_draw(memory) % memory->nr] * PAGE +
	       memory_draw(memory) % (PAGE / LINE) * LINE;
}

long memory_find(const struct memory *memory, uint64_t address)
{
	uint64_t frame = address / PAGE;
	size_t low = 0, high = memory->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (memory->frames[middle] < frame)
			low = middle + 1;
		else
			high = middle;
	}
	return low < memory->nr && memory->frames[low] == frame ? (long)low : -1;
}

static int compare_times(const void *a, const void *b)
{
	int left = *(const int *)a, right = *(const int *)b;

	return left < right ? -1 : left > right;
}

void sort_times(int *times, size_t nr)
{
	qsort(times, nr, sizeof(*times), compare_times);
}
