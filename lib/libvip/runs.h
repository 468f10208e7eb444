/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs of pages: what the heaps of libvip are made of. Each combination of flags
 * has a heap in a range of addresses of its own, so that a range is tagged once,
 * and the address of memory tells whose it is. What is known about pages lies
 * apart from them.
 */
#ifndef VIP_RUNS_H
#define VIP_RUNS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "classes.h"

#pragma GCC visibility push(hidden)

#define HEAP_KINDS	4
#define PAGE_SHIFT	12
#define PAGE		(1UL << PAGE_SHIFT)
#define NONE		0		/* page 0 is never used */
#define BINS		256

enum page_state { INSIDE, FREE, OBJECTS, RUN, KEPT };

/**
 * struct page - what free() wants to know about a page
 * @state: of the first of a run; OBJECTS: of all pages of a span; FREE: of the
 *	last, too; KEPT: a run that a thread keeps
 * @class: of its objects, or of the run
 * @offset: pages from the first of the span
 */
struct page {
	uint8_t state;
	uint8_t class;
	uint16_t offset;
};

/**
 * struct run - what is known about a run, at its first page
 * @next: of those alike: free runs of about this length, spans with free objects
 * @previous: in that list
 * @newer: of free runs that may be resident, the next one to have become free
 * @older: the one before
 * @length: pages; of a free run, at its last page, too
 * @touched: of them, those that may be resident; the rest is zero
 * @free: objects that are free
 * @returned: pages of a span that were given back since nothing was in them, by bits
 */
struct run {
	uint32_t next;
	uint32_t previous;
	uint32_t newer;
	uint32_t older;
	uint32_t length;
	uint32_t touched;
	uint32_t free;
	uint32_t returned;
};

typedef uint64_t object_map[PAGE / 16 / 64];	/* a bit for a free object */

struct heap {
	pthread_mutex_t lock;
	char *base;
	struct page *pages;
	struct run *runs;
	object_map *maps;
	uint32_t top;			/* pages that were ever used */
	uint32_t writable;
	uint32_t in_use;		/* pages of runs that are not free */
	uint32_t touched;		/* free pages that may be resident */
	uint32_t oldest, newest;	/* free runs that have such */
	uint64_t filled[(BINS + 63) / 64];	/* bins that are not empty */
	uint32_t bins[BINS];
	uint32_t partial[CLASSES];	/* spans with free objects */
	long loose;			/* bytes of free objects, but for pages given back */
	long loose_left;		/* the least since such pages were looked for */
};

extern struct heap heaps[HEAP_KINDS];

/* All heaps: the range of addresses that is reserved, and of its pages. */
extern char *heaps_base;
extern struct page *heaps_pages;
extern size_t heap_bytes;		/* of each: a power of two */
extern unsigned int heap_shift;

/**
 * heaps_init() - reserve the addresses of the heaps
 *
 * Called once. Return: false: there is no room for them.
 */
bool heaps_init(void);

static inline char *page_address(const struct heap *heap, uint32_t page)
{
	return heap->base + page * PAGE;
}

static inline uint32_t page_of(const struct heap *heap, const void *memory)
{
	return ((const char *)memory - heap->base) >> PAGE_SHIFT;
}

/*
 * Of a first page. Whose a run is changes its state without the lock, but never from
 * or to FREE, which is what those who hold the lock ask about.
 */
static inline enum page_state page_state(const struct page *page)
{
	return __atomic_load_n(&page->state, __ATOMIC_RELAXED);
}

static inline void page_set_state(struct page *page, enum page_state state)
{
	__atomic_store_n(&page->state, state, __ATOMIC_RELAXED);
}

void run_list_add(struct heap *heap, uint32_t *list, uint32_t first);
void run_list_del(struct heap *heap, uint32_t *list, uint32_t first);

/*
 * The rest is called with the lock of the heap held.
 *
 * run_alloc() - take pages
 * @zeroed: whether all of them are zero
 *
 * Return: the first page, whose state and class the caller sets, or NONE.
 */
uint32_t run_alloc(struct heap *heap, uint32_t length, bool *zeroed);

/* All of its first @touched pages may be resident. */
void run_free(struct heap *heap, uint32_t first, uint32_t touched);

/* Free pages at the end of a run, of which the first may be resident. */
void run_trim(struct heap *heap, uint32_t first, uint32_t length, uint32_t touched);

/* Make a run longer, if what follows is free. */
bool run_extend(struct heap *heap, uint32_t first, uint32_t length);

/* Make memory zero, and have it take none. */
void pages_clear(char *memory, size_t bytes);

#pragma GCC visibility pop

#endif
