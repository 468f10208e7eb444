// SPDX-License-Identifier: GPL-2.0-only
/*
 * contend: a process that changes its address space all the time, and tells where its memory lies.
 *
 * contend AREAS PAGES MIB START END
 *
 * Has AREAS areas of PAGES pages each, and page tables for MIB megabytes in which nothing is left. On SIGUSR1 a thread
 * begins to change the protection of some memory, and on SIGUSR2 it ends. Prints each second "I of N": so many of its pages lie in the
 * physical range.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../lib/frames.h"

#define PAGE	4096ul
#define MIB	(1ul << 20)
#define BLOCK	(16 * MIB)

static volatile sig_atomic_t contends;

static void on_signal(int number)
{
	contends = number == SIGUSR1;
}

static char *map(size_t size, int flags)
{
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (at != MAP_FAILED)
		return at;
	perror("mmap");
	exit(1);
}

/* mprotect() has mmap_lock for writing for as long as it goes over the pages. */
static void *contend(void *unused)
{
	char *block = map(BLOCK, MAP_POPULATE);

	for (;;) {
		if (!contends) {
			usleep(10000);
			continue;
		}
		mprotect(block, BLOCK, PROT_READ);
		mprotect(block, BLOCK, PROT_READ | PROT_WRITE);
	}
	return unused;
}

/* Touched once: their page tables stay. */
static void make_tables(size_t mib)
{
	size_t size = mib * MIB, at, page;
	char *memory;

	if (!mib)
		return;
	memory = map(size, MAP_NORESERVE);
	for (at = 0; at < size; at += BLOCK) {
		for (page = 0; page < BLOCK; page += PAGE)
			memory[at + page] = 1;
		madvise(memory + at, BLOCK, MADV_DONTNEED);
	}
}

int main(int argc, char **argv)
{
	size_t areas, pages, in, i, page;
	uint64_t start, end;
	pthread_t thread;
	char **memory;
	int pagemap;

	if (argc != 6)
		return 2;
	areas = strtoul(argv[1], NULL, 0);
	pages = strtoul(argv[2], NULL, 0);
	start = strtoull(argv[4], NULL, 0) / PAGE;
	end = strtoull(argv[5], NULL, 0) / PAGE;
	make_tables(strtoul(argv[3], NULL, 0));
	memory = calloc(areas, sizeof(*memory));
	for (i = 0; i < areas; i++) {
		memory[i] = map((pages + 1) * PAGE, 0);
		memset(memory[i], 1, pages * PAGE);
		/* Areas beside each other would be one. */
		mprotect(memory[i] + pages * PAGE, PAGE, PROT_NONE);
	}
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	pthread_create(&thread, NULL, contend, NULL);
	pagemap = open("/proc/self/pagemap", O_RDONLY);
	for (;;) {
		in = 0;
		for (i = 0; i < areas; i++)
			for (page = 0; page < pages; page++) {
				uint64_t pfn = frame_of(pagemap, memory[i] + page * PAGE);

				in += pfn >= start && pfn < end;
			}
		printf("%zu of %zu\n", in, areas * pages);
		fflush(stdout);
		sleep(1);
	}
}
