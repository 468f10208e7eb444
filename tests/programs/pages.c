// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the memory accesses that valgrind's lackey tells, on stdin, to a page trace as tests/guest/bench/replay.c reads
 * it. pages SKIP ACCESSES: leaves out so many, and ends after so many.
 *
 * An access to one of the eight pages used last is counted with the line before it. That leaves the misses of every
 * LRU memory of more than eight pages as they are, and the number of accesses (Smith 1977, "stack deletion").
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECENT 8
#define SLOTS (1 << 20)

static uint64_t recent[RECENT], keys[SLOTS];
static uint32_t numbers[SLOTS], pages;

/* Pages are numbered as they come. */
static uint32_t number(uint64_t page)
{
	uint64_t i = page * 0x9e3779b97f4a7c15ULL >> 44;

	for (; keys[i] && keys[i] != page + 1; i = (i + 1) % SLOTS)
		;
	if (!keys[i]) {
		keys[i] = page + 1;
		numbers[i] = pages++;
		if (pages > SLOTS / 2)
			errx(1, "too many pages");
	}
	return numbers[i];
}

/* Moves it to the front; whether it was there. */
static int used_lately(uint64_t page)
{
	int i;

	for (i = 0; i < RECENT - 1 && recent[i] != page; i++)
		;
	if (recent[i] == page) {
		memmove(recent + 1, recent, i * sizeof(*recent));
		recent[0] = page;
		return 1;
	}
	memmove(recent + 1, recent, (RECENT - 1) * sizeof(*recent));
	recent[0] = page;
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t skip, left, count = 0, page;
	uint32_t last = 0;
	char line[256];

	if (argc != 3)
		errx(2, "usage: pages SKIP ACCESSES");
	skip = strtoull(argv[1], NULL, 10);
	left = strtoull(argv[2], NULL, 10);
	while (left && fgets(line, sizeof(line), stdin)) {
		/* "I  addr,size" and " L addr,size", S and M; what valgrind says begins with ==. */
		if ((line[0] != 'I' && line[0] != ' ') || !strchr("LSM ", line[1]) || !strchr(line, ','))
			continue;
		if (skip) {
			skip--;
			continue;
		}
		left--;
		page = strtoull(line + 3, NULL, 16) >> 12;
		if (used_lately(page) && count) {
			count++;
			continue;
		}
		if (count)
			printf("%u*%llu\n", last, (unsigned long long)count);
		last = number(page);
		count = 1;
	}
	if (count)
		printf("%u*%llu\n", last, (unsigned long long)count);
	return 0;
}
