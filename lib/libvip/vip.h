/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libvip: memory that says how it is used (ViPZonE, section 3.3).
 *
 * What is allocated here tells the vipzone module whether it is more read or
 * more written, and how much it is used. Where it lies is decided by the policy
 * that the administrator has set; where the module is not loaded, these are
 * malloc() and mmap(). All functions may be called by several threads; see
 * vip_malloc(3), vip_mmap(3) and salloc_policy(3).
 */
#ifndef VIP_H
#define VIP_H

#include <stddef.h>
#include <sys/types.h>

#include <memsuite/vipzone.h>	/* _VIP_TYP_*, _VIP_UTIL_*, _VIP_*_UTIL */

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/**
 * vip_malloc() - allocate memory
 * @bytes: how many
 * @vip_flags: _VIP_TYP_* | _VIP_UTIL_*
 *
 * free(), realloc() and malloc_usable_size() take it too, in programs that are
 * linked with the shared library.
 *
 * Return: memory that is aligned as malloc()'s, or NULL with errno: ENOMEM, or
 * EINVAL for unknown flags.
 */
void *vip_malloc(size_t bytes, size_t vip_flags);

/* The same of an array of @count elements, cleared. */
void *vip_calloc(size_t count, size_t bytes, size_t vip_flags);

/* The same at a multiple of @alignment, a power of two. */
void *vip_aligned_alloc(size_t alignment, size_t bytes, size_t vip_flags);

/**
 * vip_realloc() - change the size, or the flags, of memory
 * @memory: of vip_malloc() or malloc(), or NULL
 * @bytes: new size; 0 frees it
 * @vip_flags: as for vip_malloc()
 *
 * Return: as vip_malloc(); with NULL, @memory is as it was, unless @bytes is 0.
 */
void *vip_realloc(void *memory, size_t bytes, size_t vip_flags);

/* Frees memory of vip_malloc() or malloc(). */
void vip_free(void *memory);

/**
 * vip_mmap() - map memory or a file
 * @addr: as for mmap(2)
 * @len: bytes
 * @prot: PROT_* | _VIP_TYP_* | _VIP_UTIL_*
 * @flags: as for mmap(2)
 * @fd: as for mmap(2)
 * @offset: as for mmap(2)
 *
 * Return: as mmap(2). munmap() and mremap() take it too; what mremap() adds at
 * the end has no flags.
 */
void *vip_mmap(void *addr, size_t len, int prot, int flags, int fd,
	       off_t offset);

int vip_munmap(void *addr, size_t len);

/**
 * vip_tag() - tell how memory that is there already is used
 * @addr: first byte
 * @len: bytes; all pages that it lies in are meant
 * @vip_flags: _VIP_TYP_* | _VIP_UTIL_*
 *
 * Pages that have been touched stay where they are.
 *
 * Return: 0, or -1 with errno: ENOENT or ENODEV (the module is not loaded),
 * EINVAL, ENOMEM (not mapped), ENOSPC (too many ranges).
 */
int vip_tag(const void *addr, size_t len, size_t vip_flags);

/**
 * salloc_policy() - ask for regions for segments of this program
 * @policy: "SEGMENT=REGION[+REGION...][,...]", of text, data, bss, brk, stack,
 *	mmap, shared, file, cache, heap for brk and mmap, and * for all others; NULL takes back what
 *	was asked. "REGION=WEIGHT+REGION=WEIGHT[+...]", with weights from 1 to 255, shares the pages out
 *
 * Inherited by children and kept by exec, unless exec gains privileges (set-uid);
 * hybrid PRAM, section 3.2.
 *
 * Return: 0, or -1 with errno: EPERM (the administrator's policy for this
 * process does not let programs choose, or not that region), EINVAL, E2BIG, ERANGE (of a weight),
 * ENOENT or ENODEV (the module is not loaded), ENOMEM.
 */
int salloc_policy(const char *policy);

#pragma GCC visibility pop

/*
 * Static data by use: VIP_DATA_WRITE_HIGH int table[1 << 20]; and once in the
 * program or library, at file level, VIP_TAG_STATIC_DATA; which tags all of it
 * before main(). What shares a page with it is tagged too.
 */
#define VIP_DATA_READ_LOW	__attribute__((section("vip_read_low")))
#define VIP_DATA_WRITE_LOW	__attribute__((section("vip_write_low")))
#define VIP_DATA_READ_HIGH	__attribute__((section("vip_read_high")))
#define VIP_DATA_WRITE_HIGH	__attribute__((section("vip_write_high")))

#define VIP_SECTION_(name, flags) do {					\
	extern char __start_##name[] __attribute__((weak, visibility("hidden"))); \
	extern char __stop_##name[] __attribute__((weak, visibility("hidden"))); \
									\
	size_t bytes_ = (size_t)(__stop_##name - __start_##name);	\
									\
	if (bytes_)							\
		vip_tag(__start_##name, bytes_, flags);			\
} while (0)

#define VIP_TAG_STATIC_DATA						\
static void __attribute__((constructor)) vip_tag_static_data_(void)	\
{									\
	VIP_SECTION_(vip_read_low, _VIP_TYP_READ | _VIP_UTIL_LO);	\
	VIP_SECTION_(vip_write_low, _VIP_TYP_WRITE | _VIP_UTIL_LO);	\
	VIP_SECTION_(vip_read_high, _VIP_TYP_READ | _VIP_UTIL_HI);	\
	VIP_SECTION_(vip_write_high, _VIP_TYP_WRITE | _VIP_UTIL_HI);	\
}									\
extern int vip_tag_static_data_end_

#ifdef __cplusplus
}
#endif

#endif
