// SPDX-License-Identifier: GPL-2.0-only
/*
 * shift: uses a part of its memory all the time, and later another part.
 *
 * shift PAGES [--write] [--range START END]
 *
 * It has two sets of PAGES pages, and reads, or with --write writes, a word of each page of the
 * first some hundred times a second.
 *
 * On SIGUSR1 prints "used N U other N O errors E": so many pages of each lie in the
 * physical range, and E words were not as they were left. On SIGUSR2 it goes on with the other set.
 * On SIGTERM does as on SIGUSR1 and exits, with 1 if there were errors.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../lib/frames.h"

#define WORDS	512

static volatile sig_atomic_t asked, shifts, ended;
static uint64_t start, end = UINT64_MAX;
static uint64_t *sets[2];
static size_t pages, errors;
static uint64_t written[2];
static int writes;

static void on_signal(int number)
{
	asked |= number != SIGUSR2;
	shifts |= number == SIGUSR2;
	ended |= number == SIGTERM;
}

static uint64_t *map(size_t nr)
{
	uint64_t *area = mmap(NULL, (nr + 1) * 4096, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t page;

	if (area == MAP_FAILED)
		exit(3);
	madvise(area, nr * 4096, MADV_NOHUGEPAGE);
	for (page = 0; page < nr; page++)
		area[page * WORDS + 1] = page;
	return area;
}

static void use(int set)
{
	volatile uint64_t *word = sets[set];
	size_t page;

	for (page = 0; page < pages; page++, word += WORDS) {
		errors += word[0] != written[set] || word[1] != page;
		if (writes)
			word[0] = written[set] + 1;
	}
	written[set] += !!writes;
}

/* Asks without using the memory: what is being moved counts as outside. */
static size_t inside(int fd, const uint64_t *area, size_t nr)
{
	size_t page, in = 0;

	for (page = 0; page < nr; page++) {
		uint64_t entry = read_at(fd, ((uintptr_t)area / 4096 + page) * 8, 8);
		uint64_t address = (entry & ((1ULL << 55) - 1)) * 4096;

		in += entry >> 63 && address >= start && address < end;
	}
	return in;
}

static void report(int set)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);

	printf("used %zu %zu other %zu %zu errors %zu\n", pages, inside(fd, sets[set], pages),
	       pages, inside(fd, sets[!set], pages), errors);
	fflush(stdout);
	close(fd);
}

static int parse(int argc, char **argv)
{
	int i;

	pages = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	for (i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "--write")) {
			writes = 1;
		} else if (!strcmp(argv[i], "--range") && i + 2 < argc) {
			start = strtoull(argv[++i], NULL, 0);
			end = strtoull(argv[++i], NULL, 0);
		} else {
			return 0;
		}
	}
	return !!pages;
}

int main(int argc, char **argv)
{
	int set = 0;

	if (!parse(argc, argv)) {
		fprintf(stderr, "usage: shift PAGES [--write] [--range START END]\n");
		return 2;
	}
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	signal(SIGTERM, on_signal);
	sets[0] = map(pages);
	sets[1] = map(pages);
	puts("ready");
	fflush(stdout);
	while (!ended) {
		use(set);
		usleep(3000);
		if (shifts) {
			shifts = 0;
			set = !set;
		}
		if (asked) {
			asked = 0;
			report(set);
		}
	}
	return !!errors;
}
