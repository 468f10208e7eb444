// SPDX-License-Identifier: GPL-2.0-only
/*
 * Strips by words, for contexts and processors without vectors, and by vectors
 * of 32 and 64 bytes. The kernel is built without vectors: what uses them is
 * compiled for them here, and called with the FPU taken.
 */

#include <linux/compiler.h>
#include <linux/errno.h>	/* which 5.10's next one needs */
#include <asm/special_insns.h>

#include "march/mcsafe.h"
#include "march/strip.h"

/* What is between these is compiled for vectors of a kind. */
#define PRAGMA(text)		_Pragma(#text)
#ifdef __clang__
#define VECTORS_BEGIN(kind)	\
	PRAGMA(clang attribute push(__attribute__((target(kind))), apply_to = function))
#define VECTORS_END		PRAGMA(clang attribute pop)
#else
#define VECTORS_BEGIN(kind)	PRAGMA(GCC push_options) PRAGMA(GCC target(kind))
#define VECTORS_END		PRAGMA(GCC pop_options)
#endif

typedef u64 vector_words;

static __always_inline void store_words(vector_words *to, vector_words value)
{
	asm volatile("movq %1, %0" : "=m" (*to) : "r" (value));
}

static __always_inline void stream_words(vector_words *to, vector_words value)
{
	asm volatile("movnti %1, %0" : "=m" (*to) : "r" (value));
}

static __always_inline bool any_bit_words(vector_words value)
{
	return value;
}

#define STRIP words
#include "march/strip_loop.h"

VECTORS_BEGIN("avx2")

typedef u64 vector_avx2 __attribute__((vector_size(32), may_alias));

static __always_inline void store_avx2(vector_avx2 *to, vector_avx2 value)
{
	asm volatile("vmovdqa %1, %0" : "=m" (*to) : "x" (value));
}

static __always_inline void stream_avx2(vector_avx2 *to, vector_avx2 value)
{
	asm volatile("vmovntdq %1, %0" : "=m" (*to) : "x" (value));
}

static __always_inline bool any_bit_avx2(vector_avx2 value)
{
	bool none;

	asm("vptest %1, %1" : "=@ccz" (none) : "x" (value));
	return !none;
}

#define STRIP avx2
#include "march/strip_loop.h"

VECTORS_END

VECTORS_BEGIN("avx512f")

typedef u64 vector_avx512 __attribute__((vector_size(64), may_alias));

static __always_inline void store_avx512(vector_avx512 *to,
					 vector_avx512 value)
{
	asm volatile("vmovdqa64 %1, %0" : "=m" (*to) : "v" (value));
}

static __always_inline void stream_avx512(vector_avx512 *to,
					  vector_avx512 value)
{
	asm volatile("vmovntdq %1, %0" : "=m" (*to) : "v" (value));
}

static __always_inline bool any_bit_avx512(vector_avx512 value)
{
	bool none;

	asm("vptestmq %1, %1, %%k1\n\t"
	    "kortestw %%k1, %%k1" : "=@ccz" (none) : "v" (value) : "k1");
	return !none;
}

#define STRIP avx512
#include "march/strip_loop.h"

VECTORS_END
