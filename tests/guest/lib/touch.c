// SPDX-License-Identifier: GPL-2.0-only
/*
 * touch: faults anonymous pages in, and tells where they lie and what they
 * cost.
 *
 * touch PAGES [--range START END] [--huge] [--rounds N] [--wait FILE]
 *	 [--until FILE] [--orphan]
 *
 * Prints "pages P in I nonzero Z ns N": P pages touched, I of them in the
 * physical range, Z that held anything but zeros when they came, N ns of CPU
 * time for all rounds. With --wait it first waits for FILE to appear, so that
 * it can be steered before its first page. With --until it keeps its pages
 * until FILE appears. With --orphan, the last argument, all this is done by a
 * thread whose process has lost its first one.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static size_t pages_in_range(const char *memory, size_t pages, uint64_t start,
			     uint64_t end)
{
	int fd = open("/proc/thread-self/pagemap", O_RDONLY);
	size_t i, in = 0;
	uint64_t entry;

	for (i = 0; i < pages; i++) {
		off_t at = ((uintptr_t)memory / 4096 + i) * sizeof(entry);

		if (pread(fd, &entry, sizeof(entry), at) != sizeof(entry))
			exit(3);
		entry = (entry & ((1ULL << 55) - 1)) * 4096;
		in += entry >= start && entry < end;
	}
	close(fd);
	return in;
}

static size_t count_nonzero(const char *memory, size_t pages)
{
	const uint64_t *words = (const uint64_t *)memory;
	size_t i, nonzero = 0;

	for (i = 0; i < pages * 512; i++)
		if (words[i]) {
			nonzero++;
			i |= 511;
		}
	return nonzero;
}

static void await(const char *file)
{
	while (file && access(file, F_OK))
		usleep(10000);
}

static int run(int argc, char **argv)
{
	uint64_t start = 0, end = UINT64_MAX, ns = 0, before;
	int advice = MADV_NOHUGEPAGE, rounds = 1, i;
	size_t pages = argc > 1 ? strtoul(argv[1], NULL, 0) : 0, p;
	const char *wait = NULL, *until = NULL;
	char *memory;

	for (i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "--huge")) {
			advice = MADV_HUGEPAGE;
		} else if (!strcmp(argv[i], "--rounds") && i + 1 < argc) {
			rounds = atoi(argv[++i]);
		} else if (!strcmp(argv[i], "--wait") && i + 1 < argc) {
			wait = argv[++i];
		} else if (!strcmp(argv[i], "--until") && i + 1 < argc) {
			until = argv[++i];
		} else if (!strcmp(argv[i], "--range") && i + 2 < argc) {
			start = strtoull(argv[++i], NULL, 0);
			end = strtoull(argv[++i], NULL, 0);
		} else {
			pages = 0;
		}
	}
	if (!pages) {
		fprintf(stderr, "usage: touch PAGES [--range START END] [--huge] [--rounds N] [--wait FILE] [--until FILE] [--orphan]\n");
		return 2;
	}
	await(wait);
	for (;;) {
		memory = mmap(NULL, pages * 4096 + (2 << 20),
			      PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			return 3;
		memory += -(uintptr_t)memory & ((2 << 20) - 1);
		madvise(memory, pages * 4096, advice);
		before = cpu_ns();
		for (p = 0; p < pages; p++)
			*(volatile char *)(memory + p * 4096) = 0;
		ns += cpu_ns() - before;
		if (!--rounds)
			break;
		munmap(memory, pages * 4096);
	}
	printf("pages %zu in %zu nonzero %zu ns %llu\n", pages,
	       pages_in_range(memory, pages, start, end),
	       count_nonzero(memory, pages), (unsigned long long)ns);
	fflush(stdout);
	await(until);
	return 0;
}

static char **arguments;

static void *run_orphan(void *nr)
{
	exit(run((int)(intptr_t)nr, arguments));
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2 || strcmp(argv[argc - 1], "--orphan"))
		return run(argc, argv);
	arguments = argv;
	if (pthread_create(&thread, NULL, run_orphan,
			   (void *)(intptr_t)(argc - 1)))
		return 3;
	pthread_exit(NULL);
}
