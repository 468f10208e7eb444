// SPDX-License-Identifier: GPL-2.0-only
/*
 * The allocator behind a shared libvip, which stands before it, or before which
 * it stands itself: next.h. dlsym() may allocate: what it then gets is never freed.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "next.h"

static struct {
	void *(*malloc)(size_t bytes);
	void *(*calloc)(size_t count, size_t bytes);
	void *(*realloc)(void *memory, size_t bytes);
	int (*posix_memalign)(void **memory, size_t alignment, size_t bytes);
	void (*free)(void *memory);
	size_t (*usable_size)(void *memory);
	size_t (*program_usable_size)(void *memory);	/* as the program calls it, */
	const char *program_free;			/* and whose free() it calls */
} next;

static __thread bool looking __attribute__((tls_model("initial-exec")));
static char early[8192] __attribute__((aligned(16)));
static size_t early_used;

static void *early_alloc(size_t bytes)
{
	size_t at = __atomic_fetch_add(&early_used, (bytes + 15) & ~15UL,
				       __ATOMIC_RELAXED);

	if (bytes <= sizeof(early) && at <= sizeof(early) - bytes)
		return early + at;
	errno = ENOMEM;
	return NULL;
}

static bool is_early(const void *memory)
{
	return (uintptr_t)memory - (uintptr_t)early < sizeof(early);
}

static const void *start_of(const void *address)
{
	Dl_info info;

	return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Both libraries may be there: the preloaded one stands before the other. */
static bool is_of_libvip(const void *function)
{
	const void *start = start_of(function);

	return start == start_of(&next) || start == start_of(dlsym(RTLD_DEFAULT, "vip_malloc"));
}

/*
 * What the program itself calls, unless that is libvip's: before it there is, for
 * one, AddressSanitizer. If libvip was opened by dlopen(), nothing is behind it.
 */
static void *find(const char *name)
{
	void *first = dlsym(RTLD_DEFAULT, name);

	return first && !is_of_libvip(first) ? first : dlsym(RTLD_NEXT, name);
}

/* A file's name, or NULL: libvip's. */
static const char *whose_free(void)
{
	void *first = dlsym(RTLD_DEFAULT, "free");
	Dl_info info;

	return first && !is_of_libvip(first) && dladdr(first, &info) ? info.dli_fname : NULL;
}

static void look(void)
{
	looking = true;
	next.program_free = whose_free();
	next.program_usable_size = dlsym(RTLD_DEFAULT, "malloc_usable_size");
	next.calloc = find("calloc");
	next.realloc = find("realloc");
	next.posix_memalign = find("posix_memalign");
	next.free = find("free");
	next.usable_size = find("malloc_usable_size");
	__atomic_store_n(&next.malloc, find("malloc"), __ATOMIC_RELEASE);
	looking = false;
}

/* False while it is looked for by this thread. */
static bool found(void)
{
	if (__atomic_load_n(&next.malloc, __ATOMIC_ACQUIRE))
		return true;
	if (looking)
		return false;
	look();
	return true;
}

void *next_malloc(size_t bytes)
{
	return found() ? next.malloc(bytes) : early_alloc(bytes);
}

void *next_calloc(size_t count, size_t bytes)
{
	return found() ? next.calloc(count, bytes) : early_alloc(count * bytes);
}

void *next_realloc(void *memory, size_t bytes)
{
	if (!found() || is_early(memory))
		return NULL;
	return next.realloc(memory, bytes);
}

int next_posix_memalign(void **memory, size_t alignment, size_t bytes)
{
	return found() ? next.posix_memalign(memory, alignment, bytes) : ENOMEM;
}

void next_free(void *memory)
{
	if (!is_early(memory) && found())
		next.free(memory);
}

size_t next_usable_size(void *memory)
{
	return found() && !is_early(memory) ? next.usable_size(memory) : 0;
}

const char *next_other(void)
{
	return found() ? next.program_free : NULL;
}

bool next_says(void *memory, size_t usable)
{
	return found() && next.program_usable_size(memory) == usable;
}
