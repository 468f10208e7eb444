/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The heaps of libvip: one for each combination of flags, in a range of
 * addresses of its own, so that a range is tagged once, and the address of
 * memory tells whose it is.
 */
#ifndef VIP_HEAP_H
#define VIP_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEAP_KINDS	4

/* All heaps: the range of addresses that is reserved. Set by heaps_init(). */
extern char *heaps_base;
extern size_t heap_bytes;		/* of each */

/**
 * heaps_init() - reserve the addresses of the heaps
 *
 * Called once. Return: false: there is no room for them.
 */
bool heaps_init(void);

/* Around fork(). */
void heaps_lock(void);
void heaps_unlock(void);

/* Whether memory came from heap_alloc(). */
static inline bool heap_owns(const void *memory)
{
	return (uintptr_t)memory - (uintptr_t)heaps_base <
	       HEAP_KINDS * heap_bytes;
}

/* Of which heap. */
static inline unsigned int heap_of(const void *memory)
{
	return ((uintptr_t)memory - (uintptr_t)heaps_base) / heap_bytes;
}

/**
 * heap_alloc() - allocate from a heap
 * @kind: its number
 * @bytes: how many
 * @alignment: a power of two
 *
 * Return: memory, or NULL: there is none, or the alignment is too large.
 */
void *heap_alloc(unsigned int kind, size_t bytes, size_t alignment);

/* Memory of heap_alloc(); anything else in a heap ends the program. */
void heap_free(void *memory);

/* How many bytes may be used. */
size_t heap_usable(const void *memory);

/* Whether heap_alloc() of so many bytes hands out memory that is cleared. */
bool heap_clears(size_t bytes);

#endif
