// SPDX-License-Identifier: GPL-2.0-only
/*
 * kinds KIND PAGES GO: once the file GO exists, has so many pages of memory of a kind, prints their address, and stays.
 *
 * shared, memfd, posix, sysv: shared memory; tmpfs: a mapped file, written by write(); populate: shared memory that
 * MAP_POPULATE faults in; hugetlb, hugetlb-memfd, hugetlb-private: of hugetlbfs, a memfd by fallocate();
 * private-tmpfs, private-memfd: private copies of files that were written before GO;
 * pinned: anonymous memory that io_uring has pinned before it was touched;
 * touch:FILE: a file, which is made, mapped and written there; read:FILE: one that is there, read by read(), then mapped;
 * fault:FILE: one that is there, mapped and read there;
 * memfd-later, hugetlb-memfd-later: a memfd that is there before GO, without a page;
 * busy: shared memory that it goes on to read; bound: shared memory that mbind() wants on node 0.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE	4096ul

static size_t size;

static void need(int good, const char *what)
{
	if (good)
		return;
	perror(what);
	exit(1);
}

static char *map(int file, int flags)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, file, 0);

	need(memory != MAP_FAILED, "mmap");
	return memory;
}

static char *touch(char *memory)
{
	for (size_t at = 0; at < size; at += PAGE)
		((volatile char *)memory)[at] = 1;
	return memory;
}

static void wait_for_go(const char *go)
{
	while (access(go, F_OK))
		usleep(10000);
}

static int file_of(const char *kind)
{
	int file = strstr(kind, "memfd") ? memfd_create("kinds", 0) :
					   open("/dev/shm/kinds", O_RDWR | O_CREAT | O_EXCL, 0600);

	need(file >= 0, kind);
	unlink("/dev/shm/kinds");
	need(!ftruncate(file, size), "ftruncate");
	return file;
}

static int hugetlb_file(void)
{
	int file = memfd_create("kinds", MFD_HUGETLB);

	need(file >= 0, "memfd_create");
	need(!fallocate(file, 0, 0, size), "fallocate");
	return file;
}

/* So that its pages are there. */
static void fill(int file)
{
	static const char page[PAGE] = "x";

	for (size_t at = 0; at < size; at += PAGE)
		need(write(file, page, PAGE) == (ssize_t)PAGE, "write");
}

static char *sysv(void)
{
	int id = shmget(IPC_PRIVATE, size, 0600);
	char *memory;

	need(id >= 0, "shmget");
	memory = shmat(id, NULL, 0);
	need(memory != (void *)-1, "shmat");
	shmctl(id, IPC_RMID, NULL);
	return memory;
}

static void pin(char *memory)
{
	struct io_uring_params params = {};
	int ring = syscall(SYS_io_uring_setup, 4, &params);

	need(ring >= 0, "io_uring_setup");
	/* One after the other: RLIMIT_MEMLOCK. */
	for (size_t at = 0; at < size; at += 1 << 20) {
		struct iovec buffer = { memory + at, 1 << 20 };

		need(!at || !syscall(SYS_io_uring_register, ring, IORING_UNREGISTER_BUFFERS, NULL, 0), "unregister");
		need(!syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &buffer, 1), "register");
	}
}

static char *look(char *memory)
{
	for (size_t at = 0; at < size; at += PAGE)
		(void)*(volatile char *)(memory + at);
	return memory;
}

static char *named(const char *how, const char *path)
{
	static char page[PAGE];
	int file = open(path, O_RDWR | O_CREAT, 0600);

	need(file >= 0, path);
	if (!strncmp(how, "touch:", 6)) {
		need(!ftruncate(file, size), "ftruncate");
		return touch(map(file, MAP_SHARED));
	}
	if (!strncmp(how, "read:", 5))
		for (size_t at = 0; at < size; at += PAGE)
			need(pread(file, page, PAGE, at) == (ssize_t)PAGE, "pread");
	return look(map(file, MAP_SHARED));
}

static char *have(const char *kind, int early)
{
	const unsigned long node0 = 1;
	char *memory;

	if (!strcmp(kind, "shared") || !strcmp(kind, "busy"))
		return touch(map(-1, MAP_SHARED | MAP_ANONYMOUS));
	if (!strcmp(kind, "populate"))
		return map(-1, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE);
	if (!strcmp(kind, "hugetlb"))
		return touch(map(-1, MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB));
	if (!strcmp(kind, "hugetlb-private"))
		return touch(map(-1, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB));
	if (!strcmp(kind, "hugetlb-memfd"))
		return touch(map(hugetlb_file(), MAP_SHARED));
	if (!strcmp(kind, "sysv"))
		return touch(sysv());
	if (!strcmp(kind, "memfd") || !strcmp(kind, "posix"))
		return touch(map(file_of(kind), MAP_SHARED));
	if (!strcmp(kind, "bound")) {
		memory = map(-1, MAP_SHARED | MAP_ANONYMOUS);
		need(!syscall(SYS_mbind, memory, size, MPOL_BIND, &node0, 8, 0), "mbind");
		return touch(memory);
	}
	if (!strcmp(kind, "tmpfs")) {
		int file = file_of(kind);

		fill(file);
		memory = map(file, MAP_SHARED | MAP_POPULATE);
		return memory;
	}
	if (strstr(kind, "memfd-later"))
		return touch(map(early, MAP_SHARED));
	if (strchr(kind, ':'))
		return named(kind, strchr(kind, ':') + 1);
	if (!strncmp(kind, "private-", 8))
		return touch(map(early, MAP_PRIVATE));
	if (!strcmp(kind, "pinned")) {
		memory = map(-1, MAP_PRIVATE | MAP_ANONYMOUS);
		madvise(memory, size, MADV_NOHUGEPAGE);
		pin(memory);
		return memory;
	}
	fprintf(stderr, "kinds: no kind %s\n", kind);
	exit(2);
}

int main(int argc, char **argv)
{
	char *memory;
	int early = -1;

	if (argc != 4) {
		fprintf(stderr, "usage: kinds KIND PAGES GO\n");
		return 2;
	}
	size = strtoul(argv[2], NULL, 0) * PAGE;
	/* What the private copies are of is there before; it is nobody's. */
	if (!strncmp(argv[1], "private-", 8)) {
		early = file_of(argv[1]);
		fill(early);
	}
	if (!strcmp(argv[1], "memfd-later"))
		early = file_of(argv[1]);
	if (!strcmp(argv[1], "hugetlb-memfd-later")) {
		early = memfd_create("kinds", MFD_HUGETLB);
		need(early >= 0 && !ftruncate(early, size), "memfd_create");
	}
	wait_for_go(argv[3]);
	memory = have(argv[1], early);
	printf("%p\n", (void *)memory);
	fflush(stdout);
	while (!strcmp(argv[1], "busy"))
		for (size_t at = 0; at < size; at += PAGE)
			(void)*(volatile char *)(memory + at);
	for (;;)
		pause();
}
