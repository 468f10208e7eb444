/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that becomes faulty by the program's own doing, as scripts/vm --fault later has it, and what is found of that. */
#ifndef FAULTS_H
#define FAULTS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE		4096UL
#define WORDS		(PAGE / sizeof(uint64_t))
#define LINE		64

/*
 * Free frames are taken from large blocks: what the kernel takes for itself,
 * and nobody can move, comes from small ones.
 */
#define BLOCK		1024

#define FREE		(1ULL << 10)	/* in /proc/kpageflags */

#define BAD_PAGES	"/sys/kernel/debug/memsuite/memdiag/bad_pages"

static inline void fail(const char *what)
{
	perror(what);
	exit(3);
}

static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* @flags: of a block */
static inline bool all_free(const uint64_t *flags)
{
	for (size_t i = 0; i < BLOCK; i++)
		if (flags[i] != FREE)
			return false;
	return true;
}

/*
 * A byte of the page that disturbs a word of it. In the same page, so that it is in every
 * block that the cell is in, but in another line: of what one vector holds, some would be
 * written before it and some after. Nor in the first word of its line: a test reads that
 * twice, which is one read of the memory and, for want of caches, two for the host.
 */
static inline unsigned int aggressor_of(unsigned int word)
{
	unsigned int byte;

	do {
		byte = random() % PAGE;
	} while (byte / LINE == word / 8 || byte % LINE < 8);
	return byte;
}

/* They fail from now on. @argv: "fault", and what scripts/vm --fault takes of each; NULL */
static inline void faults_appear(char **argv)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		execvp(argv[0], argv);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || status) {
		fprintf(stderr, "%s: no cell fails\n", program_invocation_short_name);
		exit(3);
	}
}

/* A page of the list of bad pages. */
struct bad_page {
	unsigned long long frame, address, mask;
	bool retired;
};

/* The next one; false: that was the last. */
static inline bool bad_page_read(FILE *table, struct bad_page *page)
{
	char row[512];

	while (fgets(row, sizeof(row), table)) {
		if (sscanf(row, "%llx %llx %llx", &page->frame, &page->address, &page->mask) != 3)
			continue;
		page->retired = !strcmp(strrchr(row, ' '), " 1\n");
		return true;
	}
	return false;
}

/*
 * Whether it is that of the cell in this bit of a word of the frame. Of a block with many bad
 * pages, some have no mask, and their own address.
 */
static inline bool bad_page_is(const struct bad_page *page, uint64_t frame, unsigned int word,
			       unsigned int bit)
{
	return page->frame == frame &&
	       (!page->mask || (page->address % PAGE / 8 == word && page->mask == 1ULL << bit));
}

#endif
