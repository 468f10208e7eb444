// SPDX-License-Identifier: GPL-2.0-only
/*
 * malloc-bench sizes THREADS | grow | resident: what the allocator costs that the
 * program runs with. Prints lines of "NAME NUMBER": nanoseconds of CPU time for a
 * free() and a malloc(), seconds, and resident bytes for each byte that is allocated.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const size_t sizes[] = { 16, 64, 256, 1000, 4000, 16000, 17000, 40000, 60000, 70000, 130000, 300000 };

static double cpu_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1e9 + time.tv_nsec;
}

/* Pieces are replaced at random. */
static void *replace(void *bytes_of)
{
	size_t bytes = *(size_t *)bytes_of;
	int nr = bytes <= 4000 ? 1000 : 50, rounds = bytes <= 4000 ? 300000 : 100000;
	char *pieces[1000] = {};
	unsigned int seed = 1;

	for (int i = 0; i < rounds; i++) {
		char **piece = &pieces[(seed = seed * 1103515245 + 12345) / 256 % nr];

		free(*piece);
		*piece = malloc(bytes);
		(*piece)[0] = (*piece)[bytes - 1] = 1;
	}
	for (int i = 0; i < nr; i++)
		free(pieces[i]);
	return NULL;
}

static void measure_sizes(int nr_threads)
{
	pthread_t threads[16];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t bytes = sizes[i];
		double start = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);

		for (int j = 0; j < nr_threads; j++)
			pthread_create(&threads[j], NULL, replace, &bytes);
		for (int j = 0; j < nr_threads; j++)
			pthread_join(threads[j], NULL);
		printf("%zu %.3f\n", bytes, (cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - start) / nr_threads /
		       (bytes <= 4000 ? 300000 : 100000));
	}
}

static void measure_growth(void)
{
	static const size_t steps[] = { 64, 4096, 65536 };

	for (int i = 0; i < 3; i++) {
		size_t most = steps[i] == 64 ? 16 << 20 : 64 << 20;
		double start = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
		char *memory = NULL;

		for (size_t bytes = 65536; bytes <= most; bytes += steps[i]) {
			memory = realloc(memory, bytes);
			memory[bytes - 1] = 1;
		}
		free(memory);
		printf("%zu %.6f\n", steps[i], (cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - start) / 1e9);
	}
}

#define LIVE		(200UL << 20)
#define MOST_PIECES	4000000

static struct { char *memory; size_t bytes; } pieces[MOST_PIECES];
static size_t nr_pieces, live;

static size_t resident(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	size_t pages = 0;

	if (!file || fscanf(file, "%*u %zu", &pages) != 1)
		abort();
	fclose(file);
	return pages * 4096;
}

static void fill(size_t from, size_t to)
{
	while (live < LIVE && nr_pieces < MOST_PIECES) {
		size_t bytes = from + random() % (to - from);

		pieces[nr_pieces].memory = malloc(bytes);
		memset(pieces[nr_pieces].memory, 1, bytes);
		pieces[nr_pieces++].bytes = bytes;
		live += bytes;
	}
}

/* All but one of so many, at random. */
static void drop(int one_of)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr_pieces; i++) {
		if (one_of && random() % one_of == 0) {
			pieces[kept++] = pieces[i];
			continue;
		}
		free(pieces[i].memory);
		live -= pieces[i].bytes;
	}
	nr_pieces = kept;
}

static void measure_resident(void)
{
	static const size_t ranges[][2] = { { 64, 512 }, { 512, 4096 }, { 4096, 32768 }, { 32768, 300000 }, { 100, 1000 } };
	size_t before;

	memset(pieces, 0, sizeof(pieces));
	before = resident();
	for (int i = 0; i < 5; i++) {
		drop(0);
		fill(ranges[i][0], ranges[i][1]);
		printf("%zu-%zu %.4f\n", ranges[i][0], ranges[i][1], (double)(resident() - before) / live);
	}
	for (int i = 0; i < 5; i++) {
		drop(10);
		fill(ranges[i][0], ranges[i][1]);
		printf("tenth:%zu-%zu %.4f\n", ranges[i][0], ranges[i][1], (double)(resident() - before) / live);
	}
	drop(0);
	printf("none_MiB %.2f\n", (double)(resident() - before) / (1 << 20));
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "sizes"))
		measure_sizes(atoi(argv[2]));
	else if (argc > 1 && !strcmp(argv[1], "grow"))
		measure_growth();
	else if (argc > 1 && !strcmp(argv[1], "resident"))
		measure_resident();
	else
		return 2;
	return 0;
}
