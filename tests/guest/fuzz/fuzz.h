/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the workers of the fuzzer share: arguments, chance, and a log.
 *
 * A worker is started as PROGRAM KIND NUMBER SEED FROM TO SECONDS DIRECTORY. It
 * does steps FROM to TO - 1, or as many as it can in that time. What a step does
 * depends on the seed, the kind, the worker's number and the step's: so any step
 * can be done without those before it.
 *
 * DIRECTORY/KIND.NUMBER has a line for each step, written before it is done:
 * the step, a tab, what it does, a tab, and then what came of it, as
 * "LABEL=ERRNO*TIMES" for each call; 0 is success. tests/fuzz reads it.
 */
#ifndef _FUZZ_H
#define _FUZZ_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FUZZ_LINE	4096

static struct {
	const char *kind, *directory;
	unsigned int number;
	unsigned long seed, step, from, to;
	time_t end;
	int log;
	uint64_t chance;
	char line[FUZZ_LINE];	/* what is not in the log yet */
	size_t length;
} fuzz;

/* Sebastiano Vigna's splitmix64. */
static inline uint64_t fuzz_mix(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* A number below @limit. */
static inline uint64_t fuzz_below(uint64_t limit)
{
	return limit ? fuzz_mix(&fuzz.chance) % limit : 0;
}

static inline bool fuzz_one_in(uint64_t n)
{
	return !fuzz_below(n);
}

static inline time_t fuzz_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static inline void fuzz_die(const char *what)
{
	fprintf(stderr, "%s.%u: %s: %s\n", fuzz.kind, fuzz.number, what, strerror(errno));
	exit(2);
}

static inline void fuzz_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline void fuzz_print(const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(fuzz.line + fuzz.length, sizeof(fuzz.line) - fuzz.length, format, arguments);
	va_end(arguments);
	fuzz.length += length;
	if (fuzz.length >= sizeof(fuzz.line))
		fuzz.length = sizeof(fuzz.line) - 1;
}

static inline void fuzz_flush(void)
{
	if (write(fuzz.log, fuzz.line, fuzz.length) != (ssize_t)fuzz.length)
		fuzz_die("log");
	fuzz.length = 0;
}

/* The step is about to do this: @text may be any bytes. */
static inline void fuzz_does(const char *what, const char *text, size_t length)
{
	size_t i;

	fuzz_print("%lu\t%s ", fuzz.step, what);
	for (i = 0; i < length && i < 300; i++) {
		unsigned char c = text[i];

		if (c < ' ' || c > '~' || c == '\\')
			fuzz_print("\\x%02x", c);
		else
			fuzz_print("%c", c);
	}
	if (i < length)
		fuzz_print("... %zu bytes", length);
	fuzz_print("\t");
	fuzz_flush();
}

/* A call of the step ended with @error, so many times. */
static inline void fuzz_result(const char *label, int error, unsigned int times)
{
	fuzz_print("%s=%d*%u ", label, error, times);
}

static inline void fuzz_begin(int argc, char **argv)
{
	char path[256];

	if (argc != 8) {
		fprintf(stderr, "%s KIND NUMBER SEED FROM TO SECONDS DIRECTORY\n", argv[0]);
		exit(2);
	}
	fuzz.kind = argv[1];
	fuzz.number = strtoul(argv[2], NULL, 0);
	fuzz.seed = strtoul(argv[3], NULL, 0);
	fuzz.from = strtoul(argv[4], NULL, 0);
	fuzz.to = strtoul(argv[5], NULL, 0);
	fuzz.end = fuzz_now() + strtoul(argv[6], NULL, 0);
	fuzz.directory = argv[7];
	snprintf(path, sizeof(path), "%s/%s.%u", fuzz.directory, fuzz.kind, fuzz.number);
	fuzz.log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fuzz.log < 0)
		fuzz_die(path);
}

/* Runs the steps. */
static inline void fuzz_run(void (*one)(void))
{
	const char *c;

	for (fuzz.step = fuzz.from; fuzz.step < fuzz.to && fuzz_now() < fuzz.end; fuzz.step++) {
		fuzz.chance = fuzz.seed;
		for (c = fuzz.kind; *c; c++)
			fuzz.chance = fuzz_mix(&fuzz.chance) ^ (unsigned char)*c;
		fuzz.chance = fuzz_mix(&fuzz.chance) + fuzz.number;
		fuzz.chance = fuzz_mix(&fuzz.chance) + fuzz.step;
		one();
		fuzz_print("\n");
	}
	fuzz_print("end\n");
	fuzz_flush();
}

#endif
