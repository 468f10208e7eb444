// SPDX-License-Identifier: GPL-2.0-only
/* The memory of this machine: pagemap for its addresses, clflush and rdtsc. */
#include <cpuid.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "native.h"

#define ROUNDS	41	/* of a measurement, of which the median counts */
#define RATE_NS	50000000	/* that the rate of the counter is measured for */

/* A frame that is mapped, and where. */
struct mapped {
	uint64_t frame;
	char *page;
};

static struct mapped *mapped;

bool native_is_virtual(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && c >> 31;
}

/* The time that a pair of loads takes which nobody has in a cache. */
static unsigned int time_once(volatile char *a, volatile char *b)
{
	unsigned int unused;
	uint64_t start;

	_mm_clflush((void *)a);
	_mm_clflush((void *)b);
	_mm_mfence();
	start = __rdtscp(&unused);
	_mm_lfence();
	(void)*a;
	(void)*b;
	_mm_lfence();
	return __rdtscp(&unused) - start;
}

/* Where a line is mapped. */
static char *mapped_at(const struct memory *memory, uint64_t address)
{
	return mapped[memory_find(memory, address)].page + address % PAGE;
}

static unsigned int measure(void *context, uint64_t a, uint64_t b)
{
	struct memory *memory = context;
	char *at_a = mapped_at(memory, a), *at_b = mapped_at(memory, b);
	int times[ROUNDS];
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		times[i] = time_once(at_a, at_b);
	sort_times(times, ROUNDS);
	return times[ROUNDS / 2];
}

/*
 * One read after another: the next address takes what the last one has read,
 * which is zero. The processor does not know that.
 */
static void read_all(char *const *at, unsigned int nr)
{
	uint64_t zero = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		zero = *(volatile uint64_t *)(at[i] + zero);
}

static void flush_all(char *const *at, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		_mm_clflush(at[i]);
		_mm_mfence();
	}
}

/*
 * Makes the lines what the access is of, and their translations known: a flush
 * needs these, too, and opens no row of the DRAM.
 */
static void prepare(enum access access, char *const *at, unsigned int nr)
{
	unsigned int i;

	switch (access) {
	case READ_MEMORY:
		flush_all(at, nr);
		break;
	case READ_CACHE:
	case FLUSH_CLEAN:
		read_all(at, nr);
		break;
	case FLUSH_DIRTY:
		for (i = 0; i < nr; i++)
			*(volatile uint64_t *)at[i] = 0;
		break;
	}
}

static unsigned int time_chain(void *context, enum access access,
			       const uint64_t *lines, unsigned int nr)
{
	unsigned int i, unused;
	uint64_t start;
	char *at[MAX_CHAIN];

	for (i = 0; i < nr; i++)
		at[i] = mapped_at(context, lines[i]);
	prepare(access, at, nr);
	_mm_mfence();
	start = __rdtscp(&unused);
	_mm_lfence();
	if (access == READ_MEMORY || access == READ_CACHE)
		read_all(at, nr);
	else
		flush_all(at, nr);
	_mm_lfence();
	return __rdtscp(&unused) - start;
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

double native_cycles_per_ns(void)
{
	double start_ns = now_ns(), passed_ns;
	uint64_t start = __rdtsc();

	do {
		passed_ns = now_ns() - start_ns;
	} while (passed_ns < RATE_NS);
	return (__rdtsc() - start) / passed_ns;
}

static int compare_frames(const void *a, const void *b)
{
	const struct mapped *left = a, *right = b;

	return left->frame < right->frame ? -1 : left->frame > right->frame;
}

/* The frame numbers of the pages behind @buffer: into mapped. */
static const char *look_up(char *buffer, size_t nr)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	const char *why = NULL;
	uint64_t entry;
	size_t i;

	if (fd < 0)
		return "cannot open /proc/self/pagemap";
	for (i = 0; i < nr && !why; i++) {
		mapped[i].page = buffer + i * PAGE;
		if (pread(fd, &entry, sizeof(entry),
			  (uintptr_t)mapped[i].page / PAGE * sizeof(entry)) !=
		    sizeof(entry))
			why = "cannot read /proc/self/pagemap";
		mapped[i].frame = entry & ((1ULL << 55) - 1);
		if (!why && !mapped[i].frame)
			why = "the kernel does not tell physical addresses: run as root (CAP_SYS_ADMIN)";
	}
	close(fd);
	return why;
}

const char *native_open(struct memory *memory, size_t mib, uint64_t from,
			uint64_t to)
{
	size_t nr = mib * (1048576 / PAGE), i, kept = 0;
	const char *why;
	char *buffer;

	buffer = mmap(NULL, nr * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (buffer == MAP_FAILED)
		return "cannot get that much memory";
	if (mlock(buffer, nr * PAGE))
		return "cannot lock that much memory: run as root (CAP_IPC_LOCK), or let it be less";
	mapped = malloc(nr * sizeof(*mapped));
	memory->frames = malloc(nr * sizeof(*memory->frames));
	if (!mapped || !memory->frames)
		return "cannot get that much memory";
	why = look_up(buffer, nr);
	if (why)
		return why;
	for (i = 0; i < nr; i++)
		if (mapped[i].frame >= from / PAGE && mapped[i].frame < to / PAGE)
			mapped[kept++] = mapped[i];
	qsort(mapped, kept, sizeof(*mapped), compare_frames);
	for (i = 0; i < kept; i++)
		memory->frames[i] = mapped[i].frame;
	memory->nr = kept;
	memory->latency = measure;
	memory->chain = time_chain;
	memory->context = memory;
	memory->seed = 1;
	return NULL;
}
