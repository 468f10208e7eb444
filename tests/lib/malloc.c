// SPDX-License-Identifier: GPL-2.0-only
/*
 * What malloc(3), posix_memalign(3) and malloc_usable_size(3) say, of whatever
 * allocator the program runs with: prints KTAP.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int nr, failed;
/* What a compiler must not know. */
static volatile size_t huge = SIZE_MAX, beyond = (size_t)PTRDIFF_MAX + 1, half = SIZE_MAX / 2 + 2;

static const size_t sizes[] = {
	0, 1, 15, 16, 17, 24, 100, 128, 129, 1000, 1024, 1025, 4095, 4096, 4097, 16383, 16384, 16385, 17000, 20480, 60000,
	65536, 70000, 131072, 262144, 300000, 524289, 1048575, 1048576, 1048577, 5000000, 33554432,
};

#define NR_SIZES (sizeof(sizes) / sizeof(sizes[0]))
#define HOLDS(condition) do {							\
	if (!(condition)) {							\
		printf("# line %d: %s\n", __LINE__, #condition);		\
		return false;							\
	}									\
} while (0)

static void check(const char *name, bool good)
{
	failed += !good;
	printf("%sok %d %s\n", good ? "" : "not ", ++nr, name);
}

static bool is_filled(const char *memory, size_t bytes, char with)
{
	for (size_t i = 0; i < bytes; i++)
		if (memory[i] != with)
			return false;
	return true;
}

/* No two overlap, all are aligned for any type, and errno is left alone. */
static bool allocates(void)
{
	char *pieces[NR_SIZES];

	for (size_t i = 0; i < NR_SIZES; i++) {
		errno = 1234;
		pieces[i] = malloc(sizes[i]);
		HOLDS(pieces[i] && errno == 1234);
		HOLDS((uintptr_t)pieces[i] % _Alignof(max_align_t) == 0);
		HOLDS(malloc_usable_size(pieces[i]) >= sizes[i]);
		memset(pieces[i], i + 1, malloc_usable_size(pieces[i]));
	}
	for (size_t i = 0; i < NR_SIZES; i++) {
		HOLDS(is_filled(pieces[i], sizes[i], i + 1));
		errno = 1234;
		free(pieces[i]);
		HOLDS(errno == 1234);
	}
	free(NULL);
	HOLDS(malloc_usable_size(NULL) == 0);
	return true;
}

/* A pointer that no other is, and that free() takes. */
static bool takes_zero(void)
{
	char *a = malloc(0), *b = malloc(0), *c = calloc(0, 5), *d = calloc(5, 0), *e = realloc(NULL, 0);
	void *f = NULL;

	HOLDS(a && b && c && d && e && a != b && c != d && e != a);
	HOLDS(!posix_memalign(&f, 64, 0) && (uintptr_t)f % 64 == 0);
	free(f);
	free(e);
	free(d);
	free(c);
	free(b);
	/* The C library's frees. */
	HOLDS(!realloc(a, 0));
	HOLDS(!realloc(malloc(100000), 0) && !reallocarray(malloc(10), 0, 7));
	return true;
}

static bool clears(void)
{
	for (int round = 0; round < 3; round++)
		for (size_t i = 0; i < NR_SIZES; i++) {
			char *memory = malloc(sizes[i]);

			memset(memory, 0xa5, sizes[i]);
			free(memory);
			memory = calloc(sizes[i] / 8 + 1, 8);
			HOLDS(memory && is_filled(memory, sizes[i], 0));
			memset(memory, 0x5a, sizes[i]);
			free(memory);
		}
	return true;
}

/* NULL and ENOMEM, and what was there is as it was. */
static bool overflows(void)
{
	char *memory = malloc(100);
	void *aligned = memory;

	memset(memory, 7, 100);
#define FAILS(call) do { errno = 0; HOLDS(!(call)); HOLDS(errno == ENOMEM); } while (0)
	FAILS(malloc(huge));
	FAILS(malloc(beyond));
	FAILS(calloc(huge, 2));
	FAILS(calloc(half, 2));
	FAILS(calloc(beyond, 1));
	FAILS(calloc(1, beyond));
	FAILS(realloc(NULL, huge));
	FAILS(realloc(memory, huge));
	FAILS(realloc(memory, beyond));
	FAILS(reallocarray(memory, half, 2));
	FAILS(reallocarray(memory, huge, huge));
	FAILS(reallocarray(NULL, half, 4));
	FAILS(aligned_alloc(64, huge - 100));
	FAILS(memalign(1 << 20, beyond));
	FAILS(valloc(huge));
	FAILS(pvalloc(huge));
	HOLDS(posix_memalign(&aligned, 64, huge - 100) == ENOMEM && aligned == memory);
	HOLDS(is_filled(memory, 100, 7));
	free(memory);
	return true;
}

static bool resizes(void)
{
	for (size_t i = 0; i < NR_SIZES; i++)
		for (size_t j = 1; j < NR_SIZES; j++) {
			size_t kept = sizes[i] < sizes[j] ? sizes[i] : sizes[j];
			char *memory = malloc(sizes[i]);

			memset(memory, 3, kept);
			errno = 1234;
			memory = realloc(memory, sizes[j]);
			HOLDS(memory && errno == 1234 && malloc_usable_size(memory) >= sizes[j]);
			HOLDS((uintptr_t)memory % _Alignof(max_align_t) == 0);
			HOLDS(is_filled(memory, kept, 3));
			memset(memory, 4, sizes[j]);
			free(memory);
		}
	return true;
}

