// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program whose mremap(2) fails, as seccomp or vm.max_map_count have it: blocks grow and are freed again
 * and again. Fails if they take more and more addresses.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "vip.h"

void *mremap(void *old, size_t bytes, size_t more, int flags, ...)
{
	(void)old, (void)bytes, (void)more, (void)flags;
	errno = EPERM;
	return MAP_FAILED;
}

/* Another block behind each keeps it from growing in place. Return: the highest address. */
static uintptr_t grow(void)
{
	char *block = NULL, *behind[16];
	uintptr_t highest = 0;
	size_t bytes = 1 << 20, nr = 0;

	for (; bytes <= 32 << 20; bytes += bytes / 2) {
		block = vip_realloc(block, bytes, _VIP_TYP_WRITE);
		behind[nr] = vip_malloc(64 << 10, _VIP_TYP_WRITE);
		if (!block || !behind[nr])
			abort();
		memset(block, 1, bytes);
		if ((uintptr_t)block > highest)
			highest = (uintptr_t)block;
		nr++;
	}
	while (nr)
		vip_free(behind[--nr]);
	vip_free(block);
	return highest;
}

int main(void)
{
	uintptr_t first = grow(), last = 0;
	int i;

	for (i = 0; i < 50; i++)
		last = grow();
	if (last > first + (256 << 20)) {
		printf("libvip-grow: %zu MiB further up\n", (size_t)(last - first) >> 20);
		return 1;
	}
	puts("libvip-grow: good");
	return 0;
}
