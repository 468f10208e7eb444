// SPDX-License-Identifier: GPL-2.0-only
/*
 * cached: what of a file or disk is in the page cache, and that it is what it was.
 *
 * cached FILE [--fill PAGES] [--ages TABLE]
 *
 * --fill writes the file first, page by page, with numbers. Prints "pages P
 * resident R errors E": R of its P pages are resident before it looks at them,
 * E do not hold the numbers; and with --ages " untested U oldest S", as keep
 * does, of the page cache.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../lib/frames.h"

#define WORDS		512

static uint64_t word(size_t page, size_t i)
{
	return (page + 1) * 0x9e3779b97f4a7c15ULL ^ i;
}

static void fill(int fd, size_t pages)
{
	uint64_t words[WORDS];
	size_t page, i;

	for (page = 0; page < pages; page++) {
		for (i = 0; i < WORDS; i++)
			words[i] = word(page, i);
		if (write(fd, words, sizeof(words)) != sizeof(words))
			exit(3);
	}
	fsync(fd);
}

static size_t count_errors(const uint64_t *memory, size_t pages)
{
	size_t errors = 0, page, i;

	for (page = 0; page < pages; page++)
		for (i = 0; i < WORDS; i++)
			if (memory[page * WORDS + i] != word(page, i)) {
				errors++;
				break;
			}
	return errors;
}

static void print_ages(const char *table, const uint64_t *memory, size_t pages)
{
	int map = open("/proc/self/pagemap", O_RDONLY);
	int ages = open(table, O_RDONLY);
	uint32_t age, oldest = 0;
	size_t untested = 0, i;

	for (i = 0; i < pages; i++) {
		age = age_of(ages, map, memory + i * WORDS);
		if (age == UNTESTED)
			untested++;
		else if (age > oldest)
			oldest = age;
	}
	printf(" untested %zu oldest %u", untested, oldest);
}

int main(int argc, char **argv)
{
	const char *table = NULL;
	size_t pages = 0, resident = 0, i;
	unsigned char *in_core;
	void *memory;
	off_t size;
	int fd, a;

	for (a = 2; a + 1 < argc; a += 2) {
		if (!strcmp(argv[a], "--fill"))
			pages = strtoul(argv[a + 1], NULL, 0);
		else if (!strcmp(argv[a], "--ages"))
			table = argv[a + 1];
	}
	if (argc < 2) {
		fprintf(stderr, "usage: cached FILE [--fill PAGES] [--ages TABLE]\n");
		return 2;
	}
	fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	if (fd >= 0 && pages)
		fill(fd, pages);
	size = lseek(fd, 0, SEEK_END);
	if (size <= 0)
		return 3;
	pages = size / 4096;
	memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	in_core = malloc(pages);
	if (memory == MAP_FAILED || !in_core ||
	    mincore(memory, size, in_core))
		return 3;
	for (i = 0; i < pages; i++)
		resident += in_core[i] & 1;
	printf("pages %zu resident %zu errors %zu", pages, resident,
	       count_errors(memory, pages));
	if (table)
		print_ages(table, memory, pages);
	printf("\n");
	return 0;
}
