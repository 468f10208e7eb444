// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two programs of paper 001, section 4.2.1, that it made itself:
 *
 *   rivals linear PAGES PASSES        touches PAGES pages in order, PASSES times
 *   rivals intr PAGES TOUCHES SLEEP_MS ROUNDS
 *                                     in each round touches TOUCHES of PAGES pages by a zipf distribution
 *                                     (s = 1), and sleeps
 *   rivals run COMMAND [ARG]...       runs any other
 *
 * The first two map and touch all of it first. intr prints "ready" then, goes on until SIGTERM if ROUNDS is
 * 0, and forgets what was before a SIGUSR1. At its end it prints "intr rounds N mean_ms T max_ms T major M", where the time of a round is that of its
 * touches; run prints "run seconds S major M status N", of the command and what it has waited for.
 */
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "random.h"

#ifndef PR_SET_THP_DISABLE
#define PR_SET_THP_DISABLE 41
#endif

#define PAGE 4096

static volatile unsigned char *area;
static volatile sig_atomic_t begun, ended;

static void on_signal(int number)
{
	if (number == SIGUSR1)
		begun = 1;
	else
		ended = 1;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static long major_faults(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return usage.ru_majflt;
}

/* Ranks are scattered over the pages, or the hot ones would be neighbours. */
static unsigned long *scatter(unsigned long pages)
{
	unsigned long *at = malloc(pages * sizeof(*at)), i, k, t;

	for (i = 0; i < pages; i++)
		at[i] = i;
	for (i = pages - 1; i > 0; i--) {
		k = uniform() * (i + 1);
		t = at[i];
		at[i] = at[k];
		at[k] = t;
	}
	return at;
}

/* The first rank whose share of all touches is not below u. */
static unsigned long rank_of(const double *share, unsigned long pages, double u)
{
	unsigned long low = 0, high = pages - 1, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (share[mid] < u)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void intr(unsigned long pages, unsigned long touches, unsigned int sleep_ms, unsigned long rounds)
{
	unsigned long *at = scatter(pages), n = 0, i;
	double *share = malloc(pages * sizeof(*share)), sum = 0, total = 0, worst = 0, began, took;
	long major = major_faults(RUSAGE_SELF);

	for (i = 0; i < pages; i++)
		share[i] = sum += 1.0 / (i + 1);
	for (i = 0; i < pages; i++)
		share[i] /= sum;
	mlock(at, pages * sizeof(*at));		/* what decides is not what is measured */
	mlock(share, pages * sizeof(*share));
	while (!ended && (!rounds || n < rounds)) {
		if (begun) {
			begun = n = 0;
			total = worst = 0;
			major = major_faults(RUSAGE_SELF);
		}
		began = now();
		for (i = 0; i < touches; i++)
			area[at[rank_of(share, pages, uniform())] * PAGE]++;
		took = 1e3 * (now() - began);
		total += took;
		worst = fmax(worst, took);
		n++;
		usleep(sleep_ms * 1000);
	}
	printf("intr rounds %lu mean_ms %.2f max_ms %.1f major %ld\n", n, n ? total / n : 0, worst,
	       major_faults(RUSAGE_SELF) - major);
}

static void linear(unsigned long pages, unsigned long passes)
{
	for (unsigned long n = 0; n < passes; n++)
		for (unsigned long i = 0; i < pages; i++)
			area[i * PAGE]++;
}

static int run(char **command)
{
	double began = now();
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		execvp(*command, command);
		perror(*command);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 1;
	printf("run seconds %.2f major %ld status %d\n", now() - began, major_faults(RUSAGE_CHILDREN), status);
	return 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	int is_linear = argc == 4 && !strcmp(argv[1], "linear");
	unsigned long pages;

	if (argc > 2 && !strcmp(argv[1], "run"))
		return run(argv + 2);
	if (!is_linear && !(argc == 6 && !strcmp(argv[1], "intr"))) {
		fprintf(stderr, "usage: rivals linear PAGES PASSES | intr PAGES TOUCHES SLEEP_MS ROUNDS | run COMMAND [ARG]...\n");
		return 2;
	}
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	pages = strtoul(argv[2], NULL, 10);
	area = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	for (unsigned long i = 0; i < pages; i++) {
		area[i * PAGE] = 1;
		/* A slow disk has to keep up. */
		if (i % 256 == 255)
			usleep(10000);
	}
	if (is_linear) {
		linear(pages, strtoul(argv[3], NULL, 10));
		return 0;
	}
	printf("ready\n");
	fflush(stdout);
	intr(pages, strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10), strtoul(argv[5], NULL, 10));
	return 0;
}
