// SPDX-License-Identifier: GPL-2.0-only
/*
 * stall PAGES SECONDS: touches its pages in turn; on SIGUSR1 its threads take page faults
 * that are never answered, by userfaultfd. Before, it gets pages without a fault, so
 * that it has more than its share, however much was taken from it. Of eight faults one is
 * looked at, whoever takes them: so there are many threads, which take up to seven before.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_THP_DISABLE
#define PR_SET_THP_DISABLE 41
#endif

#define PAGE 4096
#define MORE 8192	/* pages */
#define THREADS 64
#define LOOK 8

static volatile sig_atomic_t wanted;

static void want(int signal)
{
	wanted = signal;
}

static volatile char *map(size_t pages, int flags)
{
	char *area = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (area == MAP_FAILED)
		err(1, "mmap");
	return area;
}

static volatile char *hole;

static void *fault_for_ever(void *number)
{
	unsigned long i, n = (unsigned long)number;
	volatile char *fresh = map(LOOK, 0);

	for (i = 0; i < n % LOOK; i++)
		fresh[i * PAGE] = 1;
	hole[n * PAGE] = 1;
	return NULL;
}

static void stall(void)
{
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct timespec while_replaced = { .tv_nsec = 100000000 };
	pthread_t thread;
	unsigned long i;

	hole = map(THREADS, 0);
	range.range = (struct uffdio_range){ .start = (unsigned long)hole, .len = THREADS * PAGE };
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range))
		err(1, "userfaultfd");
	map(MORE, MAP_POPULATE);
	for (i = 0; i < THREADS; i++) {
		if (pthread_create(&thread, NULL, fault_for_ever, (void *)i))
			errx(1, "no thread");
		/* While one replaces pages, no other one is looked at. */
		nanosleep(&while_replaced, NULL);
	}
	printf("stalled\n");
	fflush(stdout);
	pause();
}

int main(int argc, char **argv)
{
	size_t pages = argc == 3 ? strtoul(argv[1], NULL, 10) : 0, page;
	time_t end = time(NULL) + (argc == 3 ? atoi(argv[2]) : 0);
	struct timespec rest = { .tv_nsec = 1000000 };
	volatile char *area;

	if (!pages)
		errx(2, "usage: stall PAGES SECONDS");
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	signal(SIGUSR1, want);
	area = map(pages, 0);
	for (page = 0; page < pages; page++)
		area[page * PAGE] = 1;
	printf("ready\n");
	fflush(stdout);
	for (page = 0; time(NULL) < end; page = (page + 1) % pages) {
		area[page * PAGE]++;
		if (page % 64 == 0)
			nanosleep(&rest, NULL);
		if (wanted)
			stall();
	}
	return 0;
}
