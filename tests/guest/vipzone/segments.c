// SPDX-License-Identifier: GPL-2.0-only
/*
 * segments: faults in pages of each kind that a program has, and tells where
 * they lie.
 *
 * segments START END COLD [--wait FILE]
 *
 * Prints "SEGMENT pages P in I" for each: P pages touched, I of them in that
 * physical range. COLD is a file of 1000 pages, none of which is in the page
 * cache: a part of it is read, another mapped. This program's file should not
 * be there either. With --wait it first waits for FILE to appear, so that it
 * can be steered before its first page.
 */
#include <alloca.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "../lib/frames.h"

#define PAGE	4096
#define PAGES	200

/* At least a readahead apart. */
#define FILE_AT	600

static const char text[(PAGES + 1) * PAGE] = { 1 };
/* Pages of a file until they are written to, and then the process's own. */
static char data[(PAGES + 1) * PAGE] = { 1 };
static char bss[(PAGES + 1) * PAGE];

static uint64_t start, end;
static int map;

static void tell(const char *segment, const char *memory)
{
	unsigned int in = 0;
	uint64_t at;

	memory += -(uintptr_t)memory & (PAGE - 1);
	for (int i = 0; i < PAGES; i++) {
		at = frame_of(map, (uint64_t *)(memory + i * PAGE)) * PAGE;
		in += at >= start && at < end;
	}
	printf("%s pages %d in %u\n", segment, PAGES, in);
}

/* Of PAGES pages that nobody has touched. */
static void touch(const char *segment, char *memory)
{
	memory += -(uintptr_t)memory & (PAGE - 1);
	for (int i = 0; i < PAGES; i++)
		((volatile char *)memory)[i * PAGE] = 1;
	tell(segment, memory);
}

static void *map_file(int file, size_t page)
{
	return mmap(NULL, PAGES * PAGE, PROT_READ, MAP_SHARED, file,
		    page * PAGE);
}

static void touch_file(const char *path)
{
	int file = open(path, O_RDONLY);
	char page[PAGE];

	for (int i = 0; i < PAGES; i++)
		if (read(file, page, PAGE) != PAGE)
			exit(3);
	tell("cache", map_file(file, 0));
	tell("file", map_file(file, FILE_AT));
}

int main(int argc, char **argv)
{
	if (argc != 4 && (argc != 6 || strcmp(argv[4], "--wait"))) {
		fprintf(stderr, "usage: segments START END COLD [--wait FILE]\n");
		return 2;
	}
	start = strtoull(argv[1], NULL, 0);
	end = strtoull(argv[2], NULL, 0);
	while (argc == 6 && access(argv[5], F_OK))
		usleep(10000);
	map = open("/proc/self/pagemap", O_RDONLY);
	tell("text", text);
	touch("data", data);
	touch("bss", bss);
	touch("brk", sbrk((PAGES + 1) * PAGE));
	touch("stack", alloca((PAGES + 1) * PAGE));
	touch("mmap", mmap(NULL, (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	touch("shared", mmap(NULL, (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
	touch_file(argv[3]);
	return 0;
}
