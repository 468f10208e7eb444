/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What pure logic of the kernel needs, for user space. The other headers here
 * include this one, so that a file builds whichever of them it asks for.
 */
#ifndef HOST_LINUX_KERNEL_H
#define HOST_LINUX_KERNEL_H

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As in the kernel, 64 bits are long long: its formats and macros count on it. */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;
typedef u32 __u32;
typedef u64 __u64;
typedef u64 phys_addr_t;
typedef unsigned int gfp_t;

#define U8_MAX		((u8)~0U)
#define U16_MAX		((u16)~0U)
#define U32_MAX		((u32)~0U)
#define U64_MAX		((u64)~0ULL)
#define S32_MAX		((s32)(U32_MAX >> 1))
#define S64_MAX		((s64)(U64_MAX >> 1))
#define PHYS_ADDR_MAX	(~(phys_addr_t)0)

#define PAGE_SHIFT	12
#define PAGE_SIZE	(1UL << PAGE_SHIFT)
#define PAGE_MASK	(~(PAGE_SIZE - 1))
#define BITS_PER_LONG	64
#define BIT(n)		(1UL << (n))
#define BIT_ULL(n)	(1ULL << (n))
#define GENMASK_ULL(h, l)	((~0ULL << (l)) & (~0ULL >> (63 - (h))))
#define GENMASK(h, l)	((~0UL << (l)) & (~0UL >> (63 - (h))))
#define SZ_4K		0x1000
#define SZ_64K		0x10000
#define SZ_1M		0x100000
#define SZ_2M		0x200000
#define SZ_1G		0x40000000
#define NSEC_PER_USEC	1000L
#define NSEC_PER_MSEC	1000000L
#define MSEC_PER_SEC	1000L
#define USEC_PER_MSEC	1000L
#define USEC_PER_SEC	1000000L
#define NSEC_PER_SEC	1000000000L


#ifndef __always_inline
#define __always_inline	inline __attribute__((always_inline))
#endif
#define noinline	__attribute__((noinline))
#define __maybe_unused	__attribute__((unused))
#define __must_check	__attribute__((warn_unused_result))
#define __printf(a, b)	__attribute__((format(printf, a, b)))
#define __aligned(n)	__attribute__((aligned(n)))
#define __packed	__attribute__((packed))
#define __init
#define __exit
#define __user
#define __iomem
#define fallthrough	__attribute__((fallthrough))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define barrier()	__asm__ volatile("" : : : "memory")
#define READ_ONCE(x)	(*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile typeof(x) *)&(x) = (v))
#define EXPORT_SYMBOL_GPL(symbol)
#define EXPORT_SYMBOL(symbol)
#define IS_ENABLED(option)	0

#define min(a, b) ({ typeof(a) a_ = (a); typeof(b) b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b) ({ typeof(a) a_ = (a); typeof(b) b_ = (b); a_ > b_ ? a_ : b_; })
#define min_t(t, a, b)	min((t)(a), (t)(b))
#define max_t(t, a, b)	max((t)(a), (t)(b))
#define clamp(v, lo, hi)	min(max(v, lo), hi)
#define clamp_t(t, v, lo, hi)	clamp((t)(v), (t)(lo), (t)(hi))
#define swap(a, b) ({ typeof(a) t_ = (a); (a) = (b); (b) = t_; })
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define container_of(p, t, m)	((t *)((char *)(p) - offsetof(t, m)))
#define struct_size(p, m, n)	(sizeof(*(p)) + sizeof(*(p)->m) * (n))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define DIV_ROUND_UP_ULL(n, d)	DIV_ROUND_UP((u64)(n), d)
#define round_up(x, y)		((((x) - 1) | ((typeof(x))(y) - 1)) + 1)
#define round_down(x, y)	((x) & ~((typeof(x))(y) - 1))
#define ALIGN(x, a)		round_up(x, a)
#define ALIGN_DOWN(x, a)	round_down(x, a)
#define IS_ALIGNED(x, a)	(((x) & ((typeof(x))(a) - 1)) == 0)
#define is_power_of_2(n)	((n) && !((n) & ((n) - 1)))
#define hweight8(x)		((unsigned int)__builtin_popcount((u8)(x)))
#define hweight32(x)		((unsigned int)__builtin_popcount(x))
#define hweight64(x)		((unsigned int)__builtin_popcountll(x))
#define div64_s64(a, b)		((s64)(a) / (s64)(b))
#define ilog2(x)		(63 - __builtin_clzll(x))
#define hweight_long(x)		hweight64(x)
#define BITS_TO_LONGS(n)	DIV_ROUND_UP(n, BITS_PER_LONG)
#define DECLARE_BITMAP(name, n)	unsigned long name[BITS_TO_LONGS(n)]
#define __ffs(x)		((unsigned long)__builtin_ctzl(x))
#define __fls(x)		((unsigned long)ilog2(x))
#define check_add_overflow(a, b, d) __builtin_add_overflow(a, b, d)
#define check_sub_overflow(a, b, d) __builtin_sub_overflow(a, b, d)
#define check_mul_overflow(a, b, d) __builtin_mul_overflow(a, b, d)

#define WARN_ON(c)	({ bool w_ = (c); if (w_) abort(); w_; })
#define WARN_ON_ONCE(c)	WARN_ON(c)
#define BUILD_BUG_ON(c)	_Static_assert(!(c), #c)
#define pr_err(...)	fprintf(stderr, __VA_ARGS__)
#define pr_warn(...)	fprintf(stderr, __VA_ARGS__)
#define pr_info(...)	fprintf(stderr, __VA_ARGS__)

