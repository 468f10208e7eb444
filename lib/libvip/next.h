/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The allocator that a program has without libvip: that of the C library, or
 * another which it is linked with, or which is preloaded.
 */
#ifndef VIP_NEXT_H
#define VIP_NEXT_H

#include <stdbool.h>
#include <stddef.h>

void *next_malloc(size_t bytes);
void *next_calloc(size_t count, size_t bytes);
void *next_realloc(void *memory, size_t bytes);
int next_posix_memalign(void **memory, size_t alignment, size_t bytes);
void next_free(void *memory);
size_t next_usable_size(void *memory);

/* Whose free() the program calls, if it is not libvip's: a file's name, or NULL. */
const char *next_other(void);

/* Whether malloc_usable_size(), as the program calls it, says this of memory. */
bool next_says(void *memory, size_t usable);

/* vip.c, for the functions that take the place of the allocator's. */
void *vip_resize(void *memory, size_t bytes);
size_t vip_usable_size(void *memory);

/* Whether memory comes from the heaps; if it does not, why is told, once. */
bool vip_has_heaps(void);

#endif
