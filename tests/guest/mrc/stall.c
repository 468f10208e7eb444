// SPDX-License-Identifier: GPL-2.0-only
/*
 * stall PAGES SECONDS: touches its pages in turn; on SIGUSR1 it takes a page fault
 * that is never answered, by userfaultfd. Before, it gets pages without a fault, so
 * that it has more than its share, however much was taken from it.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
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
#define MORE 4096	/* pages */

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

static void stall(void)
{
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	volatile char *hole = map(1, 0);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { .start = (unsigned long)hole, .len = PAGE },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range))
		err(1, "userfaultfd");
	printf("stalled\n");
	fflush(stdout);
	map(MORE, MAP_POPULATE);
	*hole = 1;
}

int main(int argc, char **argv)
{
	size_t pages = argc == 3 ? strtoul(argv[1], NULL, 10) : 0, page;
	time_t end = time(NULL) + (argc == 3 ? atoi(argv[2]) : 0);
	struct timespec pause = { .tv_nsec = 1000000 };
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
			nanosleep(&pause, NULL);
		if (wanted)
			stall();
	}
	return 0;
}
