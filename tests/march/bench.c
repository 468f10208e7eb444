// SPDX-License-Identifier: GPL-2.0-only
/*
 * The speed of memdiag's engine, in user space, from the module's own sources:
 * bench MIB ROUNDS. Prints lines "NAME METHOD BYTES SECONDS" of the best round:
 * bytes of memory that were gone over, and the time that took. Then, for each
 * method, "reach METHOD TESTED CACHED MEMORY", see struct memdiag_dram_reach.
 */
#include <linux/kernel.h>
#include <immintrin.h>
#include <sys/mman.h>
#include <time.h>

#include "march/engine.h"
#include "report/dram_reach.h"

#define BLOCK_BYTES	(4UL << 20)	/* the largest that the module gets */

static u64 *memory;
static size_t bytes;
static unsigned long failures;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static void fail(void *context, const struct memdiag_march_failure *failure)
{
	failures++;
}

/* What a processor can stream at most, with no test in it. */
static volatile long long sink;

static void stream_read(size_t size)
{
	const __m256i *p = (const __m256i *)memory, *end = p + size / 32;
	__m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;

	for (; p < end; p += 4) {
		a = _mm256_xor_si256(a, _mm256_load_si256(p));
		b = _mm256_xor_si256(b, _mm256_load_si256(p + 1));
		c = _mm256_xor_si256(c, _mm256_load_si256(p + 2));
		d = _mm256_xor_si256(d, _mm256_load_si256(p + 3));
	}
	a = _mm256_xor_si256(_mm256_xor_si256(a, b), _mm256_xor_si256(c, d));
	sink = _mm256_extract_epi64(a, 0);
}

static void stream_write(size_t size)
{
	__m256i *p = (__m256i *)memory, *end = p + size / 32;
	__m256i v = _mm256_set1_epi64x(0x5a5a5a5a5a5a5a5aLL);

	for (; p < end; p += 2) {
		_mm256_stream_si256(p, v);
		_mm256_stream_si256(p + 1, v);
	}
	_mm_sfence();
}

/* Read and written in place, as elements of two operations do. */
static void stream_update(size_t size)
{
	__m256i *p = (__m256i *)memory, *end = p + size / 32;
	__m256i v = _mm256_set1_epi64x(-1), a, b;

	for (; p < end; p += 2) {
		a = _mm256_load_si256(p);
		b = _mm256_load_si256(p + 1);
		_mm256_stream_si256(p, _mm256_xor_si256(a, v));
		_mm256_stream_si256(p + 1, _mm256_xor_si256(b, v));
	}
	_mm_sfence();
}

/* The same through the caches: what is dirty at the end stays there. */
static void stream_cached(size_t size)
{
	__m256i *p = (__m256i *)memory, *end = p + size / 32;
	__m256i v = _mm256_set1_epi64x(-1), a, b;

	for (; p < end; p += 2) {
		a = _mm256_load_si256(p);
		b = _mm256_load_si256(p + 1);
		_mm256_store_si256(p, _mm256_xor_si256(a, v));
		_mm256_store_si256(p + 1, _mm256_xor_si256(b, v));
	}
}

/* STREAM's copy: one half to the other. */
static void stream_copy(size_t size)
{
	const __m256i *p = (const __m256i *)memory, *end = p + size / 64;
	__m256i *q = (__m256i *)memory + size / 64;

	for (; p < end; p += 2, q += 2) {
		_mm256_stream_si256(q, _mm256_load_si256(p));
		_mm256_stream_si256(q + 1, _mm256_load_si256(p + 1));
	}
	_mm_sfence();
}

static void march(const char *text, enum memdiag_engine_kind kind,
		  enum memdiag_engine_method method, unsigned int background,
		  size_t size)
{
	struct memdiag_engine_test test = { .kind = kind, .method = method, .seed = 1 };
	const struct memdiag_march_named *named = memdiag_march_find(text);
	unsigned int at;
	size_t done;

	if (kind == MEMDIAG_ENGINE_MARCH && memdiag_march_parse(named ? named->text : text,
								&test.march, &at))
		abort();
	for (done = 0; done < size; done += BLOCK_BYTES) {
		struct memdiag_engine_block block = {
			.words = memory + done / sizeof(u64),
			.nr_lines = min(size - done, BLOCK_BYTES) / MEMDIAG_LINE_BYTES,
			.address = done,
		};

		memdiag_engine_run(&test, &block, background, fail, NULL);
	}
}

