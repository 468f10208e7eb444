// SPDX-License-Identifier: GPL-2.0-only
/*
 * refault: gives its memory back and writes it again, over and over: a page fault
 * each time.
 *
 * refault HEAP MMAP [--keep] [--rounds N]
 *
 * HEAP pages are from brk() and MMAP pages from mmap(). With --keep, those of
 * mmap() are kept and only written. Ends after N rounds, or never.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

/* One by one: whoever looks finds all of them there. */
static void write_pages(char *area, size_t pages, int keep)
{
	size_t i;

	for (i = 0; i < pages; i++) {
		if (!keep)
			madvise(area + i * PAGE, PAGE, MADV_DONTNEED);
		*(volatile char *)(area + i * PAGE) = 1;
	}
}

static char *aligned(void *area)
{
	return (char *)(((uintptr_t)area + PAGE - 1) & -PAGE);
}

int main(int argc, char **argv)
{
	size_t nr_heap = argc > 2 ? strtoul(argv[1], NULL, 0) : 0;
	size_t nr_mmap = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
	long rounds = -1;
	char *heap, *mapped;
	int keep = 0, i;

	for (i = 3; i < argc; i++) {
		if (!strcmp(argv[i], "--keep"))
			keep = 1;
		else if (!strcmp(argv[i], "--rounds") && i + 1 < argc)
			rounds = atol(argv[++i]);
		else
			nr_heap = nr_mmap = 0;
	}
	if (!nr_heap || !nr_mmap) {
		fprintf(stderr, "usage: refault HEAP MMAP [--keep] [--rounds N]\n");
		return 2;
	}
	heap = sbrk((nr_heap + 1) * PAGE);
	mapped = mmap(NULL, nr_mmap * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (heap == (void *)-1 || mapped == MAP_FAILED)
		return 3;
	heap = aligned(heap);
	madvise(heap, nr_heap * PAGE, MADV_NOHUGEPAGE);
	madvise(mapped, nr_mmap * PAGE, MADV_NOHUGEPAGE);
	write_pages(heap, nr_heap, 1);
	write_pages(mapped, nr_mmap, 1);
	puts("ready");
	fflush(stdout);
	while (rounds--) {
		write_pages(heap, nr_heap, 0);
		write_pages(mapped, nr_mmap, keep);
		usleep(10000);
	}
	return 0;
}
