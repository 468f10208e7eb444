// SPDX-License-Identifier: GPL-2.0-only
/*
 * ranges N [--tag]: what memory of N ranges costs its process, each of which is tagged if asked for; between any two is a
 * page that is not.
 *
 * Prints a JSON object of the nanoseconds of CPU time per operation, that of children included: fault (of a page), fork
 * (of all, and its exit), copy (of a page that both have), mremap, munmap; and tag (of a range) if there were any.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <memsuite/vipzone.h>

#define PAGE	4096ul
#define ROUNDS	3

enum { TAG, FAULT, FORK, COPY, MREMAP, MUNMAP, NR };

static const char *const names[NR] = { "tag", "fault", "fork", "copy", "mremap", "munmap" };
static double ns[NR];

/* Of this process, and of children that have ended. */
static double cpu_ns(void)
{
	struct rusage children;
	struct timespec own;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	return own.tv_sec * 1e9 + own.tv_nsec + (children.ru_utime.tv_sec + children.ru_stime.tv_sec) * 1e9 +
	       (children.ru_utime.tv_usec + children.ru_stime.tv_usec) * 1e3;
}

static void *map(size_t pages)
{
	char *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || madvise(memory, pages * PAGE, MADV_NOHUGEPAGE))
		exit(3);
	return memory;
}

static void touch(char *memory, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		((volatile char *)memory)[i * PAGE] = 1;
}

static void tag(const char *memory, size_t ranges)
{
	int device = open("/dev/vipzone", O_RDWR | O_CLOEXEC);

	for (size_t i = 0; i < ranges; i++) {
		struct vipzone_range range = {
			.start = (uintptr_t)memory + 2 * i * PAGE,
			.length = PAGE,
			.flags = _VIP_TYP_WRITE,
		};

		if (ioctl(device, VIPZONE_TAG, &range))
			exit(4);
	}
	close(device);
}

/* The child writes to so many. */
static void forked(char *memory, size_t pages)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		touch(memory, pages);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		exit(5);
}

/* Adds what was spent since the last time to one of them. */
static void count(int what, size_t times)
{
	static double before;
	double now = cpu_ns();

	if (what < NR)
		ns[what] += (now - before) / times / ROUNDS;
	before = cpu_ns();
}

static void round_of(size_t ranges, bool tagged)
{
	size_t pages = 2 * ranges, some = pages / 8;
	char *memory = map(pages), *there = map(pages);
	double fork_ns;

	/* Until pools are full. */
	sleep(4);
	count(NR, 1);
	if (tagged) {
		tag(memory, ranges);
		count(TAG, ranges);
	}
	touch(memory, pages);
	count(FAULT, pages);
	fork_ns = ns[FORK];
	forked(memory, 0);
	count(FORK, 1);
	fork_ns = (ns[FORK] - fork_ns) * ROUNDS;
	forked(memory, some);
	count(COPY, some);
	ns[COPY] -= fork_ns / some / ROUNDS;
	if (mremap(memory, pages * PAGE, pages * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, there) != there)
		exit(6);
	count(MREMAP, 1);
	munmap(there, pages * PAGE);
	count(MUNMAP, 1);
}

int main(int argc, char **argv)
{
	size_t ranges = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	bool tagged = argc > 2 && !strcmp(argv[2], "--tag");

	if (!ranges || argc > 2 + tagged) {
		fprintf(stderr, "usage: ranges N [--tag]\n");
		return 2;
	}
	for (int i = 0; i < ROUNDS; i++)
		round_of(ranges, tagged);
	for (int i = !tagged; i < NR; i++)
		printf("%s\"%s\": %.1f", i == !tagged ? "{" : ", ", names[i], ns[i]);
	printf("}\n");
	return 0;
}
