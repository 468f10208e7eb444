// SPDX-License-Identifier: GPL-2.0-only
/*
 * banks hold PAGES FILE [CPU]: waits for FILE to appear, touches that many pages
 * of anonymous memory, on that CPU, prints their address, and waits to be killed.
 *
 * banks where PID ADDRESS PAGES MAP BANK[-BANK]...: reads from outside where
 * these pages of that process lie, and prints how many there are, how many of
 * them lie in the banks, and how many in the frame before or behind that of the
 * page before. MAP is as written to bank_maps/add, of masks or levels that have
 * no bit, or no size, below the page: worked out here by other means than there.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int hold(size_t pages, const char *wait, const char *cpu)
{
	cpu_set_t set;
	char *memory;

	CPU_ZERO(&set);
	CPU_SET(cpu ? atoi(cpu) : 0, &set);
	if (cpu && sched_setaffinity(0, sizeof(set), &set))
		return 5;
	while (access(wait, F_OK))
		usleep(10000);
	memory = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 3;
	madvise(memory, pages * 4096, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		if (memory[i * 4096]++)
			return 4;
	printf("%p\n", (void *)memory);
	fflush(stdout);
	pause();
	return 0;
}

static int bank_of_masks(const char *masks, uint64_t address)
{
	int bank = 0, i = 0;
	char *end;

	do {
		uint64_t bits = strtoull(masks, &end, 16) & address;
		int parity = 0;

		for (; bits; bits >>= 1)
			parity ^= bits & 1;
		bank |= parity << i++;
		masks = end + 1;
	} while (*end == ',');
	return bank;
}

static int bank_of_levels(const char *levels, uint64_t address)
{
	int bank = 0, base = 1;
	char *end;

	do {
		uint64_t size = strtoull(levels, &end, 10), count;

		size <<= *end == 'K' ? 10 : *end == 'M' ? 20 : 0;
		end += *end != 'x';
		count = strtoull(end + 1, &end, 10);
		if (size >= 4096) {
			bank += base * (address / size % count);
			base *= count;
		}
		levels = end + 1;
	} while (*end == ',');
	return bank;
}

static int bank_of(const char *map, uint64_t address)
{
	if (!strncmp(map, "xor=", 4))
		return bank_of_masks(map + 4, address);
	if (!strncmp(map, "interleave=", 11))
		return bank_of_levels(map + 11, address);
	exit(2);
}

static int is_in(int bank, char **ranges)
{
	int first, last;

	for (; *ranges; ranges++) {
		if (sscanf(*ranges, "%d-%d", &first, &last) < 2)
			last = first = atoi(*ranges);
		if (bank >= first && bank <= last)
			return 1;
	}
	return 0;
}

static int where(const char *pid, uint64_t address, size_t pages,
		 const char *map, char **banks)
{
	size_t there = 0, in = 0, successive = 0;
	uint64_t entry, before = 0;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/pagemap", pid);
	fd = open(path, O_RDONLY);
	for (size_t i = 0; i < pages; i++) {
		if (pread(fd, &entry, 8, (address / 4096 + i) * 8) != 8)
			return 3;
		if (!(entry >> 63))
			continue;
		entry &= (1ULL << 55) - 1;
		there++;
		in += is_in(bank_of(map, entry * 4096), banks);
		successive += entry + 1 == before || entry == before + 1;
		before = entry;
	}
	printf("%zu %zu %zu\n", there, in, successive);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 4 && !strcmp(argv[1], "hold"))
		return hold(strtoul(argv[2], NULL, 0), argv[3], argv[4]);
	if (argc >= 7 && !strcmp(argv[1], "where"))
		return where(argv[2], strtoull(argv[3], NULL, 0),
			     strtoul(argv[4], NULL, 0), argv[5], argv + 6);
	fprintf(stderr, "usage: banks hold PAGES FILE [CPU] | where PID ADDRESS PAGES MAP BANK[-BANK]...\n");
	return 2;
}
