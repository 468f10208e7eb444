// SPDX-License-Identifier: GPL-2.0-only
/*
 * shift: uses a part of its memory all the time, and later another part.
 *
 * shift PAGES [--write] [--shared] [--range START END] [--warm PAGES MS] [--beat ON OFF] [--hold]
 *
 * It has two sets of PAGES pages, and reads, or with --write writes, a word of each page of the
 * first some hundred times a second; with --beat only for ON ms, and then not for OFF ms. With
 * --shared the sets are shared memory. With --warm it has more pages, which it reads once in MS;
 * they are the first that it gets. With --hold a pipe holds the pages of the first set, so that
 * they cannot be moved.
 *
 * On SIGUSR1 prints "used N U other N O warm N W errors E": so many pages of each lie in the
 * physical range, and E words were not as they were left. On SIGUSR2 it goes on with the other set.
 * On SIGTERM does as on SIGUSR1 and exits, with 1 if there were errors.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "../lib/frames.h"

#define WORDS	512

static volatile sig_atomic_t asked, shifts, ended;
static uint64_t start, end = UINT64_MAX;
static uint64_t *sets[2], *warm;
static size_t pages, warm_pages, errors;
static long warm_ms, on_ms = 1, off_ms;
static uint64_t written[2];
static int writes, map_kind = MAP_PRIVATE, hold;

static void on_signal(int number)
{
	asked |= number != SIGUSR2;
	shifts |= number == SIGUSR2;
	ended |= number == SIGTERM;
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static uint64_t *map(size_t nr, int kind)
{
	uint64_t *area = mmap(NULL, (nr + 1) * 4096, PROT_READ | PROT_WRITE,
			      kind | MAP_ANONYMOUS, -1, 0);
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

static void use_warm(void)
{
	volatile uint64_t *word = warm;
	size_t page;

	for (page = 0; page < warm_pages; page++, word += WORDS)
		errors += word[1] != page;
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

	printf("used %zu %zu other %zu %zu warm %zu %zu errors %zu\n", pages,
	       inside(fd, sets[set], pages), pages, inside(fd, sets[!set], pages), warm_pages,
	       inside(fd, warm, warm_pages), errors);
	fflush(stdout);
	close(fd);
}

static void hold_pages(void)
{
	struct iovec all = { sets[0], pages * 4096 };
	int pipes[2];

	if (pipe(pipes) || fcntl(pipes[1], F_SETPIPE_SZ, pages * 4096) < 0 ||
	    vmsplice(pipes[1], &all, 1, 0) != (ssize_t)all.iov_len)
		exit(4);
}

static int parse(int argc, char **argv)
{
	int i;

	pages = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	for (i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "--write")) {
			writes = 1;
		} else if (!strcmp(argv[i], "--shared")) {
			map_kind = MAP_SHARED;
		} else if (!strcmp(argv[i], "--hold")) {
			hold = 1;
		} else if (i + 2 >= argc) {
			return 0;
		} else if (!strcmp(argv[i], "--range")) {
			start = strtoull(argv[++i], NULL, 0);
			end = strtoull(argv[++i], NULL, 0);
		} else if (!strcmp(argv[i], "--warm")) {
			warm_pages = strtoul(argv[++i], NULL, 0);
			warm_ms = atol(argv[++i]);
		} else if (!strcmp(argv[i], "--beat")) {
			on_ms = atol(argv[++i]);
			off_ms = atol(argv[++i]);
		} else {
			return 0;
		}
	}
	return !!pages;
}

int main(int argc, char **argv)
{
	long begun, warmed = 0;
	int set = 0;

	if (!parse(argc, argv)) {
		fprintf(stderr, "usage: shift PAGES [--write] [--shared] [--range START END] [--warm PAGES MS] [--beat ON OFF] [--hold]\n");
		return 2;
	}
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	signal(SIGTERM, on_signal);
	warm = map(warm_pages, MAP_PRIVATE);
	sets[0] = map(pages, map_kind);
	sets[1] = map(pages, map_kind);
	if (hold)
		hold_pages();
	puts("ready");
	fflush(stdout);
	begun = now_ms();
	while (!ended) {
		if ((now_ms() - begun) % (on_ms + off_ms) < on_ms)
			use(set);
		if (warm_pages && now_ms() - warmed >= warm_ms) {
			warmed = now_ms();
			use_warm();
		}
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
