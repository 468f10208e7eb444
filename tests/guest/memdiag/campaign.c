// SPDX-License-Identifier: GPL-2.0-only
/*
 * campaign SEED COUNT WINDOW CACHE SHM POOL_START POOL_END: memory of all classes becomes faulty in all ways; what is
 * found of that.
 *
 * Holds memory of each class: the files CACHE (on a disk) and SHM (on a tmpfs) are made for it. COUNT cells fail, as those
 * of scripts/vm --fault later do, in frames, bits and ways that SEED chooses, one a page; a pool has frames between the
 * two addresses. For WINDOW seconds at most it then watches the list of bad pages. Prints for each cell
 *	fault KIND CLASS ADDR:BIT:KIND VERDICT SECONDS
 * where VERDICT is
 *	found	it is on the list, and retired
 *	missed	it is not
 *	taken	it is not, and the frame is the kernel's own by now, which nobody can test
 *	right	it was wrong once, and is not on the list
 *	wrong	it was wrong once, and is
 * and for each page on the list that has no cell
 *	stray FRAME ADDRESS MASK
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

#define HUGE		(2UL << 20)
#define HELD		(8UL << 20)	/* of each class */
#define CELLS_MAX	200
#define DMA_END		4096

/* In /proc/kpageflags. */
#define LRU		(1ULL << 5)
#define THP		(1ULL << 22)
#define OFFLINE		(1ULL << 23)

enum class { FREE_MEMORY, DMA, ANONYMOUS, MLOCKED, CACHE, TMPFS, HUGE_PAGE, HUGETLB, POOL, NR_CLASSES };

static const char *const class_name[] = {
	"free", "dma", "anonymous", "mlocked", "cache", "tmpfs", "thp", "hugetlb", "pool",
};

/* Of the usual 10 ms of 200 ms, few would be those in which the cell is tested. */
static const char *const kinds[] = {
	"sa0", "sa1", "fast-sa0", "fast-sa1", "intermittent=0,1,2", "intermittent=1,1,2", "coupling", "disturb", "alias",
	"transient", "once",
};

#define NR_KINDS	(sizeof(kinds) / sizeof(kinds[0]))

struct cell {
	const char *kind;
	enum class class;
	uint64_t frame;
	uint64_t other;		/* of an alias */
	unsigned int word;	/* of the page */
	unsigned int bit;	/* of the word */
	char *spec;
	double found_s;		/* 0: it is not */
};

struct frames {
	uint64_t *number;
	size_t nr;
};

static struct cell cells[CELLS_MAX];
static size_t nr_cells;
static void *held[NR_CLASSES];
static uint64_t pool_start, pool_end;
static const char *cache_path, *shm_path;

static void *map(size_t size, int flags, int fd)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (at == MAP_FAILED)
		fail("mmap");
	return at;
}

static void *map_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char page[PAGE];
	void *at;

	if (fd < 0)
		fail(path);
	memset(page, 0x5a, sizeof(page));
	for (size_t done = 0; done < HELD; done += PAGE)
		if (write(fd, page, PAGE) != (ssize_t)PAGE)
			fail(path);
	/* What is to be written is not moved. */
	if (fsync(fd))
		fail(path);
	at = map(HELD, MAP_SHARED, fd);
	close(fd);
	return at;
}

