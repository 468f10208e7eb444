// SPDX-License-Identifier: GPL-2.0-only
/* The memory of this machine: pagemap for its addresses, clflush and rdtsc. */
#include <cpuid.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

#include "native.h"

#define ROUNDS	41	/* of a measurement, of which the median counts */

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

static int compare_times(const void *a, const void *b)
{
	unsigned int left = *(const unsigned int *)a;
	unsigned int right = *(const unsigned int *)b;

	return left < right ? -1 : left > right;
}

static unsigned int measure(void *context, uint64_t a, uint64_t b)
{
	struct memory *memory = context;
	char *at_a = mapped[memory_find(memory, a)].page + a % PAGE;
	char *at_b = mapped[memory_find(memory, b)].page + b % PAGE;
	unsigned int times[ROUNDS], i;

	for (i = 0; i < ROUNDS; i++)
		times[i] = time_once(at_a, at_b);
	qsort(times, ROUNDS, sizeof(*times), compare_times);
	return times[ROUNDS / 2];
}

static int compare_frames(const void *a, const void *b)
{
	const struct mapped *left = a, *right = b;

	return left->frame < right->frame ? -1 : left->frame > right->frame;
}

/* The frame numbers of the pages behind @buffer. */
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

const char *native_open(struct memory *memory, size_t mib)
{
	size_t nr = mib * (1048576 / PAGE), i;
	const char *why;
	char *buffer;

	buffer = mmap(NULL, nr * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (buffer == MAP_FAILED || mlock(buffer, nr * PAGE))
		return "cannot get that much memory";
	mapped = malloc(nr * sizeof(*mapped));
	memory->frames = malloc(nr * sizeof(*memory->frames));
	if (!mapped || !memory->frames)
		return "cannot get that much memory";
	why = look_up(buffer, nr);
	if (why)
		return why;
	qsort(mapped, nr, sizeof(*mapped), compare_frames);
	for (i = 0; i < nr; i++)
		memory->frames[i] = mapped[i].frame;
	memory->nr = nr;
	memory->latency = measure;
	memory->context = memory;
	memory->seed = 1;
	return NULL;
}
