// SPDX-License-Identifier: GPL-2.0-only
/*
 * onset: memory becomes faulty while it is in use; what is found of that, and
 * what becomes of the data.
 *
 * onset WINDOW PAGES FILE KIND...
 *
 * Fills PAGES pages of memory, and FILE, which is then in the page cache. For
 * WINDOW seconds all is well. Then FAULTS cells of each KIND fail, as those of
 * scripts/vm --fault later do, in frames of each class: free ones, those of the
 * memory, and those of the file. For another WINDOW seconds it watches the list
 * of bad pages.
 *
 * All the time, both are checked bit by bit; the memory is then written anew.
 * A page that has lain in a faulty cell may be wrong in that cell's bit. It is
 * moved as a whole, so the bit keeps its place in the page: a page is "faulty"
 * if it is wrong only where, in some page, a cell is, and else an error.
 *
 * Prints for each window
 *	before|after errors E faulty F pages P resident R strays S
 * of all checks of pages, E and F found them so; R is the least there ever were
 * of the file's P in the page cache; S pages are on the list for no cell. And
 *	KIND CLASS cells C found N last S seen M taken T
 * N of C are on the list and retired, the last one S seconds after it failed;
 * M were seen in the data that lay there when it did; T others were free and are
 * the kernel's own memory now, which nobody can test.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../lib/faults.h"
#include "../lib/frames.h"

#define FAULTS		20
#define MAX_KINDS	16
#define MAX_CELLS	(MAX_KINDS * NR_CLASSES * FAULTS)
#define PAUSE_US	200000

/* In /proc/kpageflags. */
#define SLAB		(1ULL << 7)
#define PAGE_TABLE	(1ULL << 26)

enum class { CLASS_FREE, CLASS_ANONYMOUS, CLASS_CACHE, NR_CLASSES };

static const char *const class_name[] = { "free", "anonymous", "cache" };

/* A frame, and which page of the memory or of the file is in it. */
struct frame {
	uint64_t number;
	size_t page;
};

struct cell {
	unsigned int kind;
	enum class class;
	struct frame frame;
	unsigned int word;	/* of the page */
	unsigned int bit;	/* of the word */
	char *spec;
	bool seen;
	bool found;
};

static uint64_t *memory;
static size_t pages, rounds;
static int file;
static char **kinds;
static unsigned int nr_kinds;
static struct cell cells[MAX_CELLS];
static size_t nr_cells;
static uint64_t failing[WORDS];		/* bits of a page that cells are in */
static size_t errors, faulty, resident, strays;
static double last[MAX_KINDS][NR_CLASSES];

/* The file holds what the memory does in round 0. */
static uint64_t expected(size_t page, size_t round, size_t i)
{
	return (page * 0x9e3779b97f4a7c15ULL) ^ (round << 32) ^ i;
}

static void write_page(uint64_t *words, size_t page, size_t round)
{
	for (size_t i = 0; i < WORDS; i++)
		words[i] = expected(page, round, i);
}

static void fill(void)
{
	uint64_t words[WORDS];

	for (size_t page = 0; page < pages; page++) {
		write_page(memory + page * WORDS, page, 0);
		write_page(words, page, 0);
		if (write(file, words, PAGE) != (ssize_t)PAGE)
			fail("write");
	}
	if (fsync(file))
		fail("fsync");
}

static void see(enum class class, size_t page, size_t i, uint64_t wrong)
{
	struct cell *cell;

	for (cell = cells; cell < cells + nr_cells; cell++)
		if (cell->class == class && cell->frame.page == page &&
		    cell->word == i)
			cell->seen |= wrong >> cell->bit & 1;
}

static void check_page(enum class class, const uint64_t *words, size_t page,
		       size_t round)
{
	bool differs = false, error = false;

	for (size_t i = 0; i < WORDS; i++) {
		uint64_t wrong = words[i] ^ expected(page, round, i);

		if (!wrong)
			continue;
		differs = true;
		error |= wrong & ~failing[i];
		see(class, page, i, wrong);
	}
	errors += error;
	faulty += differs && !error;
}

