// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs of pages: runs.h.
 *
 * Free runs are in bins by length, and a bitmap tells which bins have any. Those
 * that may be resident are also in a list by age: once there are more than a
 * part of what is in use, the oldest are given back to the system.
 */
#include "runs.h"

#include <errno.h>
#include <string.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define LARGEST		(2UL << 40)	/* addresses of a heap */
#define SMALLEST	(256UL << 20)
#define PART_OF_ADDRESSES	8	/* that heaps take, at most, of those that are limited */
#define STEP		1024		/* pages made writable at a time */
#define EXACT		64		/* bins of one length each */
#define TRIES		8		/* runs of a bin that are looked at */
#define KEPT_PAGES	4096		/* free pages that may stay resident, */
#define KEPT_PART	16		/* and this part of those in use */

struct heap heaps[HEAP_KINDS];

/* Until there are heaps, where no memory of a program can be. */
char *heaps_base = (char *)(1UL << 63);
struct page *heaps_pages;
size_t heap_bytes;
unsigned int heap_shift;

void run_list_add(struct heap *heap, uint32_t *list, uint32_t first)
{
	struct run *run = &heap->runs[first];

	run->previous = NONE;
	run->next = *list;
	if (*list)
		heap->runs[*list].previous = first;
	*list = first;
}

void run_list_del(struct heap *heap, uint32_t *list, uint32_t first)
{
	struct run *run = &heap->runs[first];

	if (run->previous)
		heap->runs[run->previous].next = run->next;
	else
		*list = run->next;
	if (run->next)
		heap->runs[run->next].previous = run->previous;
}

static void ages_add(struct heap *heap, uint32_t first)
{
	struct run *run = &heap->runs[first];

	run->newer = NONE;
	run->older = heap->newest;
	if (heap->newest)
		heap->runs[heap->newest].newer = first;
	else
		heap->oldest = first;
	heap->newest = first;
	heap->touched += run->touched;
}

static void ages_del(struct heap *heap, uint32_t first)
{
	struct run *run = &heap->runs[first];

	if (run->older)
		heap->runs[run->older].newer = run->newer;
	else
		heap->oldest = run->newer;
	if (run->newer)
		heap->runs[run->newer].older = run->older;
	else
		heap->newest = run->older;
	heap->touched -= run->touched;
}

/* One for each length below EXACT, then eight for each doubling. */
static unsigned int bin_of(uint32_t length)
{
	unsigned int log;

	if (length < EXACT)
		return length;
	log = 31 - __builtin_clz(length);
	return EXACT + (log - 6) * 8 + ((length >> (log - 3)) & 7);
}

static void run_add(struct heap *heap, uint32_t first, uint32_t length, uint32_t touched)
{
	unsigned int bin = bin_of(length);
	struct run *run = &heap->runs[first];

	run->length = length;
	run->touched = touched < length ? touched : length;
	heap->runs[first + length - 1].length = length;
	heap->pages[first].state = FREE;
	heap->pages[first + length - 1].state = FREE;
	run_list_add(heap, &heap->bins[bin], first);
	heap->filled[bin / 64] |= 1UL << bin % 64;
	if (run->touched)
		ages_add(heap, first);
}

static void run_del(struct heap *heap, uint32_t first)
{
	uint32_t length = heap->runs[first].length;
	unsigned int bin = bin_of(length);

	if (heap->runs[first].touched)
		ages_del(heap, first);
	run_list_del(heap, &heap->bins[bin], first);
	if (!heap->bins[bin])
		heap->filled[bin / 64] &= ~(1UL << bin % 64);
	heap->pages[first].state = INSIDE;
	heap->pages[first + length - 1].state = INSIDE;
}

/* The first bin from here on that is not empty, or BINS. */
static unsigned int bin_next(const struct heap *heap, unsigned int bin)
{
	unsigned int word = bin / 64;
	uint64_t bits;

	if (bin >= BINS)
		return BINS;
	bits = heap->filled[word] & (~0UL << bin % 64);
	while (!bits && ++word < sizeof(heap->filled) / sizeof(*heap->filled))
		bits = heap->filled[word];
	return bits ? word * 64 + __builtin_ctzl(bits) : BINS;
}

/* All runs of the bins above that of the length are long enough. */
static uint32_t run_find(const struct heap *heap, uint32_t length)
{
	unsigned int bin = bin_of(length), tries = 0;
	uint32_t first;

	for (first = heap->bins[bin]; first && tries < TRIES;
	     first = heap->runs[first].next, tries++)
		if (heap->runs[first].length >= length)
			return first;
	bin = bin_next(heap, bin + 1);
	return bin < BINS ? heap->bins[bin] : NONE;
}

/* With all pages that some of it lies in. */
static bool open_up(void *memory, size_t bytes)
{
	uintptr_t start = (uintptr_t)memory & -PAGE;
	uintptr_t end = ((uintptr_t)memory + bytes + PAGE - 1) & -PAGE;

	return !mprotect((void *)start, end - start, PROT_READ | PROT_WRITE);
}

/*
 * What is known about pages, and they themselves, as far as they are in use:
 * mlockall() brings in, and keeps, all that can be accessed.
 */
static bool open_pages(struct heap *heap, uint32_t first, uint32_t nr)
{
	return open_up(&heap->pages[first], nr * sizeof(*heap->pages)) &&
	       open_up(&heap->runs[first], nr * sizeof(*heap->runs)) &&
	       open_up(&heap->maps[first], nr * sizeof(*heap->maps)) &&
	       open_up(page_address(heap, first), nr * PAGE);
}