static const struct subject {
	const char *name;		/* of a march test, or of a loop */
	void (*loop)(size_t size);
	enum memdiag_engine_kind kind;
	enum memdiag_engine_method method;
	unsigned int background;
	unsigned int part;		/* of the memory: slow ones do less */
} subjects[] = {
	{ "stream-read", stream_read, .part = 1 },
	{ "stream-write", stream_write, .part = 1 },
	{ "stream-update", stream_update, .part = 1 },
	{ "stream-cached", stream_cached, .part = 1 },
	{ "stream-copy", stream_copy, .part = 1 },
	{ "march-c-", .method = MEMDIAG_ENGINE_AVX2, .part = 1 },
	{ "march-c-", .method = MEMDIAG_ENGINE_WORDS, .part = 1 },
	{ "march-c-", .method = MEMDIAG_ENGINE_AVX512, .part = 1 },
	{ "march-c-", .method = MEMDIAG_ENGINE_AVX2, .background = 2, .part = 1 },
	{ "march-c-", .method = MEMDIAG_ENGINE_AVX2, .background = 3, .part = 1 },
	{ "mats+", .method = MEMDIAG_ENGINE_AVX2, .part = 1 },
	{ "march-ss", .method = MEMDIAG_ENGINE_AVX2, .part = 4 },
	{ "march-ab", .method = MEMDIAG_ENGINE_AVX2, .part = 4 },
	{ "address-decoder", .kind = MEMDIAG_ENGINE_DECODER, .part = 16 },
	{ "modulo-20", .kind = MEMDIAG_ENGINE_MODULO, .part = 16 },
	{ "march-c-", .method = MEMDIAG_ENGINE_LINES, .part = 64 },
	{ "march-c-", .method = MEMDIAG_ENGINE_PAGE_LINES, .part = 64 },
	{ "figure-28", .method = MEMDIAG_ENGINE_PAGE_LINES, .part = 64 },
	{ "mats", .method = MEMDIAG_ENGINE_PAGE_LINES, .part = 64 },
	{ "mats", .method = MEMDIAG_ENGINE_PAGE_WORDS, .part = 256 },
};

static double measure(const struct subject *subject)
{
	double begun = now();

	if (subject->loop)
		subject->loop(bytes / subject->part);
	else
		march(subject->name, subject->kind, subject->method,
		      subject->background, bytes / subject->part);
	return now() - begun;
}

static void tell_reach(enum memdiag_engine_method method)
{
	const struct memdiag_engine_block block = {
		.words = memory, .nr_lines = BLOCK_BYTES / MEMDIAG_LINE_BYTES,
	};
	struct memdiag_dram_reach reach;

	memdiag_dram_reach_measure(&block, method, &reach);
	printf("reach %s %u %u %u\n", memdiag_engine_methods[method], reach.tested,
	       reach.cached, reach.memory);
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 2 ? atoi(argv[2]) : 5, round, i;
	double best[ARRAY_SIZE(subjects)], seconds;

	bytes = (argc > 1 ? atol(argv[1]) : 256) << 20;
	memory = mmap(NULL, bytes + BLOCK_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	memory = (u64 *)ALIGN((unsigned long)memory, BLOCK_BYTES);
	madvise(memory, bytes, MADV_HUGEPAGE);
	memset(memory, 0x5a, bytes);
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < ARRAY_SIZE(subjects); i++) {
			if (!memdiag_engine_can(subjects[i].method))
				continue;
			seconds = measure(&subjects[i]);
			if (!round || seconds < best[i])
				best[i] = seconds;
		}
	}
	for (i = 0; i < ARRAY_SIZE(subjects); i++)
		if (memdiag_engine_can(subjects[i].method))
			printf("%s %s %u %zu %.6f\n", subjects[i].name,
			       subjects[i].loop ? "-" :
			       memdiag_engine_methods[subjects[i].method],
			       subjects[i].background,
			       bytes / subjects[i].part, best[i]);
	for (i = MEMDIAG_ENGINE_WORDS; i < MEMDIAG_ENGINE_NR_METHODS; i++)
		if (memdiag_engine_can(i))
			tell_reach(i);
	fprintf(stderr, "%lu failing words\n", failures);
	return failures != 0;
}
