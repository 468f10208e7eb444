// SPDX-License-Identifier: GPL-2.0-only
/*
 * libvip, with the module ("placed") or without it: prints KTAP. Linked with the
 * shared library.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vip.h"

#define WRITE_HIGH (_VIP_TYP_WRITE | _VIP_UTIL_HI)

VIP_DATA_WRITE_LOW static char written[8192] = { 1 };
VIP_TAG_STATIC_DATA;

static int nr, failed;
static bool placed;

static void check(const char *name, bool good)
{
	failed += !good;
	printf("%sok %d %s\n", good ? "" : "not ", ++nr, name);
}

/* That an address has these flags, or without the module none. */
static bool has(const void *address, int flags)
{
	struct vipzone_range range = { .start = (uintptr_t)address };
	int device = open("/dev/vipzone", O_RDWR), err;

	if (device < 0)
		return !placed;
	err = ioctl(device, VIPZONE_QUERY, &range);
	close(device);
	return err ? flags < 0 : (int)range.flags == flags;
}

static bool allocates(void)
{
	static const int kinds[] = { 0, _VIP_TYP_WRITE, _VIP_UTIL_HI, WRITE_HIGH };
	bool good = true;

	for (size_t bytes = 0; bytes < 3000000; bytes = bytes * 2 + 1)
		for (int i = 0; i < 4; i++) {
			char *memory = vip_malloc(bytes, kinds[i]);

			if (!memory)
				return false;
			memset(memory, 1, bytes);
			good &= has(memory, kinds[i]) && malloc_usable_size(memory) >= bytes &&
				!((uintptr_t)memory % 16);
			if (i % 2)
				free(memory);
			else
				vip_free(memory);
		}
	return good;
}

static bool is_zero(const char *memory, size_t bytes)
{
	while (bytes--)
		if (*memory++)
			return false;
	return true;
}

static bool clears(void)
{
	bool good = true;

	for (size_t bytes = 10; bytes < 300000; bytes *= 2) {
		char *memory = vip_malloc(bytes, WRITE_HIGH);

		memset(memory, 1, bytes);
		free(memory);
		memory = vip_calloc(bytes / 10, 10, WRITE_HIGH);
		good &= memory && is_zero(memory, bytes / 10 * 10) && has(memory, WRITE_HIGH);
		free(memory);
	}
	return good;
}

static bool grows(void)
{
	volatile size_t count = ~0UL;
	char *memory = NULL;
	size_t bytes;

	for (bytes = 1; bytes < 2000000; bytes = bytes * 3 + 7) {
		memory = memory ? realloc(memory, bytes) : vip_malloc(bytes, WRITE_HIGH);
		if (!memory || !has(memory, WRITE_HIGH) || (bytes > 1 && memory[(bytes - 7) / 3 - 1] != 5))
			return false;
		memory[bytes - 1] = 5;
	}
	memory = reallocarray(memory, 10, 10);
	if (!memory || !has(memory, WRITE_HIGH))
		return false;
	memory = vip_realloc(memory, 100, _VIP_TYP_WRITE);
	if (!memory || !has(memory, _VIP_TYP_WRITE))
		return false;
	memory = realloc(memory, 0);
	return !memory && !reallocarray(NULL, count, 2);
}

/* Page tables move, and both places have the flags then. */
static bool moves(void)
{
	char *memory = vip_malloc(3 << 20, WRITE_HIGH), *behind = vip_malloc(3 << 20, WRITE_HIGH), *moved, *again;

	for (int i = 0; i < 3 << 20; i += 4096)
		memory[i] = i >> 12;
	moved = realloc(memory, 9 << 20);
	for (int i = 0; i < 3 << 20; i += 4096)
		if (moved[i] != (char)(i >> 12))
			return false;
	memset(moved, 1, 9 << 20);
	again = vip_malloc(3 << 20, WRITE_HIGH);
	again[0] = 1;
	if (!has(again, WRITE_HIGH) || !has(again + (3 << 20) - 1, WRITE_HIGH) || !has(moved, WRITE_HIGH) ||
	    !has(moved + (3 << 20), WRITE_HIGH) || !has(moved + (9 << 20) - 1, WRITE_HIGH))
		return false;
	if (placed && (moved == memory || !has(memory, WRITE_HIGH)))
		return false;
	free(again);
	free(behind);
	free(moved);
	return true;
}

static bool mixes(void)
{
	char *memory = malloc(100);

	memory = vip_realloc(memory, 200, WRITE_HIGH);
	vip_free(memory);
	vip_free(malloc(100));
	vip_free(NULL);
	free(NULL);
	memory = strdup("a string");
	memory = realloc(memory, 100000);
	free(memory);
	return !malloc_usable_size(NULL);
}

static bool aligns(void)
{
	bool good = true;

	for (size_t alignment = 1; alignment <= 1 << 20; alignment *= 4) {
		char *memory = vip_aligned_alloc(alignment, 1000, WRITE_HIGH);

		good &= memory && !((uintptr_t)memory % alignment);
		free(memory);
	}
	return good && !vip_aligned_alloc(3, 10, 0) && errno == EINVAL;
}

