// SPDX-License-Identifier: GPL-2.0-only
/*
 * hints: what programs tell about their memory by /dev/vipzone, one thing at a
 * time: hints NAME exits with 0 if it is as documented. Without a name it lists
 * them. Two take arguments:
 *
 * hints places START END START END	memory that is read lies in the first of these
 *					ranges of physical addresses, written in the other
 * hints choose POLICY COMMAND...	asks for a policy, and runs a command under it
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <memsuite/vipzone.h>

#include "../lib/frames.h"

#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif

#define PAGE	4096UL
#define WRITE	_VIP_TYP_WRITE
#define HIGH	_VIP_UTIL_HI
#define NONE	-1

static int device;
static char **arguments;

static void *map(size_t pages)
{
	return mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int call(unsigned long request, const void *start, size_t pages, unsigned int flags)
{
	struct vipzone_range range = {
		.start = (uintptr_t)start,
		.length = pages * PAGE,
		.flags = flags,
	};

	return ioctl(device, request, &range) ? errno : 0;
}

static int tag(const void *start, size_t pages, unsigned int flags)
{
	return call(VIPZONE_TAG, start, pages, flags);
}

static int untag(const void *start, size_t pages)
{
	return call(VIPZONE_UNTAG, start, pages, 0);
}

/* Flags, or NONE. */
static int flags_at(const void *address)
{
	struct vipzone_range range = { .start = (uintptr_t)address };

	if (!ioctl(device, VIPZONE_QUERY, &range))
		return range.flags;
	return errno == ENOENT ? NONE : -errno - 1;
}

/* Of some pages from an address on: "w" for WRITE, "h" for HIGH, " " for none. */
static bool is(const char *memory, const char *tags)
{
	for (int i = 0; tags[i]; i++) {
		int flags = flags_at(memory + i * PAGE);

		if (flags != (tags[i] == 'w' ? WRITE : tags[i] == 'h' ? HIGH : NONE)) {
			fprintf(stderr, "page %d of \"%s\" has 0x%x\n", i, tags, flags);
			return false;
		}
	}
	return true;
}

static bool tags(void)
{
	char *m = map(8);

	return !tag(m + PAGE, 2, WRITE) && !tag(m + 5 * PAGE, 1, HIGH) && is(m, " ww  h  ") &&
	       !tag(m + 2 * PAGE, 4, WRITE) && is(m, " wwwww  ") && !untag(m + 2 * PAGE, 2) && is(m, " w  ww  ");
}

static bool joins(void)
{
	struct vipzone_range range;
	char *m = map(8);

	for (int i = 0; i < 8; i++)
		if (tag(m + i * PAGE, 1, WRITE))
			return false;
	range = (struct vipzone_range){ .start = (uintptr_t)m + 5 * PAGE + 7 };
	return !ioctl(device, VIPZONE_QUERY, &range) && range.start == (uintptr_t)m && range.length == 8 * PAGE &&
	       range.flags == WRITE;
}

static bool refuses(void)
{
	struct vipzone_range range = { .start = 1, .length = PAGE };
	struct vipzone_default others = { .flags = 1 };
	char *m = map(4), *hole = map(3);

	munmap(hole + PAGE, PAGE);
	return tag(m, 0, WRITE) == EINVAL && tag(m, 1, 1) == EINVAL && tag(m, 1, 0x40) == EINVAL &&
	       tag(m + 1, 1, WRITE) == EINVAL && tag(hole, 3, WRITE) == ENOMEM && is(hole, "   ") &&
	       tag((void *)~(PAGE - 1), 1, WRITE) == EINVAL && tag(m, ~0UL / PAGE, WRITE) == EINVAL &&
	       call(VIPZONE_UNTAG, m, 1, WRITE) == EINVAL && call(VIPZONE_QUERY, m, 1, 0) == EINVAL &&
	       ioctl(device, VIPZONE_TAG, &range) && errno == EINVAL &&
	       (range = (struct vipzone_range){ .start = (uintptr_t)m, .length = PAGE, .reserved = 1 },
		ioctl(device, VIPZONE_TAG, &range)) && errno == EINVAL &&
	       ioctl(device, VIPZONE_TAG, NULL) && errno == EFAULT &&
	       ioctl(device, _IO('Z', 0xff)) && errno == ENOTTY &&
	       ioctl(device, VIPZONE_SET_DEFAULT, &others) && errno == EINVAL && is(m, "    ");
}

static bool has_default(unsigned int flags)
{
	struct vipzone_default others;

	return !ioctl(device, VIPZONE_GET_DEFAULT, &others) && others.flags == flags;
}

static bool set_default(unsigned int flags)
{
	struct vipzone_default others = { .flags = flags };

	return !ioctl(device, VIPZONE_SET_DEFAULT, &others);
}

