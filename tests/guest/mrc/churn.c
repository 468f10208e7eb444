// SPDX-License-Identifier: GPL-2.0-only
/*
 * churn SECONDS: does to its address space all that a tracker of page tables
 * must live with: maps and unmaps, grows and moves, splits and collapses huge
 * pages, pages out, merges equal pages, and forks. Its data is checked: exit
 * status 1, and a line on stderr, if any of it was lost.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE	4096UL
#define HUGE	(2UL << 20)
#define AREA	(4 * HUGE)

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* A third of the pages is alike, for KSM. */
static uint64_t value(unsigned long page, unsigned long round)
{
	return page % 3 ? page * 0x9e3779b97f4a7c15UL + round : 42;
}

static void fill(char *area, unsigned long from, unsigned long to, unsigned long round)
{
	for (unsigned long page = from; page < to; page++)
		*(uint64_t *)(area + page * PAGE) = value(page, round);
}

static void check(const char *area, unsigned long from, unsigned long to, unsigned long round)
{
	for (unsigned long page = from; page < to; page++) {
		if (*(const uint64_t *)(area + page * PAGE) == value(page, round))
			continue;
		fprintf(stderr, "churn: page %lu of round %lu is lost\n", page, round);
		exit(1);
	}
}

static char *map(size_t bytes)
{
	char *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area != MAP_FAILED)
		return area;
	perror("churn: mmap");
	exit(1);
}

/* A child that writes half of it, and sees the other half as it was. */
static void fork_and_check(char *area, unsigned long pages, unsigned long round)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0) {
		fill(area, 0, pages / 2, round + 1);
		check(area, pages / 2, pages, round);
		_exit(0);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && status) {
		fprintf(stderr, "churn: the child of round %lu ended with %d\n", round, status);
		exit(1);
	}
}

static void work(unsigned long round)
{
	char *raw = map(AREA + HUGE), *area, *moved;
	unsigned long pages = AREA / PAGE, half = pages / 2;

	area = (char *)(((uintptr_t)raw + HUGE - 1) & ~(HUGE - 1));
	madvise(area, AREA, round % 2 ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
	fill(area, 0, pages, round);
	madvise(area, AREA, MADV_MERGEABLE);
	/* Splits a huge page, and leaves a hole. */
	munmap(area + HUGE / 2, PAGE);
	check(area, half, pages, round);
	madvise(area, AREA, MADV_COLLAPSE);
	madvise(area + AREA / 2, AREA / 2, MADV_PAGEOUT);
	/* Moves the upper half, page tables and all, and then a page of it. */
	moved = mremap(area + AREA / 2, AREA / 2, AREA, MREMAP_MAYMOVE);
	if (moved == MAP_FAILED) {
		perror("churn: mremap");
		exit(1);
	}
	for (unsigned long page = half; page < pages; page++)
		if (*(uint64_t *)(moved + (page - half) * PAGE) != value(page, round)) {
			fprintf(stderr, "churn: page %lu of round %lu was not moved\n", page, round);
			exit(1);
		}
	fill(moved, 0, pages, round + 7);
	fork_and_check(moved, pages, round + 7);
	mprotect(moved, AREA, PROT_NONE);
	mprotect(moved, AREA, PROT_READ | PROT_WRITE);
	check(moved, 0, pages, round + 7);
	madvise(moved, HUGE, MADV_DONTNEED);
	munmap(moved, AREA);
	munmap(raw, AREA + HUGE);
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 5);
	unsigned long round = 0;

	while (time(NULL) < end)
		work(round++);
	printf("%lu rounds\n", round);
	return 0;
}
