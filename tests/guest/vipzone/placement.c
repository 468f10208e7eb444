// SPDX-License-Identifier: GPL-2.0-only
/*
 * placement: has memory, and tells from outside where another process's memory is.
 *
 * placement hold PAGES GO [--huge]: touches so many pages once the file GO exists, prints their address, and stays.
 * placement where PID ADDRESS PAGES START END [MASK:PARITY]...: prints "pages P in I huge H", of the pages there: P are
 *	in memory, I in this physical range with these parities of the physical address under masks, H in huge pages.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../lib/frames.h"

#define PAGE		4096
#define HUGE		(2ul << 20)
#define KPF_THP		22

static int hold(size_t pages, const char *go, int advice)
{
	size_t size = pages * PAGE;
	char *memory;

	while (access(go, F_OK))
		usleep(10000);
	memory = mmap(NULL, size + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	memory += -(uintptr_t)memory & (HUGE - 1);
	madvise(memory, size, advice);
	for (size_t i = 0; i < pages; i++)
		((volatile char *)memory)[i * PAGE] = 1;
	printf("%p\n", memory);
	fflush(stdout);
	for (;;)
		pause();
}

static int has_parities(uint64_t address, char **conditions)
{
	for (; *conditions; conditions++) {
		char *end;
		uint64_t mask = strtoull(*conditions, &end, 0);

		if (*end++ != ':')
			exit(2);
		if (__builtin_parityll(address & mask) != atoi(end))
			return 0;
	}
	return 1;
}

static int where(const char *pid, uint64_t address, size_t pages, uint64_t start, uint64_t end, char **conditions)
{
	int flags = open("/proc/kpageflags", O_RDONLY), map;
	size_t present = 0, in = 0, huge = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/pagemap", pid);
	map = open(path, O_RDONLY);
	for (size_t i = 0; i < pages; i++) {
		uint64_t entry = read_at(map, (address / PAGE + i) * 8, 8), frame = entry & ((1ull << 55) - 1);

		if (!(entry >> 63))
			continue;
		present++;
		in += frame * PAGE >= start && frame * PAGE < end && has_parities(frame * PAGE, conditions);
		huge += read_at(flags, frame * 8, 8) >> KPF_THP & 1;
	}
	printf("pages %zu in %zu huge %zu\n", present, in, huge);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 4 && !strcmp(argv[1], "hold"))
		return hold(strtoul(argv[2], NULL, 0), argv[3], argc > 4 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	if (argc >= 7 && !strcmp(argv[1], "where"))
		return where(argv[2], strtoull(argv[3], NULL, 0), strtoul(argv[4], NULL, 0),
			     strtoull(argv[5], NULL, 0), strtoull(argv[6], NULL, 0), argv + 7);
	fprintf(stderr, "usage: placement hold PAGES GO [--huge] | where PID ADDRESS PAGES START END [MASK:PARITY]...\n");
	return 2;
}