static void check_memory(void)
{
	for (size_t page = 0; page < pages; page++) {
		uint64_t *words = memory + page * WORDS;

		check_page(CLASS_ANONYMOUS, words, page, rounds);
		write_page(words, page, rounds + 1);
	}
	rounds++;
}

/* Read, not mapped: nothing but the page cache itself keeps it there. */
static void check_file(void)
{
	uint64_t words[WORDS];

	for (size_t page = 0; page < pages; page++) {
		if (pread(file, words, PAGE, page * PAGE) != (ssize_t)PAGE)
			fail("pread");
		check_page(CLASS_CACHE, words, page, 0);
	}
}

static void *map_file(void)
{
	void *map = mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, file, 0);

	if (map == MAP_FAILED)
		fail("mmap");
	return map;
}

static void check_residency(void)
{
	unsigned char *in_core = malloc(pages);
	void *map = map_file();
	size_t there = 0;

	if (!in_core || mincore(map, pages * PAGE, in_core))
		fail("mincore");
	for (size_t page = 0; page < pages; page++)
		there += in_core[page] & 1;
	if (there < resident)
		resident = there;
	munmap(map, pages * PAGE);
	free(in_core);
}

static void count_bad_page(const struct bad_page *page, double seconds)
{
	struct cell *cell;

	for (cell = cells; cell < cells + nr_cells; cell++) {
		if (!bad_page_is(page, cell->frame.number, cell->word, cell->bit))
			continue;
		if (page->retired && !cell->found) {
			cell->found = true;
			last[cell->kind][cell->class] = seconds;
		}
		return;
	}
	strays++;
}

static void read_bad_pages(double seconds)
{
	FILE *table = fopen(BAD_PAGES, "r");
	struct bad_page page;

	if (!table)
		fail(BAD_PAGES);
	strays = 0;
	while (bad_page_read(table, &page))
		count_bad_page(&page, seconds);
	fclose(table);
}

static void spend(double window, const char *name)
{
	double begun = now();

	errors = 0;
	faulty = 0;
	resident = pages;
	while (now() < begun + window) {
		check_residency();
		check_file();
		check_memory();
		read_bad_pages(now() - begun);
		usleep(PAUSE_US);
	}
	printf("%s errors %zu faulty %zu pages %zu resident %zu strays %zu\n",
	       name, errors, faulty, pages, resident, strays);
}

static size_t free_frames(struct frame **frames)
{
	int fd = open("/proc/kpageflags", O_RDONLY);
	uint64_t flags[BLOCK], number = 0;
	size_t nr = 0;

	*frames = NULL;
	while (read(fd, flags, sizeof(flags)) == sizeof(flags)) {
		if (all_free(flags)) {
			*frames = realloc(*frames,
					  (nr + BLOCK) * sizeof(**frames));
			for (size_t i = 0; i < BLOCK; i++)
				(*frames)[nr++].number = number + i;
		}
		number += BLOCK;
	}
	close(fd);
	return nr;
}

static size_t used_frames(const uint64_t *words, struct frame **frames)
{
	int map = open("/proc/self/pagemap", O_RDONLY);

	*frames = malloc(pages * sizeof(**frames));
	for (size_t page = 0; page < pages; page++)
		(*frames)[page] = (struct frame) {
			.number = frame_of(map, words + page * WORDS),
			.page = page,
		};
	close(map);
	return pages;
}

static size_t frames_of(enum class class, struct frame **frames)
{
	void *map;
	size_t nr;

	switch (class) {
	case CLASS_FREE:
		return free_frames(frames);
	case CLASS_ANONYMOUS:
		return used_frames(memory, frames);
	default:
		map = map_file();
		nr = used_frames(map, frames);
		munmap(map, pages * PAGE);
		return nr;
	}
}

