/* SPDX-License-Identifier: GPL-2.0-only */
/* Spans of pages, which small objects of one size share. */
#ifndef VIP_SPANS_H
#define VIP_SPANS_H

#include "runs.h"

#pragma GCC visibility push(hidden)

/**
 * struct class - of objects that share spans
 * @bytes: of an object
 * @inverse: 2^32 / @bytes, rounded up
 * @objects: in a span
 * @pages: of a span
 */
struct class {
	uint32_t bytes;
	uint32_t inverse;
	uint16_t objects;
	uint16_t pages;
};

extern struct class heap_classes[SMALL_CLASSES];

/* The number of an object in its span; false: memory is not the first byte of one. */
static inline bool span_is_object(const struct page *page, const void *memory, unsigned int *object)
{
	const struct class *class = &heap_classes[page->class];
	uint64_t inside = (size_t)page->offset << PAGE_SHIFT | ((uintptr_t)memory & (PAGE - 1));

	*object = inside * class->inverse >> 32;
	return *object * class->bytes == inside && *object < class->objects;
}

/* Ends the program: it frees what is not allocated. */
void __attribute__((noreturn)) spans_die(void);

/* Called once, before all others. */
void spans_init(void);

/*
 * These are called with the lock of the heap held. How many objects of a class were
 * taken; and one that is put back.
 */
unsigned int spans_take(struct heap *heap, unsigned int number, void **objects,
			unsigned int wanted);
void spans_put(struct heap *heap, void *memory);

#pragma GCC visibility pop

#endif
