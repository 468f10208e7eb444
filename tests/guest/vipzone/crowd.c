// SPDX-License-Identifier: GPL-2.0-only
/*
 * crowd: a process with threads, and with memory of several kinds, that tells where it lies.
 *
 * crowd PAGES THREADS START END
 *
 * Has PAGES pages of its own; as many of shared memory, and as many that it had before it forked,
 * which a child maps as well; and 16 pages that a pipe holds. On SIGUSR1 prints "own I shared J
 * forked K held L": so many of each lie in the physical range. On SIGUSR2 the pipe lets go of its
 * pages.
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
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../lib/frames.h"

#define PAGE	4096ul
#define HELD	16	/* what a pipe has room for */
#define STACK	16384

static uint64_t start, end;

static void need(int good, const char *what)
{
	if (good)
		return;
	perror(what);
	exit(1);
}

static char *have(size_t pages, int flags)
{
	char *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags,
			    -1, 0);

	need(memory != MAP_FAILED, "mmap");
	madvise(memory, pages * PAGE, MADV_NOHUGEPAGE);
	memset(memory, 1, pages * PAGE);
	return memory;
}

static size_t in_range(const char *memory, size_t pages)
{
	int map = open("/proc/self/pagemap", O_RDONLY);
	size_t in = 0;

	for (size_t i = 0; i < pages; i++) {
		uint64_t at = frame_of(map, memory + i * PAGE) * PAGE;

		in += at >= start && at < end;
	}
	close(map);
	return in;
}

static void *rest(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void begin_threads(int nr)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	while (nr--)
		need(!pthread_create(&thread, &attr, rest, NULL), "pthread_create");
}

/* Maps the pages as its parent does, and lives as long. */
static void begin_partner(char *shared, size_t pages)
{
	volatile char sum = 0;

	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < pages; i++)
		sum += shared[i * PAGE];
	rest(NULL);
}

int main(int argc, char **argv)
{
	size_t pages = argc == 5 ? strtoul(argv[1], NULL, 0) : 0;
	char *own, *shared, *forked, *held, drain[HELD * PAGE];
	struct iovec buffer;
	sigset_t asked;
	int ends[2], what;

	if (!pages)
		return 2;
	start = strtoull(argv[3], NULL, 0);
	end = strtoull(argv[4], NULL, 0);
	sigemptyset(&asked);
	sigaddset(&asked, SIGUSR1);
	sigaddset(&asked, SIGUSR2);
	sigprocmask(SIG_BLOCK, &asked, NULL);
	shared = have(pages, MAP_SHARED);
	forked = have(pages, MAP_PRIVATE);
	begin_partner(shared, pages);
	own = have(pages, MAP_PRIVATE);
	held = have(HELD, MAP_PRIVATE);
	need(!pipe(ends), "pipe");
	buffer = (struct iovec) { held, HELD * PAGE };
	need(vmsplice(ends[1], &buffer, 1, 0) == HELD * (ssize_t)PAGE, "vmsplice");
	begin_threads(atoi(argv[2]));
	printf("ready\n");
	fflush(stdout);
	while (!sigwait(&asked, &what)) {
		if (what == SIGUSR2) {
			need(read(ends[0], drain, sizeof(drain)) > 0, "read");
			continue;
		}
		printf("own %zu shared %zu forked %zu held %zu\n", in_range(own, pages),
		       in_range(shared, pages), in_range(forked, pages), in_range(held, HELD));
		fflush(stdout);
	}
	return 0;
}
