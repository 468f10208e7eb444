// SPDX-License-Identifier: GPL-2.0-only
/*
 * keep: holds memory, checks and rewrites it, and tells where it lies.
 *
 * keep PAGES [--range START END] [--huge] [--churn] [--rest MS] [--ages FILE]
 *
 * Every page is checked, word by word, against what was last written to it,
 * and then written anew. On SIGUSR1 prints "pages P in I errors E rounds R",
 * and with --ages " untested U oldest S": P pages of which I lie in the
 * physical range, E found changed, R rounds over all pages; U pages that were
 * never tested, and the age in seconds of the test that lies back longest of
 * the others, from a file of 4 bytes a page frame. On SIGTERM does the same
 * and exits, with 1 if a page was found changed.
 *
 * It goes on without pause, or rests for some milliseconds after each round.
 * With --churn, each round also forks a child that does the same for one round
 * to its own copy, runs another program, and maps and unmaps some memory.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frames.h"

#define WORDS		512
#define CHURN_BYTES	(1 << 20)

static volatile sig_atomic_t asked, ended;
static uint64_t *memory;
static size_t pages, errors, rounds;
static uint64_t start, end = UINT64_MAX;
static const char *ages;

static void on_signal(int number)
{
	if (number == SIGTERM)
		ended = 1;
	asked = 1;
}

static uint64_t word(size_t page, size_t round, size_t i)
{
	return (page * 0x9e3779b97f4a7c15ULL) ^ (round << 32) ^ i;
}

static void write_page(size_t page, size_t round)
{
	size_t i;

	for (i = 0; i < WORDS; i++)
		memory[page * WORDS + i] = word(page, round, i);
}

static void check_page(size_t page, size_t round)
{
	size_t i;

	for (i = 0; i < WORDS; i++)
		if (memory[page * WORDS + i] != word(page, round, i)) {
			errors++;
			return;
		}
}

static void report(void)
{
	int map = open("/proc/self/pagemap", O_RDONLY);
	int age = ages ? open(ages, O_RDONLY) : -1;
	size_t in = 0, untested = 0, i;
	uint32_t oldest = 0;

	for (i = 0; i < pages; i++) {
		uint64_t pfn = frame_of(map, memory + i * WORDS);
		uint32_t seconds;

		in += pfn * 4096 >= start && pfn * 4096 < end;
		if (age < 0)
			continue;
		seconds = age_of(age, map, memory + i * WORDS);
		if (seconds == UNTESTED)
			untested++;
		else if ((seconds & ~PARTLY) > oldest)
			oldest = seconds & ~PARTLY;
	}
	printf("pages %zu in %zu errors %zu rounds %zu", pages, in, errors,
	       rounds);
	if (age >= 0)
		printf(" untested %zu oldest %u", untested, oldest);
	printf("\n");
	fflush(stdout);
	close(map);
	close(age);
}

static void one_round(void)
{
	size_t page;

	for (page = 0; page < pages; page++) {
		if (asked) {
			asked = 0;
			report();
		}
		if (ended)
			return;
		check_page(page, rounds);
		write_page(page, rounds + 1);
	}
	rounds++;
}

static void churn(void)
{
	char *scratch = mmap(NULL, CHURN_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t child;
	int status;

	if (scratch == MAP_FAILED)
		exit(3);
	memset(scratch, 1, CHURN_BYTES);
	child = fork();
	if (!child) {
		signal(SIGTERM, SIG_DFL);
		errors = 0;
		asked = 0;
		one_round();
		if (!errors)
			execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	munmap(scratch, CHURN_BYTES);
	while (waitpid(child, &status, 0) < 0)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		errors++;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	int advice = MADV_NOHUGEPAGE, churns = 0, rest_ms = 0, i;
	size_t page;
	char *at;

	pages = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	for (i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "--huge"))
			advice = MADV_HUGEPAGE;
		else if (!strcmp(argv[i], "--churn"))
			churns = 1;
		else if (!strcmp(argv[i], "--rest") && i + 1 < argc)
			rest_ms = atoi(argv[++i]);
		else if (!strcmp(argv[i], "--ages") && i + 1 < argc)
			ages = argv[++i];
		else if (!strcmp(argv[i], "--range") && i + 2 < argc) {
			start = strtoull(argv[++i], NULL, 0);
			end = strtoull(argv[++i], NULL, 0);
		} else {
			pages = 0;
		}
	}
	if (!pages) {
		fprintf(stderr, "usage: keep PAGES [--range START END] [--huge] [--churn] [--rest MS] [--ages FILE]\n");
		return 2;
	}
	at = mmap(NULL, pages * 4096 + (2 << 20), PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return 3;
	at += -(uintptr_t)at & ((2 << 20) - 1);
	memory = (uint64_t *)at;
	madvise(at, pages * 4096, advice);
	for (page = 0; page < pages; page++)
		write_page(page, 0);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	printf("ready\n");
	fflush(stdout);
	while (!ended) {
		one_round();
		if (churns && !ended)
			churn();
		if (rest_ms && !ended)
			usleep(rest_ms * 1000);
	}
	report();
	return errors > 0;
}