static bool resizes_in_steps(void)
{
	for (size_t step = 16; step <= 65536; step *= 8) {
		size_t most = step * 600;
		char *memory = NULL;

		for (size_t bytes = step; bytes <= most; bytes += step) {
			memory = realloc(memory, bytes);
			HOLDS(memory && (bytes == step || memory[bytes - step - 1] == (char)(bytes / step - 1)));
			memory[bytes - 1] = bytes / step;
		}
		for (size_t bytes = most; bytes >= step; bytes -= step) {
			memory = reallocarray(memory, bytes / 8, 8);
			HOLDS(memory && memory[bytes - 1] == (char)(bytes / step));
		}
		free(memory);
	}
	return true;
}

static bool aligns(void)
{
	for (size_t alignment = 1; alignment <= 1 << 23; alignment *= 2)
		for (size_t i = 0; i < NR_SIZES; i++) {
			void *a = aligned_alloc(alignment, sizes[i]), *m = memalign(alignment, sizes[i]), *p = NULL;
			int err = posix_memalign(&p, alignment, sizes[i]);

			HOLDS(a && m && a != m);
			HOLDS((uintptr_t)a % alignment == 0 && (uintptr_t)m % alignment == 0);
			HOLDS(malloc_usable_size(a) >= sizes[i] && malloc_usable_size(m) >= sizes[i]);
			HOLDS(alignment < sizeof(void *) ? err == EINVAL : !err && (uintptr_t)p % alignment == 0);
			memset(a, 1, sizes[i]);
			memset(m, 2, sizes[i]);
			HOLDS(is_filled(a, sizes[i], 1));
			a = realloc(a, sizes[i] + 1000);
			HOLDS(a && is_filled(a, sizes[i], 1));
			free(a);
			free(m);
			free(p);
		}
	return true;
}

static bool refuses_alignments(void)
{
	static const size_t bad[] = { 0, 1, 2, 3, 4, 7, 12, 24, 48, 100, 4097, (size_t)1 << 63 | 8 };
	void *memory = &nr;

	errno = 1234;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		for (size_t bytes = 1; bytes < 200000; bytes *= 60)
			HOLDS(posix_memalign(&memory, bad[i], bytes) == EINVAL && memory == &nr && errno == 1234);
	/* The C library rounds up where it does not refuse. */
	memory = memalign(24, 100);
	HOLDS(memory && (uintptr_t)memory % 32 == 0);
	free(memory);
	errno = 0;
	HOLDS(!memalign((size_t)1 << 63 | 8, 10) && errno == EINVAL);
	errno = 0;
	HOLDS(!memalign((size_t)1 << 63, 10) && errno == ENOMEM);
	return true;
}

static bool pages(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *v = valloc(100), *p = pvalloc(page + 1), *empty = pvalloc(0);

	HOLDS(v && p && empty && (uintptr_t)v % page == 0 && (uintptr_t)p % page == 0);
	HOLDS(malloc_usable_size(p) >= 2 * page);
	memset(p, 1, 2 * page);
	free(v);
	free(p);
	free(empty);
	return true;
}

static void *thread_allocate(void *pieces_of)
{
	char **pieces = pieces_of;

	for (size_t i = 0; i < NR_SIZES; i++) {
		free(pieces[i]);
		pieces[i] = malloc(sizes[i]);
		memset(pieces[i], i, sizes[i]);
	}
	return NULL;
}

/* Memory outlives the thread that took it, and another may free it. */
static bool hands_over(void)
{
	char *pieces[NR_SIZES] = {};
	pthread_t thread;

	for (int round = 0; round < 20; round++) {
		HOLDS(!pthread_create(&thread, NULL, thread_allocate, pieces));
		pthread_join(thread, NULL);
		for (size_t i = 0; i < NR_SIZES; i++)
			HOLDS(is_filled(pieces[i], sizes[i], i));
	}
	for (size_t i = 0; i < NR_SIZES; i++)
		free(pieces[i]);
	return true;
}

static pthread_key_t key;

/* Other libraries free in destructors, too, which run in any order, and again. */
static void destroy(void *memory)
{
	static __thread int rounds;

	free(memory);
	if (++rounds < 3)
		pthread_setspecific(key, malloc(100 * rounds));
	free(malloc(50000));
}

static void *thread_end(void *unused)
{
	pthread_setspecific(key, malloc(10));
	return unused;
}

static bool ends_threads(void)
{
	pthread_t thread;

	HOLDS(!pthread_key_create(&key, destroy));
	for (int round = 0; round < 20; round++) {
		HOLDS(!pthread_create(&thread, NULL, thread_end, NULL));
		pthread_join(thread, NULL);
	}
	return true;
}

int main(void)
{
	printf("KTAP version 1\n");
	check("malloc and free", allocates());
	check("no bytes", takes_zero());
	check("calloc", clears());
	check("too many bytes", overflows());
	check("realloc", resizes());
	check("realloc in steps", resizes_in_steps());
	check("alignment", aligns());
	check("bad alignment", refuses_alignments());
	check("valloc and pvalloc", pages());
	check("memory of other threads", hands_over());
	check("threads that end", ends_threads());
	printf("1..%d\n", nr);
	return failed > 0;
}
