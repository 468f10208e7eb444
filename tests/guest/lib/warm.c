// SPDX-License-Identifier: GPL-2.0-only
/*
 * warm: one half of its memory is written all the time, the other never.
 *
 * warm PAGES [--huge] [--stray NODE] [--vm]
 *
 * PAGES pages are written some fifty times a second, as many others once only.
 * On SIGUSR1 prints "hot N H idle N I errors E": of the written half H, and of
 * the idle half I of N pages are on node 1; E pages of the written half were
 * found changed. On SIGUSR2 moves the idle half to NODE by move_pages(2), and
 * prints "strayed N". On SIGTERM checks the idle half as well, does the same as
 * on SIGUSR1, and exits with 1 if a page was found changed. With --huge the
 * memory is of huge pages. With --vm the first half is not written, but read,
 * and by a virtual machine.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vcpu.h"

#define WORDS		512
#define HUGE		(2UL << 20)
#define MPOL_MF_MOVE	2

static volatile sig_atomic_t asked, strays, ended;
static uint64_t *hot, *idle;
static size_t pages, errors;

static void on_signal(int number)
{
	asked |= number != SIGUSR2;
	strays |= number == SIGUSR2;
	ended |= number == SIGTERM;
}

static uint64_t *map(size_t size, int huge)
{
	char *area = mmap(NULL, size + HUGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		exit(3);
	area = (char *)(((uintptr_t)area + HUGE - 1) & -HUGE);
	madvise(area, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	return (uint64_t *)area;
}

static uint64_t word(size_t page, size_t round, size_t i)
{
	return (page * 0x9e3779b97f4a7c15ULL) ^ (round << 32) ^ i;
}

static void write_page(uint64_t *memory, size_t page, size_t round)
{
	size_t i;

	for (i = 0; i < WORDS; i++)
		memory[page * WORDS + i] = word(page, round, i);
}

static void check_page(const uint64_t *memory, size_t page, size_t round)
{
	size_t i;

	for (i = 0; i < WORDS; i++)
		if (memory[page * WORDS + i] != word(page, round, i)) {
			errors++;
			return;
		}
}

/* Asks the kernel, or with @to orders it, without touching the memory. */
static size_t on_node(uint64_t *memory, int node, const int *to)
{
	void **at = malloc(pages * sizeof(*at));
	int *nodes = malloc(pages * sizeof(*nodes)), *status = malloc(pages * sizeof(*status));
	size_t i, in = 0;

	for (i = 0; i < pages; i++) {
		at[i] = memory + i * WORDS;
		nodes[i] = to ? *to : 0;
		status[i] = -1;
	}
	if (syscall(SYS_move_pages, 0, pages, at, to ? nodes : NULL, status, MPOL_MF_MOVE) < 0)
		exit(4);
	for (i = 0; i < pages; i++)
		in += status[i] == node;
	free(at);
	free(nodes);
	free(status);
	return in;
}

static void report(void)
{
	printf("hot %zu %zu idle %zu %zu errors %zu\n", pages, on_node(hot, 1, NULL), pages,
	       on_node(idle, 1, NULL), errors);
	fflush(stdout);
}

static void use_hot(int is_vm, size_t round)
{
	size_t page;

	if (is_vm) {
		vcpu_round();
		return;
	}
	for (page = 0; page < pages; page++) {
		check_page(hot, page, round);
		write_page(hot, page, round + 1);
	}
}

int main(int argc, char **argv)
{
	size_t round = 0, page;
	int huge = 0, node = 0, vm = 0, i;

	pages = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	for (i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "--huge"))
			huge = 1;
		else if (!strcmp(argv[i], "--stray") && i + 1 < argc)
			node = atoi(argv[++i]);
		else if (!strcmp(argv[i], "--vm"))
			vm = 1;
		else
			pages = 0;
	}
	if (!pages) {
		fprintf(stderr, "usage: warm PAGES [--huge] [--stray NODE] [--vm]\n");
		return 2;
	}
	hot = map(pages * 4096, huge);
	idle = map(pages * 4096, huge);
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	signal(SIGTERM, on_signal);
	for (page = 0; page < pages; page++) {
		write_page(hot, page, 0);
		write_page(idle, page, 0);
	}
	if (vm)
		vcpu_open(hot, pages);
	puts("ready");
	fflush(stdout);
	while (!ended) {
		use_hot(vm, round);
		round++;
		usleep(20000);
		for (page = 0; ended && page < pages; page++) {
			check_page(idle, page, 0);
			check_page(hot, page, vm ? 0 : round);
		}
		if (strays) {
			strays = 0;
			printf("strayed %zu\n", on_node(idle, node, &node));
			fflush(stdout);
		}
		if (asked) {
			asked = 0;
			report();
		}
	}
	return !!errors;
}
