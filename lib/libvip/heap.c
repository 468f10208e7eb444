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
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

#define BIN_BYTES	65536UL		/* of a class that a thread keeps, at most */
#define BIN_OBJECTS	128
#define BIN_RUNS	4
#define RUN_BYTES	(2UL << 20)	/* of all runs that a thread keeps */
#define REMAPPED	(1UL << 20)	/* from here on page tables move, not bytes */

THREAD_LOCAL struct cache *heap_caches[HEAP_KINDS];
uint64_t heap_mark;
void (*heap_retag)(void *memory, size_t bytes);

static pthread_key_t caches_key;
static THREAD_LOCAL bool exiting;	/* this thread, and keeps nothing */
static THREAD_LOCAL bool forking;	/* this thread, and has all locks */

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

	/* There may be no heaps. */
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

/* The last one is handed out first: addresses are to go up. */
static void bin_refill(struct heap *heap, struct bin *bin, unsigned int number)
{
	unsigned int i, last;
	void *object;

	heap_lock(heap);
	bin->nr = spans_take(heap, number, bin->objects, (bin->max + 1) / 2);
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
		spans_put(heap, bin->objects[i]);
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
	if (getrandom(&heap_mark, sizeof(heap_mark), GRND_NONBLOCK) != sizeof(heap_mark))
		heap_mark = (uintptr_t)&heap_mark * 0x9e3779b97f4a7c15UL;
	spans_init();
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
	spans_take(&heaps[kind], number, &memory, 1);
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
	int saved = errno;
	struct cache *cache = cache_get(kind);
	struct bin *bin;

	if (page->state == OBJECTS && span_is_object(page, memory, &object)) {
		if (!cache) {
			heap_lock(heap);
			spans_put(heap, memory);
			heap_unlock(heap);
			return;
		}
		bin = &cache->bins[page->class];
		for (i = 0; i < bin->nr; i++)
			if (bin->objects[i] == memory)
				spans_die();
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
			page_set_state(page, KEPT);
			cache->run_bytes += class_bytes(page->class);
			bin->objects[bin->nr++] = memory;
		} else {
			heap_lock(heap);
			run_return(heap, memory);
			heap_unlock(heap);
		}
	} else {
		spans_die();
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
 * these addresses. False: what is at @to by now nobody knows.
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
	/* Where it is forbidden, or there are as many mappings as may be, it is not tried again. */
	static bool no_moves;
	struct heap *heap = &heaps[heap_of(memory)];
	size_t usable = heap_usable(memory);
	bool zeroed;
	char *moved;

	moved = large_alloc(heap, NO_CLASS, bytes, bytes, &zeroed);
	if (!moved)
		return NULL;
	if (usable < REMAPPED || __atomic_load_n(&no_moves, __ATOMIC_RELAXED)) {
		memcpy(moved, memory, usable);
	} else if (!pages_move(moved, memory, usable)) {
		__atomic_store_n(&no_moves, true, __ATOMIC_RELAXED);
		return NULL;
	}
	heap_free(memory);
	return moved;
}