static bool refuses(void)
{
	return !vip_malloc(10, 1) && errno == EINVAL && !vip_calloc(1, 1, 0x40) && errno == EINVAL &&
	       !vip_calloc(~0UL, 2, 0) && errno == ENOMEM && !vip_malloc(~0UL / 2, 0) && errno == ENOMEM &&
	       vip_tag(&nr, 1, 0x40) && errno == EINVAL && salloc_policy("heap") &&
	       (placed ? errno == EINVAL || errno == EPERM : errno == ENOENT);
}

static bool maps(void)
{
	char *memory = vip_mmap(NULL, 10000, PROT_READ | PROT_WRITE | WRITE_HIGH, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *moved;

	if (memory == MAP_FAILED || !has(memory, WRITE_HIGH))
		return false;
	memory[9999] = 1;
	moved = mremap(memory, 12288, 12288, MREMAP_MAYMOVE | MREMAP_FIXED,
		       mmap(NULL, 12288, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	if (moved == MAP_FAILED || !has(moved, WRITE_HIGH) || moved[9999] != 1)
		return false;
	munmap(moved, 4096);
	vip_munmap(moved + 4096, 8192);
	return vip_mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL;
}

#define MANY 10000

/* Ranges that lie apart: with an unmapped page each between them. */
static bool has_many(void)
{
	static char *ranges[MANY];
	bool good = true;

	for (int i = 0; i < MANY; i++) {
		ranges[i] = vip_mmap(NULL, 8192, PROT_READ | PROT_WRITE | (i % 2 ? WRITE_HIGH : _VIP_TYP_WRITE),
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (ranges[i] == MAP_FAILED)
			return false;
		munmap(ranges[i] + 4096, 4096);
		ranges[i][0] = i;
	}
	for (int i = 0; i < MANY; i++) {
		good &= ranges[i][0] == (char)i && has(ranges[i], i % 2 ? WRITE_HIGH : _VIP_TYP_WRITE);
		munmap(ranges[i], 4096);
	}
	return good;
}

static void *toil(void *unused)
{
	char *pieces[64] = {};
	unsigned int seed = (uintptr_t)&pieces;

	for (int i = 0; i < 20000; i++) {
		char **piece = &pieces[rand_r(&seed) % 64];
		size_t bytes = rand_r(&seed) % 20000;

		if (*piece && rand_r(&seed) % 2) {
			*piece = realloc(*piece, bytes + 1);
		} else {
			free(*piece);
			*piece = i % 2 ? vip_malloc(bytes + 1, WRITE_HIGH) : malloc(bytes + 1);
		}
		if (!*piece)
			return unused;
		(*piece)[bytes] = 1;
	}
	for (int i = 0; i < 64; i++)
		free(pieces[i]);
	return NULL;
}

/* Children allocate while threads of the parent do. */
static bool forks(void)
{
	char *memory = vip_malloc(100, WRITE_HIGH);
	pthread_t threads[3];
	bool good = true;
	void *bad;

	for (int i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, toil, &nr))
			return false;
	for (int i = 0; i < 20; i++) {
		int status;
		pid_t pid = fork();

		if (!pid) {
			char *own = vip_malloc(100, WRITE_HIGH);

			_exit(!own || !has(own, WRITE_HIGH) || !has(memory, WRITE_HIGH) || toil(&nr));
		}
		good &= waitpid(pid, &status, 0) == pid && !status;
	}
	for (int i = 0; i < 3; i++) {
		pthread_join(threads[i], &bad);
		good &= !bad;
	}
	free(memory);
	return good;
}

static double ns_of(int rounds, bool vip)
{
	struct timespec from, to;
	void *pieces[64] = {};

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (int i = 0; i < rounds; i++) {
		free(pieces[i % 64]);
		pieces[i % 64] = vip ? vip_malloc(i % 1000, WRITE_HIGH) : malloc(i % 1000);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	for (int i = 0; i < 64; i++)
		free(pieces[i]);
	return ((to.tv_sec - from.tv_sec) * 1e9 + to.tv_nsec - from.tv_nsec) / rounds;
}

/* KiB that all of this process's memory takes. */
static long resident_kib(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[128];
	long kib = -1;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmRSS: %ld", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

/* Who is not root may be refused. Addresses that are only reserved take no memory. */
static bool locks(void)
{
	char *memory;
	long kib;

	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return true;
	memory = vip_malloc(10 << 20, WRITE_HIGH);
	if (!memory)
		return false;
	memory[5 << 20] = 1;
	kib = resident_kib();
	printf("# %ld KiB are locked\n", kib);
	free(memory);
	munlockall();
	return kib >= 10240 && kib < 131072;
}

int main(int argc, char **argv)
{
	placed = argc > 1 && !strcmp(argv[1], "placed");
	printf("KTAP version 1\n");
	check("vip_malloc", allocates());
	check("vip_calloc", clears());
	check("realloc", grows());
	check("realloc of what is large", moves());
	check("memory of malloc too", mixes());
	check("alignment", aligns());
	check("mistakes", refuses());
	check("vip_mmap, mremap and munmap", maps());
	check("static data", written[0] == 1 && has(written, _VIP_TYP_WRITE) && has(&nr, placed ? -1 : 0));
	check("10,000 ranges", has_many());
	check("threads and children", forks());
	check("memory that is locked", locks());
	printf("# a pair of malloc and free takes %.0f ns, of vip_malloc and free %.0f ns\n", ns_of(300000, false),
	       ns_of(300000, true));
	printf("1..%d\n", nr);
	return failed > 0;
}
