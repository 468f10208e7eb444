// SPDX-License-Identifier: GPL-2.0-only
/* The order of frames in a container. Pure logic: also built in user space. */

#include <linux/kernel.h>
#include <linux/sort.h>

#include "container.h"

/* Bits of a frame number; the others are free to sort it by. */
#define PFN_BITS	40
#define PFN_MASK	((1ULL << PFN_BITS) - 1)

/* splitmix64 (Steele, Lea, Flood, 2014). */
static u64 mix(u64 x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static int compare(const void *a, const void *b)
{
	u64 left = *(const u64 *)a, right = *(const u64 *)b;

	return left < right ? -1 : left > right;
}

/* The frames of a row get the same random number before their own. */
void ms_container_shuffle(u64 *pfns, unsigned int nr, u64 row_frames, u64 seed)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		pfns[i] |= mix(seed ^ pfns[i] / row_frames) << PFN_BITS;
	sort(pfns, nr, sizeof(*pfns), compare, NULL);
	for (i = 0; i < nr; i++)
		pfns[i] &= PFN_MASK;
}
