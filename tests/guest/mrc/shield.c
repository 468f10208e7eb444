// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory most of which is left alone, so that it gets protected; on a signal it
 * is all read, and it is told what that took.
 *
 *   shield PAGES SECONDS [wander]
 *
 * SIGUSR1: by a child; SIGUSR2: by itself; SIGHUP: by itself, after mremap();
 * SIGURG: by a child, a mapping shared with it that it has inherited the entries of,
 * where the kernel copies these. wander: it is moved all the time, back and forth
 * between both ends of a large mapping. Each signal prints "WHO bad B faults F":
 * pages that do not hold what was written to them, and NUMA hint faults of the
 * machine meanwhile.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_THP_DISABLE
#define PR_SET_THP_DISABLE 41
#endif

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

#define PAGE 4096
/* What lies between the ends that it wanders between. */
#define APART (256UL << 30)

static unsigned long *area, *ends[2];
static unsigned long pages;
static volatile sig_atomic_t wanted;

static void want(int signal)
{
	wanted = signal;
}

static unsigned long *at(unsigned long page)
{
	return area + page * (PAGE / sizeof(*area));
}

static unsigned long value(unsigned long page)
{
	return page * 0x9e3779b97f4a7c15UL + 1;
}

static long hint_faults(void)
{
	FILE *f = fopen("/proc/vmstat", "r");
	char name[64];
	long n, found = -1;

	while (f && fscanf(f, "%63s %ld", name, &n) == 2)
		if (!strcmp(name, "numa_hint_faults"))
			found = n;
	if (f)
		fclose(f);
	return found;
}

static void read_all(const char *who)
{
	unsigned long page, bad = 0;
	long before = hint_faults();

	for (page = 0; page < pages; page++)
		bad += *at(page) != value(page);
	/* And written to: what was writable still is. */
	for (page = 0; page < pages; page++)
		*at(page) = value(page);
	printf("%s bad %lu faults %ld\n", who, bad, hint_faults() - before);
	fflush(stdout);
}

static void move(void)
{
	void *to = mmap(NULL, pages * PAGE, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	area = mremap(area, pages * PAGE, pages * PAGE,
		      MREMAP_MAYMOVE | MREMAP_FIXED, to);
	if (area == MAP_FAILED) {
		perror("mremap");
		exit(1);
	}
	read_all("moved");
}

/* Once a shared mapping has a guard page, fork() copies its entries. */
static void share(void)
{
	static unsigned long *shared;

	if (!shared) {
		shared = mmap(NULL, (pages + 1) * PAGE, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (shared == MAP_FAILED ||
		    madvise(shared + pages * (PAGE / sizeof(*shared)), PAGE,
			    MADV_GUARD_INSTALL)) {
			printf("sharer skipped\n");
			fflush(stdout);
			shared = NULL;
			return;
		}
		munmap(area, pages * PAGE);
		area = shared;
		for (unsigned long page = 0; page < pages; page++)
			*at(page) = value(page);
		printf("sharer ready\n");
		fflush(stdout);
		return;
	}
	if (!fork()) {
		read_all("sharer");
		_exit(0);
	}
	wait(NULL);
}

static void wander(void)
{
	void *to = area == ends[0] ? ends[1] : ends[0];

	area = mremap(area, pages * PAGE, pages * PAGE,
		      MREMAP_MAYMOVE | MREMAP_FIXED, to);
	if (area == MAP_FAILED) {
		perror("mremap");
		exit(1);
	}
}

static void prepare_to_wander(void)
{
	char *between = mmap(NULL, APART, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (between == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	/* With page tables on the way, of which there are some in a batch. */
	for (unsigned long at = 0; at < APART; at += 1UL << 30)
		between[at + (1UL << 20)] = 1;
	ends[0] = (void *)between;
	ends[1] = (void *)(between + APART - pages * PAGE);
}

static void act(int signal)
{
	if (signal == SIGUSR1) {
		if (!fork()) {
			read_all("child");
			_exit(0);
		}
		wait(NULL);
	} else if (signal == SIGUSR2) {
		read_all("parent");
	} else if (signal == SIGHUP) {
		move();
	} else if (signal == SIGURG) {
		share();
	}
}

int main(int argc, char **argv)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	unsigned long page;
	time_t end;

	if (argc < 3) {
		fprintf(stderr, "usage: shield PAGES SECONDS [wander]\n");
		return 2;
	}
	pages = strtoul(argv[1], NULL, 10);
	end = time(NULL) + atoi(argv[2]);
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	area = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	for (page = 0; page < pages; page++)
		*at(page) = value(page);
	signal(SIGUSR1, want);
	signal(SIGUSR2, want);
	signal(SIGHUP, want);
	signal(SIGURG, want);
	if (argc > 3)
		prepare_to_wander();
	printf("ready\n");
	fflush(stdout);
	while (time(NULL) < end) {
		for (page = 0; page < pages / 10; page++)
			*at(page) = value(page);
		if (ends[0])
			wander();
		nanosleep(&pause, NULL);
		if (wanted) {
			act(wanted);
			wanted = 0;
		}
	}
	return 0;
}