static void *map_private(int advice)
{
	char *at = map(HELD + HUGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	at += -(uintptr_t)at & (HUGE - 1);
	madvise(at, HELD, advice);
	memset(at, 0x5a, HELD);
	return at;
}

static void hold_all(void)
{
	held[ANONYMOUS] = map_private(MADV_NOHUGEPAGE);
	held[MLOCKED] = map_private(MADV_NOHUGEPAGE);
	if (mlock(held[MLOCKED], HELD))
		fail("mlock");
	held[HUGE_PAGE] = map_private(MADV_HUGEPAGE);
	held[HUGETLB] = map(HELD, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1);
	memset(held[HUGETLB], 0x5a, HELD);
	held[CACHE] = map_file(cache_path);
	held[TMPFS] = map_file(shm_path);
}

static void frames_add(struct frames *frames, uint64_t number)
{
	if (!(frames->nr & (frames->nr - 1)))
		frames->number = realloc(frames->number, (2 * frames->nr + 1) * sizeof(*frames->number));
	frames->number[frames->nr++] = number;
}

static uint64_t *all_flags(size_t *nr)
{
	int fd = open("/proc/kpageflags", O_RDONLY);
	uint64_t *flags = NULL;
	ssize_t got;

	*nr = 0;
	if (fd < 0)
		fail("/proc/kpageflags");
	do {
		flags = realloc(flags, (*nr + BLOCK) * sizeof(*flags));
		got = read(fd, flags + *nr, BLOCK * sizeof(*flags));
		*nr += got > 0 ? got / sizeof(*flags) : 0;
	} while (got > 0);
	close(fd);
	return flags;
}

/* Frames that no program has. */
static struct frames unused_frames(enum class class)
{
	struct frames frames = { 0 };
	size_t nr, i;
	uint64_t *flags = all_flags(&nr);

	for (i = 0; i < nr; i++) {
		bool free_block = i + BLOCK <= nr - i % BLOCK && all_free(flags + i - i % BLOCK);

		if ((class == FREE_MEMORY && i >= DMA_END && free_block) ||
		    (class == DMA && i < DMA_END && flags[i] == FREE) ||
		    (class == POOL && i >= pool_start / PAGE && i < pool_end / PAGE && flags[i] & OFFLINE))
			frames_add(&frames, i);
	}
	free(flags);
	return frames;
}

static struct frames used_frames(enum class class)
{
	int places = open("/proc/self/pagemap", O_RDONLY), flags = open("/proc/kpageflags", O_RDONLY);
	struct frames frames = { 0 };

	for (size_t at = 0; at < HELD; at += PAGE) {
		uint64_t number = frame_of(places, (uint64_t *)((char *)held[class] + at));

		if (class != HUGE_PAGE || read_at(flags, number * 8, 8) & THP)
			frames_add(&frames, number);
	}
	close(places);
	close(flags);
	return frames;
}

static bool is_cell(uint64_t frame)
{
	for (size_t i = 0; i < nr_cells; i++)
		if (cells[i].frame == frame || cells[i].other == frame)
			return true;
	return false;
}

static uint64_t frame_at_random(const struct frames *frames)
{
	uint64_t frame;

	do {
		frame = frames->number[random() % frames->nr];
	} while (is_cell(frame));
	return frame;
}

/* Of an alias: in the same free block of 4 MiB. */
static uint64_t other_of(const struct cell *cell, const struct frames *frames)
{
	uint64_t other;

	do {
		other = frame_at_random(frames);
	} while (other / BLOCK != cell->frame / BLOCK || other == cell->frame);
	return other;
}

static void cell_specify(struct cell *cell, const struct frames *frames)
{
	unsigned long at = cell->frame * PAGE + cell->word * 8 + cell->bit / 8;
	char more[32] = "";

	if (!strcmp(cell->kind, "coupling") || !strcmp(cell->kind, "disturb")) {
		snprintf(more, sizeof(more), "@0x%lx", cell->frame * PAGE + aggressor_of(cell->word));
	} else if (!strcmp(cell->kind, "alias")) {
		cell->other = other_of(cell, frames);
		snprintf(more, sizeof(more), "@0x%lx", cell->other * PAGE);
	}
	if (asprintf(&cell->spec, "0x%lx:%u:%s%s", at, cell->bit % 8, cell->kind, more) < 0)
		fail("asprintf");
}

/*
 * Each class in turn, and a kind at random. Two pages that are one are none of a program's: what is in both would be
 * the kernel's and its own.
 */
static void cell_add(enum class class)
{
	struct frames frames = class == FREE_MEMORY || class == DMA || class == POOL ? unused_frames(class) :
			       used_frames(class);
	struct cell cell = { .class = class, .word = random() % WORDS, .bit = random() % 64 };

	if (frames.nr < BLOCK / 4) {
		fprintf(stderr, "campaign: %zu frames are %s\n", frames.nr, class_name[class]);
		exit(3);
	}
	do {
		cell.kind = kinds[random() % NR_KINDS];
	} while (!strcmp(cell.kind, "alias") && class != FREE_MEMORY);
	cell.frame = frame_at_random(&frames);
	cell_specify(&cell, &frames);
	cells[nr_cells++] = cell;
	free(frames.number);
}

static void appear(void)
{
	static char *argv[CELLS_MAX + 2] = { "fault" };

	for (size_t i = 0; i < nr_cells; i++)
		argv[i + 1] = cells[i].spec;
	faults_appear(argv);
}

/* Pages that are one differ anywhere. */
static bool is_of(const struct bad_page *page, const struct cell *cell)
{
	if (!strcmp(cell->kind, "alias"))
		return cell->frame == page->frame || cell->other == page->frame;
	return bad_page_is(page, cell->frame, cell->word, cell->bit);
}

/* @told: say which pages have no cell. */
static void read_bad_pages(double seconds, bool told)
{
	FILE *table = fopen(BAD_PAGES, "r");
	struct bad_page page;
	size_t i;

	if (!table)
		fail(BAD_PAGES);
	while (bad_page_read(table, &page)) {
		for (i = 0; i < nr_cells && !is_of(&page, &cells[i]); i++)
			;
		if (i == nr_cells && told)
			printf("stray 0x%llx 0x%llx 0x%016llx\n", page.frame, page.address, page.mask);
		if (i < nr_cells && !cells[i].found_s && page.retired)
			cells[i].found_s = seconds;
	}
	fclose(table);
}

static bool is_over(const struct cell *cell)
{
	return !strcmp(cell->kind, "transient") || !strcmp(cell->kind, "once");
}

static bool all_found(void)
{
	for (size_t i = 0; i < nr_cells; i++)
		if (!is_over(&cells[i]) && !cells[i].found_s)
			return false;
	return true;
}

/* Neither free, nor of the lists of what programs have, nor held by the suite: it is the kernel's. */
static bool is_taken(const struct cell *cell)
{
	int fd = open("/proc/kpageflags", O_RDONLY);
	uint64_t flags = read_at(fd, cell->frame * 8, 8);

	close(fd);
	fprintf(stderr, "# not found: %s, flags now %#llx\n", cell->spec, (unsigned long long)flags);
	return cell->class != HUGETLB && !(flags & (FREE | LRU | OFFLINE));
}

static void cell_report(const struct cell *cell)
{
	const char *verdict;

	if (is_over(cell))
		verdict = cell->found_s ? "wrong" : "right";
	else
		verdict = cell->found_s ? "found" : is_taken(cell) ? "taken" : "missed";
	printf("fault %s %s %s %s %.0f\n", cell->kind, class_name[cell->class], cell->spec, verdict, cell->found_s);
}

int main(int argc, char **argv)
{
	double begun, window;
	size_t count;

	if (argc != 8) {
		fprintf(stderr, "usage: campaign SEED COUNT WINDOW CACHE SHM POOL_START POOL_END\n");
		return 2;
	}
	srandom(strtoul(argv[1], NULL, 0));
	count = strtoul(argv[2], NULL, 0);
	window = atof(argv[3]);
	cache_path = argv[4];
	shm_path = argv[5];
	pool_start = strtoull(argv[6], NULL, 0);
	pool_end = strtoull(argv[7], NULL, 0);
	if (!count || count > CELLS_MAX || window <= 0) {
		fprintf(stderr, "campaign: COUNT is 1 to %d, and WINDOW some seconds\n", CELLS_MAX);
		return 2;
	}
	hold_all();
	for (size_t i = 0; i < count; i++)
		cell_add(i % NR_CLASSES);
	appear();
	begun = now();
	do {
		sleep(1);
		read_bad_pages(now() - begun, false);
	} while (!all_found() && now() < begun + window);
	read_bad_pages(now() - begun, true);
	for (size_t i = 0; i < nr_cells; i++)
		cell_report(&cells[i]);
	return 0;
}
