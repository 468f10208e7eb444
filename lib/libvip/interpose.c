// SPDX-License-Identifier: GPL-2.0-only
/*
 * free(), realloc() and their like for memory of libvip as well: a program that
 * is linked with libvip, or runs with it preloaded, finds these first.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include "next.h"
#include "vip.h"

#define VIP_PUBLIC __attribute__((visibility("default")))

VIP_PUBLIC void free(void *memory)
{
	vip_free(memory);
}

VIP_PUBLIC void *realloc(void *memory, size_t bytes)
{
	return vip_resize(memory, bytes);
}

VIP_PUBLIC void *reallocarray(void *memory, size_t count, size_t bytes)
{
	if (!__builtin_mul_overflow(count, bytes, &bytes))
		return vip_resize(memory, bytes);
	errno = ENOMEM;
	return NULL;
}

VIP_PUBLIC size_t malloc_usable_size(void *memory)
{
	return vip_usable_size(memory);
}
