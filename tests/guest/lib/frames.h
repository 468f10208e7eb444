/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a program's pages lie, and how old the tests of these frames are. */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define UNTESTED	UINT32_MAX
/* A bit of an age: that test was no whole one. */
#define PARTLY		(1u << 31)

static inline uint64_t read_at(int fd, off_t at, size_t size)
{
	uint64_t value = 0;

	if (pread(fd, &value, size, at) != (ssize_t)size)
		exit(3);
	return value;
}

/* While a page is being moved, its frame is not told: wait until it is. */
static inline uint64_t frame_of(int map, const uint64_t *page)
{
	uint64_t entry;

	do {
		*(volatile const uint64_t *)page;
		entry = read_at(map, (uintptr_t)page / 4096 * 8, 8);
	} while (!(entry >> 63));
	return entry & ((1ULL << 55) - 1);
}

/* Of the frame that has the page, also if it is moved meanwhile. */
static inline uint32_t age_of(int age, int map, const uint64_t *page)
{
	uint32_t seconds;
	uint64_t pfn;

	do {
		pfn = frame_of(map, page);
		seconds = read_at(age, pfn * 4, 4);
	} while (pfn != frame_of(map, page));
	return seconds;
}

#endif
