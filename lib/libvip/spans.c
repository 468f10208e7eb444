// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spans of small objects: spans.h.
 *
 * A bit of a span's map tells whether an object is free. Pages between objects that
 * stay are given back, once there are many of them.
 */
#include "spans.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOSE_BYTES	(16L << 20)	/* of free objects, and this part of all memory, */
#define LOOSE_PART	16		/* before pages are looked for that have no others, */
#define LOOSE_MORE	16		/* and what there is more before it is done again */
#define LOOSE_OBJECT	128		/* that is too small for a page to have no others */
#define SPAN_PAGES	4		/* at least */
#define MAX_SPAN_PAGES	16

struct class heap_classes[SMALL_CLASSES];

void spans_die(void)
{
	static const char why[] = "libvip: this is not allocated, or is freed twice\n";
	ssize_t unused = write(STDERR_FILENO, why, sizeof(why) - 1);

	(void)unused;
	abort();
}

/* Of few pages, and little left over at its end. */
static unsigned int span_pages(size_t bytes)
{
	unsigned int pages;

	for (pages = SPAN_PAGES; pages < MAX_SPAN_PAGES; pages++)
		if (pages * PAGE >= bytes && pages * PAGE % bytes <= pages * PAGE / 32)
			break;
	return pages;
}

static void *span_object(const struct heap *heap, uint32_t first, unsigned int object)
{
	const struct class *class = &heap_classes[heap->pages[first].class];

	return page_address(heap, first) + object * (size_t)class->bytes;
}

/* That of its first page goes on into those of the next ones. */
static uint64_t *span_map(const struct heap *heap, uint32_t first)
{
	return heap->maps[first];
}

static uint32_t span_new(struct heap *heap, unsigned int number)
{
	const struct class *class = &heap_classes[number];
	uint32_t first, page;
	uint64_t *map;
	bool zeroed;

	first = run_alloc(heap, class->pages, &zeroed);
	if (!first)
		return NONE;
	for (page = 0; page < class->pages; page++)
		heap->pages[first + page] = (struct page){
			.state = OBJECTS, .class = number, .offset = page,
		};
	heap->runs[first].free = class->objects;
	heap->runs[first].returned = 0;
	heap->loose += class->objects * class->bytes;
	map = span_map(heap, first);
	memset(map, 0xff, class->objects / 64 * 8);
	if (class->objects % 64)
		map[class->objects / 64] = (1UL << class->objects % 64) - 1;
	run_list_add(heap, &heap->partial[number], first);
	return first;
}

static void span_free(struct heap *heap, uint32_t first, unsigned int number)
{
	const struct class *class = &heap_classes[number];
	unsigned int page;

	run_list_del(heap, &heap->partial[number], first);
	for (page = 0; page < class->pages; page++)
		heap->pages[first + page].state = INSIDE;
	heap->loose -= class->objects * (long)class->bytes -
		       __builtin_popcount(heap->runs[first].returned) * (long)PAGE;
	run_free(heap, first, class->pages);
}

static bool page_is_empty(const uint64_t *map, const struct class *class, unsigned int page)
{
	unsigned int object = page * PAGE / class->bytes;
	unsigned int end = ((page + 1) * PAGE + class->bytes - 1) / class->bytes;

	for (; object < end && object < class->objects; object++)
		if (!(map[object / 64] & 1UL << object % 64))
			return false;
	return true;
}

/* The pages of a span that hold nothing, to the system. */
static void span_return_pages(struct heap *heap, uint32_t first, const struct class *class)
{
	const uint64_t *map = span_map(heap, first);
	struct run *run = &heap->runs[first];
	unsigned int page;

	for (page = 0; page < class->pages; page++) {
		if (run->returned & 1U << page || !page_is_empty(map, class, page))
			continue;
		pages_clear(page_address(heap, first + page), PAGE);
		run->returned |= 1U << page;
		heap->loose -= PAGE;
	}
}

static void spans_return_pages(struct heap *heap)
{
	unsigned int number;
	uint32_t first;

	for (number = class_of(LOOSE_OBJECT); number < SMALL_CLASSES; number++)
		for (first = heap->partial[number]; first; first = heap->runs[first].next)
			span_return_pages(heap, first, &heap_classes[number]);
	heap->loose_left = heap->loose;
}

/* Seldom: it looks at all spans that have free objects. */
static bool is_loose(const struct heap *heap)
{
	long in_use = heap->in_use * PAGE;

	return heap->loose > LOOSE_BYTES + in_use / LOOSE_PART &&
	       heap->loose > LOOSE_BYTES + heap->loose_left + in_use / LOOSE_MORE;
}

/* It is about to be written. */
static void object_take(struct heap *heap, uint32_t first, const struct class *class,
			unsigned int object)
{
	struct run *run = &heap->runs[first];
	unsigned int page = object * class->bytes / PAGE;
	unsigned int last = ((object + 1) * class->bytes - 1) / PAGE;

	run->free--;
	heap->loose -= class->bytes;
	for (; run->returned && page <= last; page++)
		if (run->returned & 1U << page) {
			run->returned &= ~(1U << page);
			heap->loose += PAGE;
		}
}

unsigned int spans_take(struct heap *heap, unsigned int number, void **objects,
			unsigned int wanted)
{
	unsigned int got = 0, word, bit;
	uint64_t *map;
	uint32_t first;

	while (got < wanted) {
		first = heap->partial[number] ?: span_new(heap, number);
		if (!first)
			break;
		map = span_map(heap, first);
		for (word = 0; got < wanted && heap->runs[first].free; word++)
			while (map[word] && got < wanted) {
				bit = __builtin_ctzl(map[word]);
				map[word] &= map[word] - 1;
				object_take(heap, first, &heap_classes[number], bit + word * 64);
				objects[got++] = span_object(heap, first, word * 64 + bit);
			}
		if (!heap->runs[first].free)
			run_list_del(heap, &heap->partial[number], first);
	}
	if (heap->loose_left > heap->loose)
		heap->loose_left = heap->loose;
	return got;
}

void spans_put(struct heap *heap, void *memory)
{
	uint32_t first = page_of(heap, memory);
	const struct page *page = &heap->pages[first];
	unsigned int number = page->class, object;
	uint32_t *list = &heap->partial[number];
	struct run *run;
	uint64_t *word;

	if (page->state != OBJECTS || !span_is_object(page, memory, &object))
		spans_die();
	first -= page->offset;
	run = &heap->runs[first];
	word = span_map(heap, first) + object / 64;
	if (*word & 1UL << object % 64)
		spans_die();
	*word |= 1UL << object % 64;
	heap->loose += heap_classes[number].bytes;
	if (!run->free++)
		run_list_add(heap, list, first);
	/* One is kept, lest it come and go. */
	if (run->free == heap_classes[number].objects && (*list != first || run->next))
		span_free(heap, first, number);
	if (is_loose(heap))
		spans_return_pages(heap);
}

void spans_init(void)
{
	struct class *class;
	unsigned int i;

	for (i = 0; i < SMALL_CLASSES; i++) {
		class = &heap_classes[i];
		class->bytes = class_bytes(i);
		class->inverse = ((1UL << 32) + class->bytes - 1) / class->bytes;
		class->pages = span_pages(class->bytes);
		class->objects = class->pages * PAGE / class->bytes;
	}
}
