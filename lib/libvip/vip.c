// SPDX-License-Identifier: GPL-2.0-only
/* libvip's functions: vip.h. */
#include "vip.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap.h"
#include "next.h"

#define PAGE	4096UL		/* of x86-64, where the modules run */

/* One heap for each combination of flags. */
#define FLAGS_OF(kind)	((kind) * _VIP_TYP_WRITE)
#define KIND_OF(flags)	((flags) / _VIP_TYP_WRITE)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool available;

/* The device is not kept open: that would keep the module from being unloaded. */
int vip_tell(unsigned long request, void *argument)
{
	int device = open("/dev/vipzone", O_RDWR | O_CLOEXEC);
	int err, saved;

	if (device < 0)
		return -1;
	err = ioctl(device, request, argument);
	saved = errno;
	close(device);
	errno = saved;
	return err;
}

static void set_up(void)
{
	int kind;

	if (access("/dev/vipzone", R_OK | W_OK) || !heaps_init())
		return;
	for (kind = 0; kind < HEAP_KINDS; kind++)
		if (vip_tag(heaps_base + kind * heap_bytes, heap_bytes,
			    FLAGS_OF(kind)))
			return;
	available = true;
}

/* Before there are threads: what it calls may allocate. */
static void __attribute__((constructor)) survive_forks(void)
{
	pthread_atfork(heaps_lock, heaps_unlock, heaps_unlock);
}

static bool are_flags(size_t flags)
{
	if (!(flags & ~(size_t)_VIP_MASK))
		return true;
	errno = EINVAL;
	return false;
}

/* From the heap of these flags; NULL: it has to come from malloc(). */
static void *place(size_t bytes, size_t alignment, size_t flags)
{
	int saved = errno;
	void *memory;

	pthread_once(&once, set_up);
	memory = available ? heap_alloc(KIND_OF(flags), bytes, alignment) :
			     NULL;
	errno = saved;
	return memory;
}

void *vip_malloc(size_t bytes, size_t vip_flags)
{
	if (!are_flags(vip_flags))
		return NULL;
	return place(bytes, 1, vip_flags) ?: next_malloc(bytes);
}

void *vip_calloc(size_t count, size_t bytes, size_t vip_flags)
{
	void *memory;

	if (!are_flags(vip_flags))
		return NULL;
	if (__builtin_mul_overflow(count, bytes, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	memory = place(bytes, 1, vip_flags);
	if (!memory)
		return next_calloc(1, bytes);
	return heap_clears(bytes) ? memory : memset(memory, 0, bytes);
}

void *vip_aligned_alloc(size_t alignment, size_t bytes, size_t vip_flags)
{
	void *memory;
	int err;

	if (!are_flags(vip_flags))
		return NULL;
	if (!alignment || alignment & (alignment - 1)) {
		errno = EINVAL;
		return NULL;
	}
	memory = place(bytes, alignment, vip_flags);
	if (memory)
		return memory;
	if (alignment < sizeof(void *))
		alignment = sizeof(void *);
	err = next_posix_memalign(&memory, alignment, bytes);
	if (!err)
		return memory;
	errno = err;
	return NULL;
}

void vip_free(void *memory)
{
	if (heap_owns(memory))
		heap_free(memory);
	else
		next_free(memory);
}

size_t vip_usable_size(void *memory)
{
	if (!memory)
		return 0;
	return heap_owns(memory) ? heap_usable(memory) :
				   next_usable_size(memory);
}

static void *move(void *memory, size_t bytes, size_t flags)
{
	size_t usable = vip_usable_size(memory);
	void *moved = vip_malloc(bytes, flags);

	if (!moved)
		return NULL;
	memcpy(moved, memory, usable < bytes ? usable : bytes);
	vip_free(memory);
	return moved;
}

/* It may stay where it is, and wastes no more than half. */
static bool fits(const void *memory, size_t bytes)
{
	size_t usable = heap_usable(memory);

	return bytes <= usable && bytes >= usable / 2;
}

void *vip_realloc(void *memory, size_t bytes, size_t vip_flags)
{
	if (!memory)
		return vip_malloc(bytes, vip_flags);
	if (!are_flags(vip_flags))
		return NULL;
	if (!bytes) {
		vip_free(memory);
		return NULL;
	}
	if (heap_owns(memory) && heap_of(memory) == KIND_OF(vip_flags) &&
	    fits(memory, bytes))
		return memory;
	return move(memory, bytes, vip_flags);
}

void *vip_resize(void *memory, size_t bytes)
{
	if (!memory || !heap_owns(memory))
		return next_realloc(memory, bytes);
	return vip_realloc(memory, bytes, FLAGS_OF(heap_of(memory)));
}

int vip_tag(const void *addr, size_t len, size_t vip_flags)
{
	uintptr_t start = (uintptr_t)addr & ~(PAGE - 1);
	uintptr_t end = ((uintptr_t)addr + len + PAGE - 1) & ~(PAGE - 1);
	struct vipzone_range range = {
		.start = start,
		.length = end - start,
		.flags = vip_flags,
	};

	if (!are_flags(vip_flags))
		return -1;
	return vip_tell(VIPZONE_TAG, &range);
}

void *vip_mmap(void *addr, size_t len, int prot, int flags, int fd,
	       off_t offset)
{
	void *memory = mmap(addr, len, prot & ~_VIP_MASK, flags, fd, offset);
	int saved = errno;

	/* It is a hint: the mapping is as good without it. */
	if (memory != MAP_FAILED)
		vip_tag(memory, len, prot & _VIP_MASK);
	errno = saved;
	return memory;
}

int vip_munmap(void *addr, size_t len)
{
	return munmap(addr, len);
}

int salloc_policy(const char *policy)
{
	struct vipzone_choice choice = {};

	if (policy && strlen(policy) >= sizeof(choice.policy)) {
		errno = E2BIG;
		return -1;
	}
	if (policy)
		strcpy(choice.policy, policy);
	return vip_tell(VIPZONE_CHOOSE, &choice);
}
