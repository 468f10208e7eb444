// SPDX-License-Identifier: GPL-2.0-only
/* Backing off under pressure; backoff.h. Pure: also built in user space. */

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "sched/backoff.h"

/* Percent that come back each time that there is no pressure. */
#define RECOVERY	10

static bool above(unsigned int stall, unsigned int limit)
{
	return limit && stall > limit;
}

bool backoff_pressed(const struct backoff_stall *stall,
		     const struct backoff_stall *limits)
{
	return above(stall->memory, limits->memory) ||
	       above(stall->cpu, limits->cpu);
}

/* Out of the way at once, and slowly back, or it would swing. */
unsigned int backoff_next(unsigned int share_pct, bool pressed)
{
	return pressed ? max(share_pct / 2, 1U) :
			 min(share_pct + RECOVERY, 100U);
}

u64 backoff_pages(u64 pages, u64 guarantee, unsigned int share_pct)
{
	return max(div_u64(pages * share_pct, 100), min(pages, guarantee));
}

unsigned int backoff_fidelity(unsigned int least, unsigned int most,
			      unsigned int share_pct)
{
	return max(most * share_pct / 100, least);
}
