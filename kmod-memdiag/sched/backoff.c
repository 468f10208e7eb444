// SPDX-License-Identifier: GPL-2.0-only
/* Backing off under pressure; backoff.h. Pure: also built in user space. */

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "sched/backoff.h"

/* Percent that come back each time that there is no pressure. */
#define RECOVERY	10

static bool stall_above(unsigned int stall, unsigned int limit)
{
	return limit && stall > limit;
}

bool memdiag_backoff_pressed(const struct memdiag_backoff_stall *stall,
			     const struct memdiag_backoff_stall *limits)
{
	return stall_above(stall->memory, limits->memory) ||
	       stall_above(stall->cpu, limits->cpu);
}

/* Out of the way at once, and slowly back, or it would swing. */
unsigned int memdiag_backoff_next(unsigned int share_pct, bool pressed)
{
	return pressed ? max(share_pct / 2, 1U) :
			 min(share_pct + RECOVERY, 100U);
}

u64 memdiag_backoff_pages(u64 pages, u64 guarantee, unsigned int share_pct)
{
	return max(div_u64(pages * share_pct, 100), min(pages, guarantee));
}

unsigned int memdiag_backoff_fidelity(unsigned int least, unsigned int most,
				      unsigned int share_pct)
{
	return max(most * share_pct / 100, least);
}
