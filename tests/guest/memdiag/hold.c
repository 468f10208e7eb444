// SPDX-License-Identifier: GPL-2.0-only
/*
 * hold PAGES [huge | FILE]: holds memory with contents of its own, and answers
 * commands from its standard input: "where N" prints the physical address of
 * page N, "check" prints "same" if all contents are what they were, "pin" pins
 * all for direct memory access, by io_uring, and prints "pinned". FILE: a mapping
 * of that file, which is made.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096UL
#define HUGE (2UL << 20)

static uint64_t *memory;
static size_t words;

static uint64_t content(size_t i)
{
	return i * 0x9e3779b97f4a7c15ULL + 1;
}

static uint64_t where(size_t page)
{
	uint64_t entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY);
	off_t at = (uintptr_t)((char *)memory + page * PAGE) / PAGE * 8;

	if (fd < 0 || pread(fd, &entry, 8, at) != 8 || !(entry >> 63))
		return 0;
	close(fd);
	return (entry & ((1ULL << 55) - 1)) * PAGE;
}

static const char *check(void)
{
	for (size_t i = 0; i < words; i++)
		if (memory[i] != content(i))
			return "changed";
	return "same";
}

static const char *pin(void)
{
	struct io_uring_params params = { 0 };
	struct iovec all = { memory, words * sizeof(*memory) };
	int ring = syscall(__NR_io_uring_setup, 1, &params);

	if (ring < 0 || syscall(__NR_io_uring_register, ring, IORING_REGISTER_BUFFERS, &all, 1))
		return "not pinned";
	return "pinned";
}

static void *map(size_t size, const char *what)
{
	int fd, shared = MAP_PRIVATE | MAP_ANONYMOUS;
	char *area;

	if (what && strcmp(what, "huge")) {
		fd = open(what, O_RDWR | O_CREAT, 0600);
		if (fd < 0 || ftruncate(fd, size))
			return MAP_FAILED;
		return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	area = mmap(NULL, size + HUGE, PROT_READ | PROT_WRITE, shared, -1, 0);
	if (area == MAP_FAILED)
		return area;
	area = (char *)(((uintptr_t)area + HUGE - 1) / HUGE * HUGE);
	madvise(area, size, what ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	return area;
}

int main(int argc, char **argv)
{
	size_t size = strtoul(argv[1], NULL, 0) * PAGE;
	char line[64];

	memory = map(size, argc > 2 ? argv[2] : NULL);
	if (memory == MAP_FAILED)
		return 1;
	words = size / sizeof(*memory);
	for (size_t i = 0; i < words; i++)
		memory[i] = content(i);
	setlinebuf(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (!strncmp(line, "where ", 6))
			printf("0x%llx\n", (unsigned long long)where(strtoul(line + 6, NULL, 0)));
		else
			puts(strcmp(line, "pin\n") ? check() : pin());
	}
	return 0;
}
