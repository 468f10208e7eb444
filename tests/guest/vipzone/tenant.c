// SPDX-License-Identifier: GPL-2.0-only
/*
 * tenant PAGES START END: has memory of its own, and does with it what its
 * standard input says, a command a line. Each is answered by one line.
 *
 * fill		writes contents that no other page has, and others each time
 * alike	writes the same to all pages
 * check	"same", if all contents are what was written, or else "changed"
 * where	"pages P in I swapped S": of P pages I lie in the range of physical
 *		addresses, and S in swap
 * fork		a child checks, writes, and checks what it wrote, while its
 *		parent writes half of the pages, too: "same" or "changed"
 * lock, unlock, drop, pageout, merge, unmerge, huge, small, collapse
 *		"done", or the number of the error: mlock(2) and madvise(2)
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE	4096UL
#define WORDS	(PAGE / sizeof(uint64_t))
#define HUGE	(2UL << 20)

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT	21
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

static const struct {
	const char *name;
	int advice;
} advices[] = {
	{ "drop", MADV_DONTNEED },
	{ "pageout", MADV_PAGEOUT },
	{ "merge", MADV_MERGEABLE },
	{ "unmerge", MADV_UNMERGEABLE },
	{ "huge", MADV_HUGEPAGE },
	{ "small", MADV_NOHUGEPAGE },
	{ "collapse", MADV_COLLAPSE },
};

static uint64_t *memory, start, end;
static size_t pages;

/* What was written last: @seed by the half that a page is in. */
static struct {
	uint64_t seed[2];
	int alike;
} contents;

static uint64_t first_word(size_t page)
{
	return (contents.alike ? 0 : page * 0x9e3779b97f4a7c15ULL) ^ contents.seed[page >= pages / 2] << 40;
}

static void write_pages(size_t first, size_t last)
{
	size_t page, i;

	for (page = first; page < last; page++) {
		uint64_t word = first_word(page);

		for (i = 0; i < WORDS; i++)
			memory[page * WORDS + i] = word + i;
	}
}

static int is_same(void)
{
	size_t page, i;

	for (page = 0; page < pages; page++) {
		uint64_t word = first_word(page);

		for (i = 0; i < WORDS; i++)
			if (memory[page * WORDS + i] != word + i)
				return 0;
	}
	return 1;
}

static void fill(int alike)
{
	contents.alike = alike;
	contents.seed[0]++;
	contents.seed[1] = contents.seed[0];
	write_pages(0, pages);
}

static void where(void)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	size_t page, in = 0, swapped = 0;

	for (page = 0; page < pages; page++) {
		uint64_t entry, at;

		if (pread(fd, &entry, 8, ((uintptr_t)memory / PAGE + page) * 8) != 8)
			exit(3);
		at = (entry & ((1ULL << 55) - 1)) * PAGE;
		in += entry >> 63 && at >= start && at < end;
		swapped += entry >> 62 & 1;
	}
	close(fd);
	printf("pages %zu in %zu swapped %zu\n", pages, in, swapped);
}

static int fork_and_write(void)
{
	pid_t child = fork();
	int same, status;

	if (!child) {
		same = is_same();
		contents.seed[0] += 1000;
		contents.seed[1] += 1000;
		write_pages(0, pages);
		_exit(!(same && is_same()));
	}
	contents.seed[0]++;
	write_pages(0, pages / 2);
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		return 0;
	return is_same();
}

static void say(int failed)
{
	if (failed)
		printf("%d\n", errno);
	else
		puts("done");
}

static int do_known(const char *what)
{
	size_t i;

	for (i = 0; i < sizeof(advices) / sizeof(*advices); i++)
		if (!strcmp(what, advices[i].name)) {
			say(madvise(memory, pages * PAGE, advices[i].advice));
			return 1;
		}
	return 0;
}

static void serve(const char *what)
{
	if (!strcmp(what, "fill") || !strcmp(what, "alike")) {
		fill(*what == 'a');
		puts("done");
	} else if (!strcmp(what, "check")) {
		puts(is_same() ? "same" : "changed");
	} else if (!strcmp(what, "where")) {
		where();
	} else if (!strcmp(what, "fork")) {
		puts(fork_and_write() ? "same" : "changed");
	} else if (!strcmp(what, "lock")) {
		say(mlock(memory, pages * PAGE));
	} else if (!strcmp(what, "unlock")) {
		say(munlock(memory, pages * PAGE));
	} else if (!do_known(what)) {
		puts("what?");
	}
}

int main(int argc, char **argv)
{
	char line[64], *area;

	if (argc != 4) {
		fputs("usage: tenant PAGES START END\n", stderr);
		return 2;
	}
	pages = strtoul(argv[1], NULL, 0);
	start = strtoull(argv[2], NULL, 0);
	end = strtoull(argv[3], NULL, 0);
	area = mmap(NULL, pages * PAGE + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		return 3;
	memory = (uint64_t *)(((uintptr_t)area + HUGE - 1) & -HUGE);
	madvise(memory, pages * PAGE, MADV_NOHUGEPAGE);
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		serve(line);
	}
	return 0;
}
