/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The heaps of libvip: objects in spans (spans.h) and runs of pages (runs.h), which
 * each thread keeps some of, so that most calls take no lock.
 */
#ifndef VIP_HEAP_H
#define VIP_HEAP_H

#include <memsuite/vipzone.h>

#include "spans.h"

#pragma GCC visibility push(hidden)

/**
 * struct bin - objects of a class that a thread keeps
 * @nr: how many
 * @max: where half of them go back; grows with use up to @limit
 * @objects: them
 */
struct bin {
	uint16_t nr;
	uint16_t max;
	uint16_t limit;
	void **objects;
};

/**
 * struct cache - what a thread keeps of a heap
 * @bins: by class
 * @run_bytes: of the runs among them
 */
struct cache {
	struct bin bins[CLASSES];
	size_t run_bytes;
	void *objects[];
};

#define THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))

extern THREAD_LOCAL struct cache *heap_caches[HEAP_KINDS];

/* Begins small objects that a thread keeps: one that is freed twice is noticed. */
extern uint64_t heap_mark;

/* If set, tags a range anew whose pages have moved. */
extern void (*heap_retag)(void *memory, size_t bytes);

/**
 * heap_init() - reserve the addresses of the heaps
 *
 * Called once. Return: false: there is no room for them.
 */
bool heap_init(void);

/* Around fork(); what handlers of others allocate meanwhile takes no lock. */
void heap_lock_all(void);
void heap_unlock_all(void);

/* The heap of a combination of flags. */
static inline unsigned int heap_of_flags(size_t vip_flags)
{
	return vip_flags / _VIP_TYP_WRITE;
}

/* Whether memory came from heap_alloc(). */
static inline bool heap_owns(const void *memory)
{
	return (uintptr_t)memory - (uintptr_t)heaps_base < HEAP_KINDS * heap_bytes;
}

/* Of which heap. */
static inline unsigned int heap_of(const void *memory)
{
	return ((uintptr_t)memory - (uintptr_t)heaps_base) >> heap_shift;
}

static inline struct page *heap_page(const void *memory)
{
	return &heaps_pages[((const char *)memory - heaps_base) >> PAGE_SHIFT];
}

/* What a thread does not keep. */
void *heap_alloc_shared(unsigned int kind, size_t bytes);
void heap_free_shared(void *memory);

/* One that this thread keeps, or NULL: it has none, or there are no heaps yet. */
static inline void *heap_alloc_kept(unsigned int kind, size_t bytes)
{
	struct cache *cache = heap_caches[kind];
	unsigned int class;
	struct bin *bin;
	void *memory;

	if (!cache || bytes > CACHED)
		return NULL;
	class = class_of(bytes);
	bin = &cache->bins[class];
	if (!bin->nr)
		return NULL;
	memory = bin->objects[--bin->nr];
	if (class < SMALL_CLASSES) {
		*(uint64_t *)memory = 0;
	} else {
		page_set_state(heap_page(memory), RUN);
		cache->run_bytes -= class_bytes(class);
	}
	return memory;
}

/**
 * heap_alloc() - allocate from a heap
 * @kind: its number
 * @bytes: how many
 *
 * Return: memory that is aligned to 16 bytes, or NULL: there is none.
 */
static inline void *heap_alloc(unsigned int kind, size_t bytes)
{
	return heap_alloc_kept(kind, bytes) ?: heap_alloc_shared(kind, bytes);
}

/* The same, cleared. */
void *heap_calloc(unsigned int kind, size_t bytes);

/* The same at a multiple of a power of two. */
void *heap_aligned_alloc(unsigned int kind, size_t bytes, size_t alignment);

/* Memory of heap_alloc(); anything else in a heap ends the program. */
static inline void heap_free(void *memory)
{
	struct page *page = heap_page(memory);
	struct cache *cache = heap_caches[heap_of(memory)];
	unsigned int object;
	struct bin *bin;

	if (!cache || page->state != OBJECTS || !span_is_object(page, memory, &object))
		return heap_free_shared(memory);
	bin = &cache->bins[page->class];
	if (bin->nr >= bin->max || *(uint64_t *)memory == heap_mark)
		return heap_free_shared(memory);
	*(uint64_t *)memory = heap_mark;
	bin->objects[bin->nr++] = memory;
}

/* The same of a run. */
size_t heap_usable_run(const void *memory);

/* How many bytes may be used. It is the caller's, and does not change. */
static inline size_t heap_usable(const void *memory)
{
	const struct page *page = heap_page(memory);

	return page->state == OBJECTS ? heap_classes[page->class].bytes : heap_usable_run(memory);
}

/* Give memory another size where it is; false: it has to move. */
bool heap_resize(void *memory, size_t bytes);

/*
 * Move memory of more than SMALL that grows to where it has room to grow on; NULL:
 * there is none.
 */
void *heap_move(void *memory, size_t bytes);

#pragma GCC visibility pop

#endif
