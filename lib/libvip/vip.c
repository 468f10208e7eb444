// SPDX-License-Identifier: GPL-2.0-only
/* libvip's functions: vip.h. */
#include "vip.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device.h"
#include "heap.h"
#include "next.h"

/* One heap for each combination of flags. */
#define FLAGS_OF(kind)	((kind) * _VIP_TYP_WRITE)

static pthread_mutex_t set_up_lock = PTHREAD_MUTEX_INITIALIZER;
static enum { UNKNOWN, NO, YES } available;
static THREAD_LOCAL bool has_set_up_lock;	/* this thread, and may allocate */

static void retag(void *memory, size_t bytes)
{
	vip_tag(memory, bytes, FLAGS_OF(heap_of(memory)));
}

static void refuse(const char *why, const char *who)
{
	dprintf(STDERR_FILENO, "libvip: %s%s: memory gets no flags\n", why, who);
}

/*
 * Whether free(), as the program calls it, takes memory of the heaps: another
 * allocator may stand first, and Valgrind replaces functions where they are.
 */
static bool is_freed(void)
{
	const char *other = next_other();
	void *memory;
	bool knows;

	if (other) {
		refuse("free() is that of ", other);
		return false;
	}
	/* Of which threads keep nothing. */
	memory = heap_alloc(0, CACHED + 1);
	knows = memory && next_says(memory, heap_usable(memory));
	if (memory)
		heap_free(memory);
	if (memory && !knows)
		refuse("malloc() is watched by another program", "");
	return knows;
}

static bool tag_heaps(void)
{
	int kind;

	for (kind = 0; kind < HEAP_KINDS; kind++)
		if (vip_tag(heaps_base + kind * heap_bytes, heap_bytes,
			    FLAGS_OF(kind)))
			return false;
	heap_retag = retag;
	return true;
}

static void set_up(void)
{
	bool are_heaps = device_exists() && heap_init() && is_freed() && tag_heaps();

	__atomic_store_n(&available, are_heaps ? YES : NO, __ATOMIC_RELEASE);
}

static void lock_set_up(void)
{
	pthread_mutex_lock(&set_up_lock);
	has_set_up_lock = true;
}

static void unlock_set_up(void)
{
	has_set_up_lock = false;
	pthread_mutex_unlock(&set_up_lock);
}

/* A child has one thread: another must be neither making the heaps nor in one of them. */
static void before_fork(void)
{
	lock_set_up();
	heap_lock_all();
}

static void after_fork(void)
{
	heap_unlock_all();
	unlock_set_up();
}

/* Before there are threads: what it calls may allocate. */
static void __attribute__((constructor)) survive_forks(void)
{
	pthread_atfork(before_fork, after_fork, after_fork);
}

static bool are_flags(size_t flags)
{
	if (!(flags & ~(size_t)_VIP_MASK))
		return true;
	errno = EINVAL;
	return false;
}

bool vip_has_heaps(void)
{
	int known = __atomic_load_n(&available, __ATOMIC_ACQUIRE), cancel;

	if (known != UNKNOWN || has_set_up_lock)
		return known == YES;
	/* The loader may wait for who forks, in a constructor: nobody asks it under the lock. */
	next_other();
	/* Who is cancelled would keep the lock. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	lock_set_up();
	if (available == UNKNOWN)
		set_up();
	unlock_set_up();
	pthread_setcancelstate(cancel, NULL);
	return available == YES;
}

/* From a heap, if this thread has none left; otherwise it has to come from malloc(). */
static void *place(unsigned int kind, size_t bytes)
{
	int saved = errno;
	void *memory = vip_has_heaps() ? heap_alloc(kind, bytes) : NULL;

	errno = saved;
	return memory ?: next_malloc(bytes);
}

void *vip_malloc(size_t bytes, size_t vip_flags)
{
	if (!are_flags(vip_flags))
		return NULL;
	return heap_alloc_kept(heap_of_flags(vip_flags), bytes) ?: place(heap_of_flags(vip_flags), bytes);
}

void *vip_calloc(size_t count, size_t bytes, size_t vip_flags)
{
	int saved = errno;
	void *memory;

	if (!are_flags(vip_flags))
		return NULL;
	if (__builtin_mul_overflow(count, bytes, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	memory = vip_has_heaps() ? heap_calloc(heap_of_flags(vip_flags), bytes) : NULL;
	errno = saved;
	return memory ?: next_calloc(1, bytes);
}

void *vip_aligned_alloc(size_t alignment, size_t bytes, size_t vip_flags)
{
	int saved = errno, err;
	void *memory;

	if (!are_flags(vip_flags))
		return NULL;
	if (!alignment || alignment & (alignment - 1)) {
		errno = EINVAL;
		return NULL;
	}
	memory = vip_has_heaps() ? heap_aligned_alloc(heap_of_flags(vip_flags), bytes, alignment) : NULL;
	errno = saved;
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
	void *moved = NULL;

	if (heap_owns(memory) && heap_of(memory) == heap_of_flags(flags) &&
	    bytes > usable && usable > SMALL)
		moved = heap_move(memory, bytes);
	if (moved)
		return moved;
	moved = vip_malloc(bytes, flags);
	if (!moved)
		return NULL;
	memcpy(moved, memory, usable < bytes ? usable : bytes);
	vip_free(memory);
	return moved;
}

void *vip_realloc(void *memory, size_t bytes, size_t vip_flags)
{
	int saved = errno;
	bool stays;

	if (!memory)
		return vip_malloc(bytes, vip_flags);
	if (!are_flags(vip_flags))
		return NULL;
	if (!bytes) {
		vip_free(memory);
		return NULL;
	}
	if (!heap_owns(memory))
		return vip_has_heaps() ? move(memory, bytes, vip_flags) : next_realloc(memory, bytes);
	stays = heap_of(memory) == heap_of_flags(vip_flags) && heap_resize(memory, bytes);
	errno = saved;
	return stays ? memory : move(memory, bytes, vip_flags);
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
	return device_tell(VIPZONE_TAG, &range);
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
	return device_tell(VIPZONE_CHOOSE, &choice);
}