static bool defaults(void)
{
	char *m = map(1);

	return has_default(0) && set_default(WRITE | HIGH) && has_default(WRITE | HIGH) && is(m, " ") &&
	       set_default(0) && has_default(0);
}

static bool unmaps(void)
{
	char *m = map(8);

	tag(m, 8, WRITE);
	munmap(m + 3 * PAGE, 2 * PAGE);
	if (mmap(m + 3 * PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED ||
	    !is(m, "www  www"))
		return false;
	/* The kernel unmaps what a new mapping takes the place of. */
	mmap(m, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	return is(m, " ww  www");
}

/* What takes pages away, and not the mapping. */
static bool stays(void)
{
	char *m = map(8);

	tag(m, 8, WRITE);
	memset(m, 1, 8 * PAGE);
	madvise(m, 2 * PAGE, MADV_DONTNEED);
	madvise(m, 8 * PAGE, MADV_COLD);
	madvise(m, 8 * PAGE, MADV_PAGEOUT);
	madvise(m, 8 * PAGE, MADV_MERGEABLE);
	mprotect(m, 3 * PAGE, PROT_READ);
	mprotect(m, 8 * PAGE, PROT_READ | PROT_WRITE);
	return is(m, "wwwwwwww");
}

static bool moves(void)
{
	char *m = map(8), *to = map(8), *moved;

	tag(m + PAGE, 2, WRITE);
	tag(m + 6 * PAGE, 1, HIGH);
	memset(m, 1, 4 * PAGE);
	moved = mremap(m, 8 * PAGE, 8 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	if (moved != to || !is(to, " ww   h ") || !is(m, "        "))
		return false;
	/* A part of it, in place of one that has a tag. */
	m = map(8);
	tag(m, 8, HIGH);
	moved = mremap(to + 2 * PAGE, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, m + PAGE);
	return moved == m + PAGE && is(m, "hw hhhhh") && is(to, " w    h ");
}

static bool shrinks(void)
{
	char *m = map(8);

	tag(m, 8, WRITE);
	return mremap(m, 8 * PAGE, 4 * PAGE, 0) == m && is(m, "wwww    ");
}

static bool child_says(bool (*test)(char *m), char *m)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(!test(m));
	return waitpid(pid, &status, 0) == pid && !status;
}

/* At once, and without the parent. */
static bool in_child(char *m)
{
	if (!is(m, " ww  h  ") || !has_default(HIGH))
		return false;
	munmap(m + PAGE, PAGE);
	mmap(m + PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	return is(m, "  w  h  ") && !tag(m, 1, HIGH) && is(m, "h w  h  ");
}

static bool is_empty(char *m)
{
	return is(m, "        ");
}

static bool in_grandchild(char *m)
{
	return in_child(m) && !untag(m, 8) && child_says(is_empty, m);
}

static bool forks(void)
{
	char *m = map(8);

	tag(m + PAGE, 2, WRITE);
	tag(m + 5 * PAGE, 1, HIGH);
	set_default(HIGH);
	for (int i = 0; i < 20; i++)
		if (!child_says(in_child, m) || !is(m, " ww  h  "))
			return false;
	return child_says(in_grandchild, m) && is(m, " ww  h  ");
}

static bool without_them(char *m)
{
	if (!is(m, " w  w   "))
		return false;
	/* What is there now is another mapping. */
	mmap(m + 2 * PAGE, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	return is(m, " w  w   ");
}

static bool leaves(void)
{
	char *m = map(8);

	tag(m + PAGE, 4, WRITE);
	madvise(m + 2 * PAGE, 2 * PAGE, MADV_DONTFORK);
	return child_says(without_them, m) && is(m, " wwww   ");
}

static bool is_fresh(void)
{
	char *m = map(8);

	return has_default(0) && is_empty(m);
}

#define REAPED_PAGES 4096

static void await_the_end(void)
{
	char *m = map(REAPED_PAGES);

	memset(m, 1, REAPED_PAGES * PAGE);
	_exit(tag(m, REAPED_PAGES, WRITE) || kill(getpid(), SIGSTOP));
}

/*
 * A dying process with tags whose memory is taken at once, as of who is killed when memory runs out: nobody may wait then.
 * It may be gone before. Kernels before 5.15 have no call for it.
 */
static bool reaped(void)
{
	bool was_reaped = false;
	int i, status;

	for (i = 0; i < 20 && !was_reaped; i++) {
		pid_t child = fork();
		int fd;

		if (!child)
			await_the_end();
		if (waitpid(child, &status, WUNTRACED) != child || !WIFSTOPPED(status))
			return false;
		fd = syscall(SYS_pidfd_open, child, 0);
		kill(child, SIGKILL);
		was_reaped = !syscall(SYS_process_mrelease, fd, 0) || errno == ENOSYS;
		close(fd);
		waitpid(child, &status, 0);
	}
	return was_reaped;
}

static bool execs(void)
{
	char *m = map(8);

	set_default(HIGH);
	tag(m, 8, WRITE);
	execl("/proc/self/exe", "hints", "fresh", NULL);
	return false;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* 10,000 of them: tagged, asked for, inherited, moved and unmapped. */
static bool many(void)
{
	enum { NR = 10000 };
	char *m = map(2 * NR), *to = map(2 * NR);
	double began = seconds(), tagged, found, forked, moved;
	int status, i;
	pid_t pid;

	for (i = 0; i < NR; i++)
		if (tag(m + 2 * i * PAGE, 1, i & 1 ? WRITE : HIGH))
			return false;
	tagged = seconds();
	for (i = 0; i < NR; i++)
		if (flags_at(m + 2 * i * PAGE) != (i & 1 ? WRITE : HIGH) || flags_at(m + (2 * i + 1) * PAGE) != NONE)
			return false;
	found = seconds();
	pid = fork();
	if (!pid)
		_exit(flags_at(m + 2 * (NR - 1) * PAGE) != WRITE);
	if (waitpid(pid, &status, 0) != pid || status)
		return false;
	forked = seconds();
	if (mremap(m, 2 * NR * PAGE, 2 * NR * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
		return false;
	for (i = 0; i < NR; i++)
		if (flags_at(to + 2 * i * PAGE) != (i & 1 ? WRITE : HIGH))
			return false;
	moved = seconds();
	munmap(to, 2 * NR * PAGE);
	printf("# %d tags: tagged in %.0f ms, %d looked for in %.0f ms, forked in %.0f ms, moved and looked for in %.0f ms, unmapped in %.0f ms\n",
	       NR, (tagged - began) * 1e3, 2 * NR, (found - tagged) * 1e3, (forked - found) * 1e3,
	       (moved - forked) * 1e3, (seconds() - moved) * 1e3);
	return true;
}

static bool limit(void)
{
	size_t i, nr = VIPZONE_MAX_RANGES + 1;
	char *m = map(2 * nr);

	for (i = 0; i < nr; i++)
		if (tag(m + 2 * i * PAGE, 1, WRITE))
			break;
	return i == nr - 1 && tag(m + 2 * i * PAGE, 1, WRITE) == ENOSPC && !tag(m, 2 * nr, HIGH) && !tag(m, 1, WRITE);
}

/* As many tags as there may be: through all that changes them, in parts and as a whole. */
static char *tag_all(size_t nr)
{
	char *m = map(2 * nr);

	for (size_t i = 0; i < nr; i++)
		if (tag(m + 2 * i * PAGE, 1, i & 1 ? WRITE : HIGH))
			return NULL;
	return m;
}

/* Of @nr tags: those of the first and the last part are there, those between not. */
static bool has_all_but(const char *m, size_t nr, size_t first, size_t last)
{
	for (size_t i = 0; i < nr; i += 61)
		if (flags_at(m + 2 * i * PAGE) != (i >= first && i < last ? NONE : i & 1 ? WRITE : HIGH))
			return false;
	return true;
}

static bool full_in_child(char *m)
{
	size_t nr = VIPZONE_MAX_RANGES;

	return has_all_but(m, nr, 0, 0) && !untag(m, nr) && has_all_but(m, nr, 0, nr / 2) &&
	       !tag(m + nr * PAGE, nr, WRITE) && flags_at(m + (2 * nr - 1) * PAGE) == WRITE;
}

static bool full(void)
{
	size_t nr = VIPZONE_MAX_RANGES;
	char *m = tag_all(nr), *to = map(2 * nr);

	if (!m || !child_says(full_in_child, m) || !has_all_but(m, nr, 0, 0))
		return false;
	if (mremap(m, 2 * nr * PAGE, 2 * nr * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to ||
	    !has_all_but(to, nr, 0, 0) || !has_all_but(m, nr, 0, nr))
		return false;
	munmap(to + nr / 2 * PAGE, nr / 2 * PAGE);
	return has_all_but(to, nr, nr / 4, nr / 2) && !tag(to, nr / 2, WRITE) && !untag(to, nr / 2) &&
	       has_all_but(to, nr, 0, nr / 2);
}

#define THREADS 4
static volatile bool stop;

static void *toil(void *memory)
{
	char *m = memory;

	for (unsigned int i = 0; !stop; i++) {
		tag(m + i % 8 * PAGE, 1 + i % 5, i & 1 ? WRITE : HIGH);
		madvise(m, 16 * PAGE, MADV_DONTNEED);
		memset(m, 1, 16 * PAGE);
		untag(m + i % 7 * PAGE, 3);
		munmap(m + 15 * PAGE, PAGE);
		mmap(m + 15 * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
	return NULL;
}

/* Threads that tag, fault and unmap, while children are made. */
static bool threads(void)
{
	pthread_t thread[THREADS];
	char *m = map(1), *area;
	bool good = true;
	int i;

	tag(m, 1, HIGH);
	for (i = 0; i < THREADS; i++) {
		area = map(16);
		if (pthread_create(&thread[i], NULL, toil, area))
			return false;
	}
	for (i = 0; i < 40; i++) {
		int status;
		pid_t pid = fork();

		if (!pid)
			_exit(flags_at(m) != HIGH);
		good &= waitpid(pid, &status, 0) == pid && !status;
	}
	stop = true;
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	return good;
}

enum { PLACED = 1000 };

static unsigned int pages_in(int pagemap, char *memory, uint64_t start, uint64_t end)
{
	unsigned int in = 0;

	for (int i = 0; i < PLACED; i++) {
		uint64_t at;

		memory[i * PAGE] = 1;
		at = frame_of(pagemap, (uint64_t *)(memory + i * PAGE)) * PAGE;
		in += at >= start && at < end;
	}
	return in;
}

/* In turns, so that only the tags tell one from the other. */
static bool places(void)
{
	int pagemap = open("/proc/self/pagemap", O_RDONLY);
	uint64_t bounds[4];
	char *read = map(PLACED), *written = map(PLACED), *moved = map(PLACED);
	unsigned int in[3];

	for (int i = 0; i < 4; i++)
		bounds[i] = strtoull(arguments[i], NULL, 0);
	/* khugepaged would gather pages elsewhere, now and then meanwhile. */
	madvise(read, PLACED * PAGE, MADV_NOHUGEPAGE);
	madvise(written, PLACED * PAGE, MADV_NOHUGEPAGE);
	madvise(moved, PLACED * PAGE, MADV_NOHUGEPAGE);
	tag(read, PLACED, HIGH);
	tag(written, PLACED, WRITE | HIGH);
	in[0] = pages_in(pagemap, read, bounds[0], bounds[1]);
	in[1] = pages_in(pagemap, written, bounds[2], bounds[3]);
	/* Touched where it was moved to. */
	madvise(written, PLACED * PAGE, MADV_DONTNEED);
	mremap(written, PLACED * PAGE, PLACED * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, moved);
	in[2] = pages_in(pagemap, moved, bounds[2], bounds[3]);
	printf("# of %d pages each %u, %u and, moved, %u are in their region\n", PLACED, in[0], in[1], in[2]);
	return in[0] >= PLACED * 999 / 1000 && in[1] >= PLACED * 999 / 1000 && in[2] >= PLACED * 999 / 1000;
}

/* Exits with the error, if it is refused. */
static bool chooses(void)
{
	struct vipzone_choice choice = {};

	strncpy(choice.policy, arguments[0], sizeof(choice.policy) - 1);
	if (ioctl(device, VIPZONE_CHOOSE, &choice))
		exit(errno);
	if (!arguments[1])
		return true;
	execv(arguments[1], arguments + 1);
	return false;
}

/* Tags, and lets go of the device: for unloading under it. */
static bool lingers(void)
{
	char *m = map(64);

	tag(m, 8, WRITE);
	tag(m + 16 * PAGE, 8, HIGH);
	close(device);
	printf("ready\n");
	fflush(stdout);
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			memset(m, 1, 64 * PAGE);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		madvise(m, 64 * PAGE, MADV_DONTNEED);
		munmap(m + 63 * PAGE, PAGE);
		m = mremap(m, 63 * PAGE, 64 * PAGE, MREMAP_MAYMOVE);
	}
}

static const struct {
	const char *name;
	bool (*run)(void);
} cases[] = {
	{ "tags", tags },
	{ "joins", joins },
	{ "refuses", refuses },
	{ "defaults", defaults },
	{ "unmaps", unmaps },
	{ "stays", stays },
	{ "moves", moves },
	{ "shrinks", shrinks },
	{ "forks", forks },
	{ "leaves", leaves },
	{ "reaped", reaped },
	{ "execs", execs },
	{ "many", many },
	{ "limit", limit },
	{ "full", full },
	{ "threads", threads },
	{ "places", places },
	{ "choose", chooses },
	{ "fresh", is_fresh },
	{ "lingers", lingers },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc < 2)
			printf("%s\n", cases[i].name);
		else if (!strcmp(argv[1], cases[i].name)) {
			device = open("/dev/vipzone", O_RDWR | O_CLOEXEC);
			if (device < 0) {
				perror("/dev/vipzone");
				return 2;
			}
			arguments = argv + 2;
			return !cases[i].run();
		}
	}
	return argc < 2 ? 0 : 2;
}
