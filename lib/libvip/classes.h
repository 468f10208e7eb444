/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Size classes: 16 bytes apart up to 128, then eight for each doubling up to
 * 16 KiB, whose objects share spans of pages, and four up to 1 MiB, each a run
 * of pages of its own. Pages at the end of a run that nobody touches take no
 * memory, so that few classes do.
 */
#ifndef VIP_CLASSES_H
#define VIP_CLASSES_H

#include <stddef.h>
#include <stdint.h>

#define SMALL		16384UL		/* the largest object that shares a span */
#define CACHED		1048576UL	/* the largest that a thread keeps */
#define SMALL_CLASSES	64
#define CLASSES		88
#define NO_CLASS	255		/* of larger ones, and of those that have grown */

static inline unsigned int class_of(size_t bytes)
{
	unsigned int log;

	if (bytes <= 128)
		return bytes ? (bytes - 1) / 16 : 0;
	log = 63 - __builtin_clzl(bytes - 1);
	if (bytes <= SMALL)
		return 8 + (log - 7) * 8 + (((bytes - 1) >> (log - 3)) & 7);
	return SMALL_CLASSES + (log - 14) * 4 + (((bytes - 1) >> (log - 2)) & 3);
}

static inline size_t class_bytes(unsigned int class)
{
	size_t base;

	if (class < 8)
		return (class + 1) * 16;
	if (class < SMALL_CLASSES) {
		base = 128UL << (class - 8) / 8;
		return base + ((class - 8) % 8 + 1) * (base / 8);
	}
	base = SMALL << (class - SMALL_CLASSES) / 4;
	return base + ((class - SMALL_CLASSES) % 4 + 1) * (base / 4);
}

#endif
