// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a worker on another core does to a program that waits for memory all the
 * time: neighbour MIB ROUNDS BUDGET..., in MiB/s of traffic, 0: no limit. The
 * worker is memdiag's engine, from the module's own sources, running March C-
 * on CPU 1; the programs run on CPU 0.
 *
 * In each round each program runs with no worker and beside each budget, for
 * the machine's mood changes. Prints lines "PROGRAM BUDGET RATIO MIB_S": the
 * median of the program's time over its time without, and the worker's traffic.
 */
#include <linux/kernel.h>
#include <immintrin.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

#include "march/engine.h"

#define BLOCK_BYTES	(4UL << 20)
#define TESTED_BYTES	(64UL << 20)
#define MAX_BUDGETS	16
#define MAX_ROUNDS	200
#define NONE		(-1L)
#define REPEAT		8		/* so that many blocks are tested meanwhile */

static size_t bytes;
static u64 *program_memory, *tested_memory;
static volatile long budget = NONE;	/* the worker's, in MiB/s */
static volatile u64 traffic;		/* that it has caused, bytes */

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static void wait_for(double seconds)
{
	struct timespec t = { .tv_sec = seconds };

	t.tv_nsec = (seconds - t.tv_sec) * 1e9;
	nanosleep(&t, NULL);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		exit(1);
}

static u64 *map(size_t size)
{
	char *memory = mmap(NULL, size + BLOCK_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	memory = (char *)ALIGN((unsigned long)memory, BLOCK_BYTES);
	madvise(memory, size, MADV_HUGEPAGE);
	memset(memory, 1, size);
	return (u64 *)memory;
}

static void fail(void *context, const struct memdiag_march_failure *failure)
{
	fprintf(stderr, "this memory is bad\n");
	exit(1);
}

/* The memory was tested with @of MiB/s from @since on: not too early again. */
static void keep_to(long of, double since, u64 done)
{
	double early;

	if (!of)
		return;
	early = since + done / (of * 1048576.0) - now(CLOCK_MONOTONIC);
	if (early > 0)
		wait_for(early);
}

static void *worker(void *unused)
{
	struct memdiag_engine_test test = { .method = MEMDIAG_ENGINE_AUTO, .seed = 1 };
	u64 done = 0, moved;
	double since = 0;
	long of = NONE;
	size_t at = 0;
	unsigned int error_at;

	pin(1);
	if (memdiag_march_parse(memdiag_march_find("march-c-")->text, &test.march, &error_at))
		exit(1);
	moved = memdiag_engine_ops(&test) * BLOCK_BYTES;	/* by a block */
	for (;;) {
		struct memdiag_engine_block block = {
			.words = tested_memory + at / sizeof(u64),
			.nr_lines = BLOCK_BYTES / MEMDIAG_LINE_BYTES,
			.address = at,
		};

		if (of != budget) {
			of = budget;
			since = now(CLOCK_MONOTONIC);
			done = 0;
		}
		if (of == NONE) {
			wait_for(0.001);
			continue;
		}
		memdiag_engine_run(&test, &block, 0, fail, NULL);
		at = (at + BLOCK_BYTES) % TESTED_BYTES;
		done += moved;
		traffic += moved;
		keep_to(of, since, done);
	}
	return NULL;
}

/* STREAM's triad. */
static void triad(void)
{
	size_t n = bytes / 3 / sizeof(double) / 4 * 4, i;
	double *a = (double *)program_memory, *b = a + n, *c = b + n;
	__m256d k = _mm256_set1_pd(3);

	for (i = 0; i < n; i += 4)
		_mm256_storeu_pd(a + i,
				 _mm256_add_pd(_mm256_loadu_pd(b + i),
					       _mm256_mul_pd(k, _mm256_loadu_pd(c + i))));
}

/* Each read tells where the next one is. */
static void chase(void)
{
	static size_t at;
	unsigned int i;

	for (i = 0; i < 300000; i++)
		at = program_memory[at];
}

/* One cycle through all lines, in random order (Sattolo). */
static void prepare_chase(void)
{
	size_t lines = bytes / 64, i, j;
	u64 swap;

	srandom(1);
	for (i = 0; i < lines; i++)
		program_memory[i * 8] = i * 8;
	for (i = lines - 1; i; i--) {
		j = (((u64)random() << 31) | random()) % i;
		swap = program_memory[i * 8];
		program_memory[i * 8] = program_memory[j * 8];
		program_memory[j * 8] = swap;
	}
}

static double seconds_of(void (*program)(void))
{
	double begun = now(CLOCK_THREAD_CPUTIME_ID);
	unsigned int i;

	for (i = 0; i < REPEAT; i++)
		program();
	return now(CLOCK_THREAD_CPUTIME_ID) - begun;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, unsigned int nr)
{
	qsort(values, nr, sizeof(*values), compare);
	return values[nr / 2];
}

static void measure(const char *name, void (*program)(void),
		    const long *budgets, unsigned int nr, unsigned int rounds)
{
	static double ratios[MAX_BUDGETS][MAX_ROUNDS];
	double alone, begun, wall[MAX_BUDGETS] = { 0 };
	u64 moved[MAX_BUDGETS] = { 0 }, before;
	unsigned int round, i;

	program();
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < nr; i++) {
			budget = NONE;
			wait_for(0.02);		/* a block is tested to its end */
			alone = seconds_of(program);
			budget = budgets[i];
			before = traffic;
			begun = now(CLOCK_MONOTONIC);
			ratios[i][round] = seconds_of(program) / alone;
			moved[i] += traffic - before;
			wall[i] += now(CLOCK_MONOTONIC) - begun;
		}
	}
	budget = NONE;
	for (i = 0; i < nr; i++)
		printf("%s %ld %.4f %.0f\n", name, budgets[i],
		       median(ratios[i], rounds),
		       moved[i] / wall[i] / 1048576);
}

int main(int argc, char **argv)
{
	unsigned int nr = min(argc - 3, MAX_BUDGETS), i, rounds;
	long budgets[MAX_BUDGETS];
	pthread_t thread;

	if (argc < 4)
		return 2;
	bytes = atol(argv[1]) << 20;
	rounds = min(atoi(argv[2]), MAX_ROUNDS);
	for (i = 0; i < nr; i++)
		budgets[i] = atol(argv[3 + i]);
	program_memory = map(bytes);
	tested_memory = map(TESTED_BYTES);
	if (pthread_create(&thread, NULL, worker, NULL))
		return 1;
	pin(0);
	measure("triad", triad, budgets, nr, rounds);
	prepare_chase();
	measure("chase", chase, budgets, nr, rounds);
	return 0;
}
