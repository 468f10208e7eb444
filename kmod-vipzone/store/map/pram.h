/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the store writes to PRAM: by stores that go round the cache, and a fence
 * that waits until they are durable. Nothing is ever left in a cache, so that
 * there is nothing to flush; an aligned store of 8 bytes is never torn. And how
 * it reads what it can do without: so that memory gone bad is an error.
 */
#ifndef VSTORE_PRAM_H
#define VSTORE_PRAM_H

#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <asm/barrier.h>

static inline void vstore_pram_copy(void *to, const void *from, size_t size)
{
	memcpy_flushcache(to, from, size);
}

/* 0, or how much could not be read: a machine check there, without this, is the end. */
static inline unsigned long vstore_pram_read(void *to, const void *from, size_t size)
{
	return copy_mc_to_kernel(to, from, size);
}

/* One aligned word: the old one or the new one is there, whatever happens. */
static inline void vstore_pram_set(u64 *to, u64 value)
{
	memcpy_flushcache(to, &value, sizeof(value));
}

/* What was written before is durable before anything that is written after. */
static inline void vstore_pram_fence(void)
{
	wmb();	/* sfence: all that is on its way is durable */
}

#endif
