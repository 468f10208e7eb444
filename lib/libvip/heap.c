// SPDX-License-Identifier: GPL-2.0-only
/*
 * The heaps of libvip: heap.h.
 *
 * Small objects of one size share a span of pages, larger ones have a run each.
 * A thread takes some of a size at a time, and gives back half of what it keeps
 * when that is too much. Memory in use is the program's alone: what is known
 * about it lies apart. Only what a thread keeps begins with a mark.
 */
#include "heap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#define LOOSE_BYTES	(4L << 20)	/* of free objects, and this part of all memory, */
#define LOOSE_PART	16		/* before pages are looked for that have no others, */
#define LOOSE_MORE	16		/* and what there is more before it is done again */
#define LOOSE_OBJECT	128		/* that is too small for a page to have no others */
#define SPAN_PAGES	4		/* at least */
#define MAX_SPAN_PAGES	16
#define BIN_BYTES	65536UL		/* of a class that a thread keeps, at most */
#define BIN_OBJECTS	128
#define BIN_RUNS	4
#define RUN_BYTES	(2UL << 20)	/* of all runs that a thread keeps */
#define REMAPPED	(1UL << 20)	/* from here on page tables move, not bytes */

THREAD_LOCAL struct cache *heap_caches[HEAP_KINDS];
struct class heap_classes[SMALL_CLASSES];
uint64_t heap_mark;
void (*heap_retag)(void *memory, size_t bytes);

static pthread_key_t caches_key;
static THREAD_LOCAL bool exiting;	/* this thread, and keeps nothing */
static THREAD_LOCAL bool forking;	/* this thread, and has all locks */

static void __attribute__((noreturn)) die(void)
{
	static const char why[] = "libvip: this is not allocated, or is freed twice\n";
	ssize_t unused = write(STDERR_FILENO, why, sizeof(why) - 1);

	(void)unused;
	abort();
}

static void heap_lock(struct heap *heap)
{
	if (!forking)
		pthread_mutex_lock(&heap->lock);
}

static void heap_unlock(struct heap *heap)
{
	if (!forking)
		pthread_mutex_unlock(&heap->lock);
}

void heap_lock_all(void)
{
	int i;

	/* Another thread may be about to make the heaps. */
	forking = heap_bytes;
	for (i = 0; forking && i < HEAP_KINDS; i++)
		pthread_mutex_lock(&heaps[i].lock);
}

