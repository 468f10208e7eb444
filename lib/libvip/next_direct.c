// SPDX-License-Identifier: GPL-2.0-only
/* The allocator of programs that libvip is a static part of: next.h. */
#include <malloc.h>
#include <stdlib.h>

#include "next.h"

void *next_malloc(size_t bytes)
{
	return malloc(bytes);
}

void *next_calloc(size_t count, size_t bytes)
{
	return calloc(count, bytes);
}

void *next_realloc(void *memory, size_t bytes)
{
	return realloc(memory, bytes);
}

int next_posix_memalign(void **memory, size_t alignment, size_t bytes)
{
	return posix_memalign(memory, alignment, bytes);
}

void next_free(void *memory)
{
	free(memory);
}

size_t next_usable_size(void *memory)
{
	return malloc_usable_size(memory);
}

/* Such a program frees memory of libvip by vip_free() only. */
const char *next_other(void)
{
	return NULL;
}

bool next_says(void *memory, size_t usable)
{
	(void)memory;
	(void)usable;
	return true;
}
