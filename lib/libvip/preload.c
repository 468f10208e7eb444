// SPDX-License-Identifier: GPL-2.0-only
/*
 * libvip-preload.so: the memory of a whole program, which knows nothing of
 * libvip, gets the flags that the environment names.
 *
 * VIP_FLAGS	read or write, low or high, with commas between them
 * VIP_MIN_BYTES	only of allocations of at least so many bytes; without it,
 *		of all memory of the process, its stack and data among it
 *
 * Where the module is not loaded, and with a mistake in one of them, which is
 * told, the program runs as it would without.
 */
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "heap.h"
#include "next.h"
#include "vip.h"

#define VIP_PUBLIC __attribute__((visibility("default")))

/* Allocations of fewer bytes are left alone; until it is known, all are. */
static size_t min_bytes = SIZE_MAX;
static size_t flags;
static unsigned int kind;		/* the heap of these flags */

static bool add_flag(const char *word, size_t length)
{
	static const struct {
		const char *name;
		size_t flag;
	} names[] = {
		{ "read", _VIP_TYP_READ }, { "write", _VIP_TYP_WRITE },
		{ "low", _VIP_UTIL_LO }, { "high", _VIP_UTIL_HI },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == length &&
		    !memcmp(names[i].name, word, length)) {
			flags |= names[i].flag;
			return true;
		}
	return false;
}

static bool parse_flags(const char *text)
{
	size_t length;

	for (; text; text = text[length] ? text + length + 1 : NULL) {
		length = strcspn(text, ",");
		if (!add_flag(text, length))
			return false;
	}
	return true;
}

static bool parse_bytes(const char *text, size_t *bytes)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*bytes = strtoull(text, &end, 0);
	return !errno && !*end;
}

static void __attribute__((constructor)) configure(void)
{
	const char *names = getenv("VIP_FLAGS"), *min = getenv("VIP_MIN_BYTES");
	struct vipzone_default others = {};
	size_t bytes = 0;

	if (!names)
		return;
	if (!parse_flags(names) || (min && !parse_bytes(min, &bytes))) {
		fprintf(stderr, "libvip-preload: VIP_FLAGS=%s%s%s: not understood\n",
			names, min ? " VIP_MIN_BYTES=" : "", min ?: "");
		return;
	}
	others.flags = flags;
	kind = heap_of_flags(flags);
	if (min)
		min_bytes = vip_has_heaps() ? bytes : SIZE_MAX;
	else
		device_tell(VIPZONE_SET_DEFAULT, &others);
}

VIP_PUBLIC void *malloc(size_t bytes)
{
	if (bytes < min_bytes)
		return next_malloc(bytes);
	return heap_alloc_kept(kind, bytes) ?: vip_malloc(bytes, flags);
}

VIP_PUBLIC void *calloc(size_t count, size_t bytes)
{
	size_t all;

	if (__builtin_mul_overflow(count, bytes, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return all < min_bytes ? next_calloc(count, bytes) :
				 vip_calloc(count, bytes, flags);
}

/* What grows beyond the limit moves, and what is moved stays. */
VIP_PUBLIC void *realloc(void *memory, size_t bytes)
{
	if (memory && (bytes < min_bytes || heap_owns(memory)))
		return vip_resize(memory, bytes);
	return memory ? vip_realloc(memory, bytes, flags) : malloc(bytes);
}

VIP_PUBLIC void *reallocarray(void *memory, size_t count, size_t bytes)
{
	if (!__builtin_mul_overflow(count, bytes, &bytes))
		return realloc(memory, bytes);
	errno = ENOMEM;
	return NULL;
}

/* Of at least a pointer's, a power of two. */
static int align(void **memory, size_t alignment, size_t bytes)
{
	int saved = errno, err = 0;
	void *aligned;

	if (bytes < min_bytes)
		return next_posix_memalign(memory, alignment, bytes);
	aligned = vip_aligned_alloc(alignment, bytes, flags);
	if (aligned)
		*memory = aligned;
	else
		err = errno;
	errno = saved;
	return err;
}

VIP_PUBLIC int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
	if (alignment % sizeof(void *) || !alignment || alignment & (alignment - 1))
		return EINVAL;
	return align(memory, alignment, bytes);
}

/* As in the C library, any number means the next power of two. */
VIP_PUBLIC void *memalign(size_t alignment, size_t bytes)
{
	size_t power = sizeof(void *);
	void *memory;
	int err = EINVAL;

	while (power && power < alignment)
		power *= 2;
	if (power)
		err = align(&memory, power, bytes);
	if (!err)
		return memory;
	errno = err;
	return NULL;
}

VIP_PUBLIC void *aligned_alloc(size_t alignment, size_t bytes)
{
	return memalign(alignment, bytes);
}

VIP_PUBLIC void *valloc(size_t bytes)
{
	return memalign(PAGE, bytes);
}

VIP_PUBLIC void *pvalloc(size_t bytes)
{
	if (!__builtin_add_overflow(bytes, PAGE - 1, &bytes))
		return memalign(PAGE, bytes & -PAGE);
	errno = ENOMEM;
	return NULL;
}

VIP_PUBLIC void free(void *memory)
{
	if (heap_owns(memory))
		heap_free(memory);
	else
		next_free(memory);
}

VIP_PUBLIC size_t malloc_usable_size(void *memory)
{
	return vip_usable_size(memory);
}