static char *specify(const struct cell *cell)
{
	unsigned long page = cell->frame.number * PAGE;
	unsigned long at = page + cell->word * 8 + cell->bit / 8;
	const char *kind = kinds[cell->kind];
	char *spec;
	int length;

	if (!strcmp(kind, "coupling") || !strcmp(kind, "disturb"))
		length = asprintf(&spec, "0x%lx:%u:%s@0x%lx", at, cell->bit % 8,
				  kind, page + aggressor_of(cell->word));
	else
		length = asprintf(&spec, "0x%lx:%u:%s", at, cell->bit % 8,
				  kind);
	if (length < 0)
		fail("asprintf");
	return spec;
}

static void add_cell(unsigned int kind, enum class class, struct frame frame)
{
	struct cell *cell = &cells[nr_cells++];

	cell->kind = kind;
	cell->class = class;
	cell->frame = frame;
	cell->word = random() % WORDS;
	cell->bit = random() % 64;
	cell->spec = specify(cell);
	failing[cell->word] |= 1ULL << cell->bit;
}

/* Frames at random, none of them twice. */
static void choose(enum class class)
{
	struct frame *frames, frame;
	size_t nr = frames_of(class, &frames), i, other;

	if (nr < nr_kinds * FAULTS) {
		fprintf(stderr, "onset: %zu frames are %s\n", nr,
			class_name[class]);
		exit(3);
	}
	for (i = 0; i < nr_kinds * FAULTS; i++) {
		other = i + random() % (nr - i);
		frame = frames[other];
		frames[other] = frames[i];
		add_cell(i / FAULTS, class, frame);
	}
	free(frames);
}

static void appear(void)
{
	static char *argv[MAX_CELLS + 2] = { "fault" };

	for (size_t i = 0; i < nr_cells; i++)
		argv[i + 1] = cells[i].spec;
	faults_appear(argv);
}

static unsigned long long flags_of(const struct cell *cell)
{
	int fd = open("/proc/kpageflags", O_RDONLY);
	uint64_t flags = read_at(fd, cell->frame.number * 8, 8);

	close(fd);
	return flags;
}

static bool is_taken(const struct cell *cell, unsigned long long flags)
{
	return cell->class == CLASS_FREE && flags & (SLAB | PAGE_TABLE);
}

static void report(unsigned int kind, enum class class)
{
	unsigned int nr = 0, found = 0, seen = 0, taken = 0;
	unsigned long long flags;
	struct cell *cell;

	for (cell = cells; cell < cells + nr_cells; cell++) {
		if (cell->kind != kind || cell->class != class)
			continue;
		nr++;
		found += cell->found;
		seen += cell->seen;
		if (cell->found)
			continue;
		flags = flags_of(cell);
		taken += is_taken(cell, flags);
		/* Of a flip that is over there is nothing to be found. */
		if (strcmp(kinds[kind], "once"))
			fprintf(stderr, "# not found: %s, flags now %#llx\n",
				cell->spec, flags);
	}
	printf("%s %s cells %u found %u last %.0f seen %u taken %u\n",
	       kinds[kind], class_name[class], nr, found, last[kind][class],
	       seen, taken);
}

int main(int argc, char **argv)
{
	double window = argc > 4 ? atof(argv[1]) : 0;
	unsigned int kind;
	enum class class;

	pages = argc > 4 ? strtoul(argv[2], NULL, 0) : 0;
	if (!pages || window <= 0 || argc - 4 > MAX_KINDS) {
		fprintf(stderr, "usage: onset WINDOW PAGES FILE KIND...\n");
		return 2;
	}
	kinds = argv + 4;
	nr_kinds = argc - 4;
	srandom(time(NULL) ^ getpid());
	file = open(argv[3], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (file < 0)
		fail(argv[3]);
	memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		fail("mmap");
	madvise(memory, pages * PAGE, MADV_NOHUGEPAGE);
	fill();

	spend(window, "before");
	for (class = 0; class < NR_CLASSES; class++)
		choose(class);
	appear();
	spend(window, "after");

	for (kind = 0; kind < nr_kinds; kind++)
		for (class = 0; class < NR_CLASSES; class++)
			report(kind, class);
	return 0;
}