#define GFP_KERNEL	0
#define GFP_NOWAIT	0
#define __GFP_ACCOUNT	0
#define __GFP_NOWARN	0
#define kmalloc(n, gfp)		malloc(n)
#define kzalloc(n, gfp)		calloc(1, n)
#define kcalloc(n, size, gfp)	calloc(n, size)
#define kmalloc_array(n, size, gfp) calloc(n, size)
#define kvcalloc(n, size, gfp)	calloc(n, size)
#define kfree(p)		free(p)
#define kvfree(p)		free(p)

#define cond_resched()	((void)0)
#define mb()		__asm__ volatile("mfence" : : : "memory")
#define wmb()		__asm__ volatile("sfence" : : : "memory")
#define rmb()		__asm__ volatile("lfence" : : : "memory")
#define smp_mb()	mb()

#define sort(base, n, size, cmp, swap)	qsort(base, n, size, cmp)

#define MAX_ERRNO	4095
#define ERR_PTR(err)	((void *)(long)(err))
#define PTR_ERR(p)	((long)(p))
#define IS_ERR(p)	((unsigned long)(p) >= (unsigned long)-MAX_ERRNO)

/*
 * The kernel's ctype.h: characters are Latin-1's. What is ASCII is as in the C
 * locale.
 */
static inline bool latin_is_letter(unsigned char c)
{
	return c >= 0xc0 && c != 0xd7 && c != 0xf7;
}

#undef isalpha
#undef isalnum
#undef isspace
#undef isprint
#define isalpha(c)	((isalpha)((unsigned char)(c)) || latin_is_letter(c))
#define isalnum(c)	((isalnum)((unsigned char)(c)) || latin_is_letter(c))
#define isspace(c)	((isspace)((unsigned char)(c)) || (unsigned char)(c) == 0xa0)
#define isprint(c)	((isprint)((unsigned char)(c)) || (unsigned char)(c) >= 0xa0)

static inline bool test_bit(unsigned long n, const unsigned long *map)
{
	return map[n / BITS_PER_LONG] >> n % BITS_PER_LONG & 1;
}

static inline void __set_bit(unsigned long n, unsigned long *map)
{
	map[n / BITS_PER_LONG] |= BIT(n % BITS_PER_LONG);
}

static inline u64 div_u64(u64 a, u32 b)
{
	return a / b;
}

static inline u64 div64_u64(u64 a, u64 b)
{
	return a / b;
}

static inline u64 mul_u64_u32_div(u64 a, u32 mul, u32 div)
{
	return (unsigned __int128)a * mul / div;
}

/* The kernel's traps where the quotient does not fit; so does this one. */
static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 div)
{
	unsigned __int128 q = (unsigned __int128)a * b / div;

	if (q >> 64)
		abort();
	return q;
}

static inline u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int shift)
{
	return (unsigned __int128)a * b >> shift;
}

static inline u32 int_sqrt64(u64 x)
{
	u64 root = 0, bit;

	for (bit = 1ULL << 31; bit; bit >>= 1)
		if ((root + bit) * (root + bit) <= x)
			root += bit;
	return root;
}

static inline int kstrtou64(const char *s, unsigned int base, u64 *res)
{
	const char *p = s + (*s == '+');
	char *end;

	if (!isxdigit((unsigned char)*p))
		return -EINVAL;
	errno = 0;
	if (base)
		*res = strtoull(p, &end, base);
	else
		*res = strtoull(p, &end, 0);
	if (errno == ERANGE)
		return -ERANGE;
	if (end == p || (*end && strcmp(end, "\n")))
		return -EINVAL;
	return 0;
}

static inline int kstrtouint(const char *s, unsigned int base, unsigned int *res)
{
	u64 v;
	int err = kstrtou64(s, base, &v);

	if (!err && v > UINT_MAX)
		err = -ERANGE;
	if (!err)
		*res = v;
	return err;
}

static inline int kstrtoint(const char *s, unsigned int base, int *res)
{
	bool negative = *s == '-';
	u64 v;
	int err = kstrtou64(s + negative, base, &v);

	if (!err && v > (u64)INT_MAX + negative)
		err = -ERANGE;
	if (!err)
		*res = negative ? -(s64)v : (s64)v;
	return err;
}

static inline char *skip_spaces(const char *s)
{
	while (isspace(*s))
		s++;
	return (char *)s;
}

static inline char *strim(char *s)
{
	size_t n = strlen(s);

	while (n && isspace(s[n - 1]))
		s[--n] = '\0';
	return skip_spaces(s);
}

static inline void *memchr_inv(const void *p, int c, size_t n)
{
	const unsigned char *at = p;

	for (; n; at++, n--)
		if (*at != (unsigned char)c)
			return (void *)at;
	return NULL;
}

static inline unsigned long copy_mc_to_kernel(void *to, const void *from, unsigned int n)
{
	memcpy(to, from, n);
	return 0;
}

static inline void memcpy_flushcache(void *to, const void *from, size_t n)
{
	memcpy(to, from, n);
}

static inline ssize_t strscpy(char *to, const char *from, size_t size)
{
	size_t n = strnlen(from, size);

	if (!size)
		return -E2BIG;
	if (n == size)
		n--;
	memcpy(to, from, n);
	to[n] = '\0';
	return from[n] ? -E2BIG : (ssize_t)n;
}

static inline int scnprintf_fit(int n, size_t size)
{
	return n < (int)size ? n : (int)size - 1;
}

#define scnprintf(buf, size, ...) \
	scnprintf_fit(snprintf(buf, size, __VA_ARGS__), size)

#endif
