// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program whose miss ratio curve is known: it touches one byte a page of N
 * pages, over and over, by a pattern.
 *
 *   loop     all N in order: misses until N, none from there on
 *   two      the first tenth nine times, then all N: cliffs at N/10 and N
 *   uniform  one of N at random: falls in a straight line
 *   cold     all N once, and then the first tenth: misses until N/10
 *   exec     loop over N / 4, then exec into the loop, each for SECONDS
 *
 * --passes N: no more of them, however long they take.
 * --rest MS: sleeps after each.
 * --fresh: each page is given back after its touch, so that the next one faults.
 * --read: the kernel touches each page, in read(2).
 * --lock: all pages are locked in memory.
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_THP_DISABLE
#define PR_SET_THP_DISABLE 41
#endif

#define PAGE 4096
#define HUGE_PAGE (2UL << 20)

static volatile unsigned char *area;
static uint64_t rng = 88172645463325252ULL;
static int fresh, by_read, locked, zeroes = -1;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static void touch(unsigned long page)
{
	if (by_read) {
		if (read(zeroes, (char *)area + page * PAGE, 1) != 1)
			exit(1);
		return;
	}
	if (!fresh) {
		area[page * PAGE]++;
		return;
	}
	area[page * PAGE] = 1;
	madvise((char *)area + page * PAGE, PAGE, MADV_DONTNEED);
}

static void pass(unsigned long pages)
{
	for (unsigned long i = 0; i < pages; i++)
		touch(i);
}

static void random_touches(unsigned long pages)
{
	for (unsigned long i = 0; i < pages; i++) {
		rng ^= rng << 13;
		rng ^= rng >> 7;
		rng ^= rng << 17;
		touch(rng % pages);
	}
}

static void usage(const char *name)
{
	fprintf(stderr,
		"usage: %s [--thp] [--nice] [--fresh] [--read] [--lock] [--passes N] [--rest MS] [--pattern loop|two|uniform|cold|exec] PAGES SECONDS\n",
		name);
	exit(2);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "thp", no_argument, NULL, 't' },
		{ "nice", no_argument, NULL, 'n' },
		{ "fresh", no_argument, &fresh, 1 },
		{ "read", no_argument, &by_read, 1 },
		{ "lock", no_argument, &locked, 1 },
		{ "passes", required_argument, NULL, 'l' },
		{ "rest", required_argument, NULL, 'r' },
		{ "pattern", required_argument, NULL, 'p' },
		{}
	};
	const char *pattern = "loop";
	unsigned long pages, passes = 0, limit = 0, rest_ms = 0, size;
	double seconds, end, began;
	int c, thp = 0;
	char *area_raw;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 't')
			thp = 1;
		else if (c == 'n')
			setpriority(PRIO_PROCESS, 0, 19);
		else if (c == 'l')
			limit = strtoul(optarg, NULL, 10);
		else if (c == 'r')
			rest_ms = strtoul(optarg, NULL, 10);
		else if (c == 'p')
			pattern = optarg;
		else if (c)
			usage(argv[0]);
	}
	if (argc - optind != 2)
		usage(argv[0]);
	pages = strtoul(argv[optind], NULL, 10);
	seconds = strtod(argv[optind + 1], NULL);
	if (!pages || seconds <= 0)
		usage(argv[0]);
	if (!strcmp(pattern, "exec"))
		pages /= 4;
	if (by_read)
		zeroes = open("/dev/zero", O_RDONLY);
	if (!thp)
		prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	size = pages * PAGE + HUGE_PAGE;
	area_raw = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area_raw == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	area = (void *)(((uintptr_t)area_raw + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
	if (thp)
		madvise((void *)area, pages * PAGE, MADV_HUGEPAGE);
	/* The emulator reads before it adds, and a read maps the zero page. */
	for (unsigned long i = 0; i < pages; i++)
		area[i * PAGE] = 1;
	if (locked && mlock((void *)area, pages * PAGE)) {
		perror("mlock");
		return 1;
	}
	printf("ready\n");
	fflush(stdout);
	began = now();
	end = began + seconds;
	do {
		if (!strcmp(pattern, "two")) {
			for (int i = 0; i < 9; i++)
				pass(pages / 10);
			pass(pages);
		} else if (!strcmp(pattern, "cold")) {
			pass(pages / 10);
		} else if (!strcmp(pattern, "uniform")) {
			random_touches(pages);
		} else {
			pass(pages);
		}
		passes++;
		if (rest_ms)
			usleep(rest_ms * 1000);
	} while (now() < end && passes != limit);
	if (!strcmp(pattern, "exec")) {
		char n[32], s[32];

		snprintf(n, sizeof(n), "%lu", pages * 4);
		snprintf(s, sizeof(s), "%f", seconds);
		execl("/proc/self/exe", argv[0], n, s, (char *)NULL);
		perror("exec");
		return 1;
	}
	printf("%lu passes of %.3f ms\n", passes, 1e3 * (now() - began) / passes);
	return 0;
}