void heap_unlock_all(void)
{
	int i;

	for (i = HEAP_KINDS - 1; forking && i >= 0; i--)
		pthread_mutex_unlock(&heaps[i].lock);
	forking = false;
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

/* Some objects of a class; how many. */
static unsigned int objects_take(struct heap *heap, unsigned int number, void **objects,
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

static void object_return(struct heap *heap, void *memory)
{
	uint32_t first = page_of(heap, memory);
	const struct page *page = &heap->pages[first];
	unsigned int number = page->class, object;
	uint32_t *list = &heap->partial[number];
	struct run *run;
	uint64_t *word;

	if (page->state != OBJECTS || !heap_is_object(page, memory, &object))
		die();
	first -= page->offset;
	run = &heap->runs[first];
	word = span_map(heap, first) + object / 64;
	if (*word & 1UL << object % 64)
		die();
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

/* The last one is handed out first: addresses are to go up. */
static void bin_refill(struct heap *heap, struct bin *bin, unsigned int number)
{
	unsigned int i, last;
	void *object;

	heap_lock(heap);
	bin->nr = objects_take(heap, number, bin->objects, (bin->max + 1) / 2);
	heap_unlock(heap);
	for (i = 0, last = bin->nr; i + 1 < last; i++) {
		object = bin->objects[i];
		bin->objects[i] = bin->objects[--last];
		bin->objects[last] = object;
	}
	if (bin->max < bin->limit)
		bin->max = bin->max * 2 < bin->limit ? bin->max * 2 : bin->limit;
}

/* The oldest go back: they stand at the beginning. */
static void bin_drain(struct heap *heap, struct bin *bin, unsigned int nr)
{
	unsigned int i;

	heap_lock(heap);
	for (i = 0; i < nr; i++)
		object_return(heap, bin->objects[i]);
	bin->nr -= nr;
	memmove(bin->objects, bin->objects + nr, bin->nr * sizeof(*bin->objects));
	heap_unlock(heap);
}

static void run_return(struct heap *heap, void *memory)
{
	uint32_t first = page_of(heap, memory);
	struct run *run = &heap->runs[first];

	run_free(heap, first, heap->pages[first].class == NO_CLASS ? run->touched : run->length);
}

static void bin_drain_runs(struct heap *heap, struct bin *bin)
{
	heap_lock(heap);
	while (bin->nr)
		run_return(heap, bin->objects[--bin->nr]);
	heap_unlock(heap);
}

static unsigned int bin_limit(unsigned int class)
{
	size_t nr = BIN_BYTES / class_bytes(class);

	if (class >= SMALL_CLASSES || nr < BIN_RUNS)
		return BIN_RUNS;
	return nr < BIN_OBJECTS ? nr : BIN_OBJECTS;
}

static size_t cache_bytes(void)
{
	size_t objects = 0;
	unsigned int i;

	for (i = 0; i < CLASSES; i++)
		objects += bin_limit(i);
	return sizeof(struct cache) + objects * sizeof(void *);
}

static struct cache *cache_new(unsigned int kind)
{
	struct cache *cache;
	void **objects;
	unsigned int i;

	cache = mmap(NULL, cache_bytes(), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (cache == MAP_FAILED)
		return NULL;
	objects = cache->objects;
	for (i = 0; i < CLASSES; i++) {
		cache->bins[i].limit = bin_limit(i);
		cache->bins[i].max = BIN_RUNS;
		cache->bins[i].objects = objects;
		objects += cache->bins[i].limit;
	}
	/* This may allocate, from what is there already. */
	heap_caches[kind] = cache;
	pthread_setspecific(caches_key, heap_caches);
	return cache;
}

static struct cache *cache_get(unsigned int kind)
{
	return heap_caches[kind] || exiting ? heap_caches[kind] : cache_new(kind);
}

static void caches_free(void *unused)
{
	struct cache *cache;
	unsigned int kind, i;

	(void)unused;
	exiting = true;
	for (kind = 0; kind < HEAP_KINDS; kind++) {
		cache = heap_caches[kind];
		heap_caches[kind] = NULL;
		for (i = 0; cache && i < SMALL_CLASSES; i++)
			if (cache->bins[i].nr)
				bin_drain(&heaps[kind], &cache->bins[i], cache->bins[i].nr);
		for (; cache && i < CLASSES; i++)
			bin_drain_runs(&heaps[kind], &cache->bins[i]);
		if (cache)
			munmap(cache, cache_bytes());
	}
}

bool heap_init(void)
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
	if (getrandom(&heap_mark, sizeof(heap_mark), GRND_NONBLOCK) != sizeof(heap_mark))
		heap_mark = (uintptr_t)&class * 0x9e3779b97f4a7c15UL;
	return !pthread_key_create(&caches_key, caches_free) && heaps_init();
}

static void *small_alloc(unsigned int kind, unsigned int number)
{
	struct cache *cache = cache_get(kind);
	struct bin *bin = cache ? &cache->bins[number] : NULL;
	void *memory = NULL;

	if (bin) {
		bin_refill(&heaps[kind], bin, number);
		return heap_alloc_kept(kind, heap_classes[number].bytes);
	}
	heap_lock(&heaps[kind]);
	objects_take(&heaps[kind], number, &memory, 1);
	heap_unlock(&heaps[kind]);
	return memory;
}

/* A run, of which the first part is used; the rest is room to grow. */
static void *large_alloc(struct heap *heap, unsigned int class, size_t bytes, size_t room,
			 bool *zeroed)
{
	uint32_t first = NONE, pages = (bytes + PAGE - 1) / PAGE, more = room / PAGE;
	char *memory;

	if (bytes > heap_bytes || room > heap_bytes)
		return NULL;
	heap_lock(heap);
	first = run_alloc(heap, pages + more, zeroed);
	if (first) {
		heap->pages[first].state = RUN;
		heap->pages[first].class = class;
		heap->runs[first].touched = pages;
	}
	heap_unlock(heap);
	if (!first)
		return NULL;
	memory = page_address(heap, first);
	if (more && !*zeroed)
		pages_clear(memory + pages * PAGE, more * PAGE);
	return memory;
}

static void *run_get(unsigned int kind, size_t bytes, bool *zeroed)
{
	unsigned int class = bytes > CACHED ? NO_CLASS : class_of(bytes);

	if (class != NO_CLASS)
		bytes = class_bytes(class);
	return large_alloc(&heaps[kind], class, bytes, 0, zeroed);
}

void *heap_alloc_shared(unsigned int kind, size_t bytes)
{
	bool zeroed;

	return bytes <= SMALL ? small_alloc(kind, class_of(bytes)) : run_get(kind, bytes, &zeroed);
}

void *heap_calloc(unsigned int kind, size_t bytes)
{
	bool zeroed = false;
	void *memory = heap_alloc_kept(kind, bytes);

	if (!memory && bytes > SMALL)
		memory = run_get(kind, bytes, &zeroed);
	else if (!memory)
		memory = heap_alloc_shared(kind, bytes);
	if (!memory || zeroed)
		return memory;
	/* Much of what is large may stay as it is. */
	if (bytes > CACHED)
		pages_clear(memory, (bytes + PAGE - 1) & -PAGE);
	else
		memset(memory, 0, bytes);
	return memory;
}

/* More than is asked for, without what is before and behind. */
static void *large_aligned_alloc(struct heap *heap, size_t bytes, size_t alignment)
{
	size_t pages = (bytes + PAGE - 1) / PAGE, before;
	uint32_t first;
	char *memory = NULL;
	bool zeroed;

	if (bytes > heap_bytes || alignment > heap_bytes)
		return NULL;
	pages += !pages;
	heap_lock(heap);
	first = run_alloc(heap, pages + alignment / PAGE - 1, &zeroed);
	if (first) {
		before = -(uintptr_t)page_address(heap, first) % alignment / PAGE;
		run_trim(heap, first, before + pages, zeroed ? 0 : alignment / PAGE);
		if (before) {
			heap->runs[first + before].length = pages;
			heap->runs[first].length = before;
			run_free(heap, first, zeroed ? 0 : before);
			first += before;
		}
		heap->pages[first].state = RUN;
		heap->pages[first].class = NO_CLASS;
		heap->runs[first].touched = pages;
		memory = page_address(heap, first);
	}
	heap_unlock(heap);
	return memory;
}

void *heap_aligned_alloc(unsigned int kind, size_t bytes, size_t alignment)
{
	size_t at_least = bytes > alignment ? bytes : alignment;
	unsigned int class;

	if (alignment <= 16 || (alignment <= PAGE && bytes > SMALL))
		return heap_alloc(kind, bytes);
	if (alignment > PAGE)
		return large_aligned_alloc(&heaps[kind], bytes, alignment);
	/* Objects of a power of two are aligned to it, if no others are. */
	class = class_of(at_least);
	while (class_bytes(class) % alignment)
		class++;
	return heap_alloc(kind, class_bytes(class));
}

/* What this thread does not keep by itself: a run, the bin is full, or a mistake. */
void heap_free_shared(void *memory)
{
	unsigned int kind = heap_of(memory), object, i;
	struct page *page = heap_page(memory);
	struct heap *heap = &heaps[kind];
	struct cache *cache = cache_get(kind);
	int saved = errno;
	struct bin *bin;

	if (page->state == OBJECTS && heap_is_object(page, memory, &object)) {
		if (!cache) {
			heap_lock(heap);
			object_return(heap, memory);
			heap_unlock(heap);
			return;
		}
		bin = &cache->bins[page->class];
		for (i = 0; i < bin->nr; i++)
			if (bin->objects[i] == memory)
				die();
		if (bin->nr == bin->max && bin->max < bin->limit)
			bin->max = bin->max * 2 < bin->limit ? bin->max * 2 : bin->limit;
		if (bin->nr == bin->max)
			bin_drain(heap, bin, (bin->max + 1) / 2);
		*(uint64_t *)memory = heap_mark;
		bin->objects[bin->nr++] = memory;
	} else if (page->state == RUN && !((uintptr_t)memory % PAGE)) {
		bin = cache && page->class != NO_CLASS ? &cache->bins[page->class] : NULL;
		if (bin && bin->nr < bin->limit &&
		    cache->run_bytes + class_bytes(page->class) <= RUN_BYTES) {
			page->state = KEPT;
			cache->run_bytes += class_bytes(page->class);
			bin->objects[bin->nr++] = memory;
		} else {
			heap_lock(heap);
			run_return(heap, memory);
			heap_unlock(heap);
		}
	} else {
		die();
	}
	errno = saved;
}

size_t heap_usable_run(const void *memory)
{
	const struct heap *heap = &heaps[heap_of(memory)];
	const struct page *page = heap_page(memory);

	if (page->class != NO_CLASS)
		return class_bytes(page->class);
	return heap->runs[page_of(heap, memory)].touched * PAGE;
}

bool heap_resize(void *memory, size_t bytes)
{
	struct heap *heap = &heaps[heap_of(memory)];
	struct page *page = heap_page(memory);
	size_t usable = heap_usable(memory);
	uint32_t pages = (bytes + PAGE - 1) / PAGE, first;
	struct run *run;
	bool fits;

	/* It wastes no more than half. */
	if (page->state == OBJECTS)
		return bytes <= usable && bytes >= usable / 2;
	if (bytes <= SMALL || bytes > heap_bytes)
		return false;
	if (bytes <= usable && bytes >= usable - usable / 8)
		return true;
	first = page_of(heap, memory);
	run = &heap->runs[first];
	heap_lock(heap);
	fits = pages <= run->length || run_extend(heap, first, pages);
	if (fits && pages < usable / PAGE)
		run_trim(heap, first, pages, usable / PAGE - pages);
	if (fits) {
		page->class = NO_CLASS;
		run->touched = pages;
	}
	heap_unlock(heap);
	return fits;
}

/* Addresses of a heap that another mapping was to take the place of. */
static bool remap(char *memory, size_t bytes)
{
	void *mapped = mmap(memory, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			    MAP_FIXED_NOREPLACE, -1, 0);

	return mapped == memory;
}

/*
 * Move pages from one run to another. Both stay mapped, for nobody else may get
 * these addresses. False: nothing can be at @to any more.
 */
static bool pages_move(char *to, char *from, size_t bytes)
{
	bool moved = mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP,
			    to) == to;

	if (!moved && !remap(to, bytes))
		return false;
	if (!moved)
		memcpy(to, from, bytes);
	if (heap_retag) {
		heap_retag(to, bytes);
		heap_retag(from, bytes);
	}
	return true;
}

void *heap_move(void *memory, size_t bytes)
{
	struct heap *heap = &heaps[heap_of(memory)];
	size_t usable = heap_usable(memory);
	bool zeroed;
	char *moved;

	moved = large_alloc(heap, NO_CLASS, bytes, bytes, &zeroed);
	if (!moved)
		return NULL;
	if (usable < REMAPPED)
		memcpy(moved, memory, usable);
	else if (!pages_move(moved, memory, usable))
		return NULL;
	heap_free(memory);
	return moved;
}
