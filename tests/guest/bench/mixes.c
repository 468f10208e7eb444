// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that compete for memory, as others do:
 *
 *   mixes mapped FILE TOUCHES         reads TOUCHES pages of a mapped file at random, some of them far more often: a
 *                                     database
 *   mixes grow PAGES PASSES           a heap that grows to PAGES pages, is gone over at each quarter, and is given back;
 *                                     PASSES times
 *   mixes storm PROCESSES PAGES       so many processes one after the other, each of which touches PAGES pages and ends
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "random.h"

#ifndef PR_SET_THP_DISABLE
#define PR_SET_THP_DISABLE 41
#endif

#define PAGE 4096

static volatile unsigned char *map(unsigned long pages)
{
	void *area = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return area;
}

static void touch_all(volatile unsigned char *area, unsigned long pages)
{
	for (unsigned long i = 0; i < pages; i++)
		area[i * PAGE]++;
}

static int mapped(const char *path, unsigned long touches)
{
	int fd = open(path, O_RDONLY);
	volatile unsigned char *file;
	unsigned long sum = 0, pages;
	struct stat stat;
	double u;

	if (fd < 0 || fstat(fd, &stat)) {
		perror(path);
		return 1;
	}
	pages = stat.st_size / PAGE;
	file = mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (file == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	madvise((void *)file, pages * PAGE, MADV_RANDOM);
	while (touches--) {
		u = uniform();
		/* Scattered, or what is read often would be neighbours. */
		sum += file[(uint64_t)(u * u * u * pages) * 2654435761ULL % pages * PAGE];
	}
	return sum == 1;
}

static int grow(unsigned long pages, unsigned long passes)
{
	for (; passes; passes--) {
		volatile unsigned char *area = map(pages);

		for (unsigned long quarter = 1; quarter <= 4; quarter++)
			touch_all(area, pages * quarter / 4);
		munmap((void *)area, pages * PAGE);
	}
	return 0;
}

static int storm(unsigned long processes, unsigned long pages)
{
	int status = 0;

	for (; processes && !status; processes--) {
		pid_t pid = fork();

		if (!pid) {
			touch_all(map(pages), pages);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, &status, 0) < 0)
			return 1;
	}
	return status != 0;
}

int main(int argc, char **argv)
{
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	if (argc == 4 && !strcmp(argv[1], "mapped"))
		return mapped(argv[2], strtoul(argv[3], NULL, 10));
	if (argc == 4 && !strcmp(argv[1], "grow"))
		return grow(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
	if (argc == 4 && !strcmp(argv[1], "storm"))
		return storm(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
	fprintf(stderr, "usage: mixes mapped FILE TOUCHES | grow PAGES PASSES | storm PROCESSES PAGES\n");
	return 2;
}
