// SPDX-License-Identifier: GPL-2.0-only
/* How pages are used; hotness.h. Pure logic: also built in user space. */

#include <linux/compiler.h>
#include <linux/kernel.h>

#include "audit/hotness.h"

#define FORGET_SHIFT	2
/* What a use adds. */
#define USE		32
#define IDLE_MAX	127
#define TRIES_MAX	7
#define REST_MAX	127
/* More of them do not follow from waiting. */
#define WAITS_MAX	3
/* How many times longer it rests until it is tried as readily as before. */
#define REST_OFF_SHIFT	3

/* Whatever it was, it is 0 after 16 looks without a use. */
static unsigned int average_after(unsigned int average, bool used)
{
	average -= DIV_ROUND_UP(average, 1U << FORGET_SHIFT);
	if (used)
		average += USE;
	return average;
}

/* What the average of a page is after so many looks in a row, from none on. */
static unsigned int average_of_row(unsigned int looks)
{
	unsigned int average = 0, before;

	do {
		before = average;
		average = average_after(average, true);
	} while (--looks && average > before);
	return average;
}

bool vipzone_hotness_look(struct vipzone_hotness *hotness, bool accessed, bool written)
{
	bool counts = hotness->known;

	hotness->known = true;
	if (!counts)
		return false;
	hotness->reads = average_after(hotness->reads, accessed && !written);
	hotness->writes = average_after(hotness->writes, written);
	hotness->idle = accessed || written ? 0 : min(hotness->idle + 1U, (unsigned int)IDLE_MAX);
	return true;
}

bool vipzone_hotness_is_written(struct vipzone_hotness hotness, unsigned int looks)
{
	return hotness.writes >= average_of_row(looks);
}

bool vipzone_hotness_is_used(struct vipzone_hotness hotness, unsigned int looks)
{
	return hotness.reads + hotness.writes >= average_of_row(looks);
}

bool vipzone_hotness_is_idle(struct vipzone_hotness hotness, unsigned int looks)
{
	return hotness.known && hotness.idle >= looks;
}

static unsigned int rest_of(unsigned int tries)
{
	return (1U << tries) - 1;
}

void vipzone_hotness_rest(struct vipzone_hotness *hotness)
{
	if (!hotness->tries)
		return;
	hotness->rest = min(hotness->rest + 1U, (unsigned int)REST_MAX);
	if (hotness->rest >= min(1U << (hotness->tries + REST_OFF_SHIFT), (unsigned int)REST_MAX))
		hotness->rest = rest_of(--hotness->tries);
}

bool vipzone_hotness_may_move(struct vipzone_hotness hotness)
{
	return hotness.rest >= rest_of(hotness.tries);
}

void vipzone_hotness_try(struct vipzone_hotness *hotness)
{
	hotness->tries = min(hotness->tries + 1U, (unsigned int)TRIES_MAX);
	hotness->rest = 0;
}

void vipzone_hotness_wait(struct vipzone_hotness *hotness)
{
	if (hotness->tries < WAITS_MAX)
		hotness->tries++;
	hotness->rest = 0;
}