/* Have so many pages from the top on ready for use. */
static bool top_reach(struct heap *heap, uint32_t nr)
{
	size_t end = heap->top + (size_t)nr, limit = heap_bytes / PAGE, to;

	if (end > limit)
		return false;
	if (end <= heap->writable)
		return true;
	to = (end + STEP - 1) & -(size_t)STEP;
	if (to > limit)
		to = limit;
	if (!open_pages(heap, heap->writable, to - heap->writable))
		return false;
	heap->writable = to;
	return true;
}

static uint32_t top_alloc(struct heap *heap, uint32_t length)
{
	uint32_t first = heap->top;

	if (!top_reach(heap, length))
		return NONE;
	heap->top += length;
	return first;
}

/* Of a free run; what is left of it stays free. */
static void run_take(struct heap *heap, uint32_t first, uint32_t length)
{
	uint32_t rest = heap->runs[first].length - length;
	uint32_t touched = heap->runs[first].touched;

	run_del(heap, first);
	if (rest)
		run_add(heap, first + length, rest, touched);
}

uint32_t run_alloc(struct heap *heap, uint32_t length, bool *zeroed)
{
	uint32_t first = run_find(heap, length);

	*zeroed = !first || !heap->runs[first].touched;
	if (first)
		run_take(heap, first, length);
	else
		first = top_alloc(heap, length);
	if (!first)
		return NONE;
	heap->runs[first].length = length;
	heap->in_use += length;
	return first;
}

void pages_clear(char *memory, size_t bytes)
{
	int saved = errno;

	/* It is locked, for one. */
	if (madvise(memory, bytes, MADV_DONTNEED))
		memset(memory, 0, bytes);
	errno = saved;
}

static void runs_purge(struct heap *heap)
{
	uint32_t keep = heap->in_use / KEPT_PART;
	uint32_t first;

	if (keep < KEPT_PAGES)
		keep = KEPT_PAGES;
	if (heap->touched <= keep)
		return;
	while (heap->touched > keep - keep / 4) {
		first = heap->oldest;
		ages_del(heap, first);
		heap->runs[first].touched = 0;
		pages_clear(page_address(heap, first), heap->runs[first].length * PAGE);
	}
}

/* Pages that are free from now on, with those beside them. */
static void pages_free(struct heap *heap, uint32_t first, uint32_t length, uint32_t touched)
{
	uint32_t next = first + length, before;

	heap->in_use -= length;
	heap->pages[first].state = INSIDE;
	if (next < heap->top && page_state(&heap->pages[next]) == FREE) {
		length += heap->runs[next].length;
		touched += heap->runs[next].touched;
		run_del(heap, next);
	}
	if (page_state(&heap->pages[first - 1]) == FREE) {
		before = heap->runs[first - 1].length;
		first -= before;
		length += before;
		touched += heap->runs[first].touched;
		run_del(heap, first);
	}
	run_add(heap, first, length, touched);
	runs_purge(heap);
}

void run_free(struct heap *heap, uint32_t first, uint32_t touched)
{
	pages_free(heap, first, heap->runs[first].length, touched);
}

void run_trim(struct heap *heap, uint32_t first, uint32_t length, uint32_t touched)
{
	uint32_t rest = heap->runs[first].length - length;

	heap->runs[first].length = length;
	if (rest)
		pages_free(heap, first + length, rest, touched);
}

bool run_extend(struct heap *heap, uint32_t first, uint32_t length)
{
	uint32_t more = length - heap->runs[first].length;
	uint32_t next = first + heap->runs[first].length;

	if (next == heap->top) {
		if (!top_alloc(heap, more))
			return false;
	} else if (page_state(&heap->pages[next]) == FREE && heap->runs[next].length >= more) {
		run_take(heap, next, more);
	} else {
		return false;
	}
	heap->runs[first].length = length;
	heap->in_use += more;
	return true;
}

static void *reserve(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* What has to be known about heaps of so many addresses each. */
static size_t known_bytes(size_t bytes)
{
	return HEAP_KINDS * (bytes / PAGE) *
	       (sizeof(object_map) + sizeof(struct run) + sizeof(struct page));
}

/* So many addresses for each, and what has to be known about them. */
static bool reserve_all(size_t bytes)
{
	size_t nr = bytes / PAGE, all = HEAP_KINDS * nr;
	size_t known = known_bytes(bytes);
	char *apart = reserve(known);
	char *base = apart ? reserve(HEAP_KINDS * bytes) : NULL;
	struct run *runs;
	struct page *pages;
	size_t i;

	if (!base) {
		if (apart)
			munmap(apart, known);
		return false;
	}
	runs = (struct run *)(apart + all * sizeof(object_map));
	pages = (struct page *)(runs + all);
	for (i = 0; i < HEAP_KINDS; i++) {
		heaps[i].base = base + i * bytes;
		heaps[i].maps = (object_map *)apart + i * nr;
		heaps[i].runs = runs + i * nr;
		heaps[i].pages = pages + i * nr;
		heaps[i].top = 1;
		pthread_mutex_init(&heaps[i].lock, NULL);
	}
	heaps_pages = pages;
	heap_bytes = bytes;
	heap_shift = __builtin_ctzl(bytes);
	__atomic_store_n(&heaps_base, base, __ATOMIC_RELEASE);
	return true;
}

/* Where addresses are limited, the rest of the program needs most of them. */
static size_t most_addresses(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return SIZE_MAX;
	return limit.rlim_cur / PART_OF_ADDRESSES;
}

/* Less where they are, or memory is not overcommitted; else there are none. */
bool heaps_init(void)
{
	size_t most = most_addresses(), bytes;

	for (bytes = LARGEST; bytes >= SMALLEST; bytes /= 4)
		if (HEAP_KINDS * bytes + known_bytes(bytes) <= most && reserve_all(bytes))
			return true;
	return false;
}
