// SPDX-License-Identifier: GPL-2.0-only
/* Hot and idle pages; hotness.h. Pure logic: also built in user space. */

#include <linux/compiler.h>
#include <linux/kernel.h>

#include "audit/hotness.h"

/* A history: whether there is one, and two numbers of looks in a row. */
#define KNOWN		0x8000
#define WRITTEN_SHIFT	8
#define ROW_MAX		127

static unsigned int written_row(u16 heat)
{
	return (heat & ~KNOWN) >> WRITTEN_SHIFT;
}

static unsigned int idle_row(u16 heat)
{
	return heat & ROW_MAX;
}

u16 heat_look(u16 heat, bool accessed, bool written)
{
	unsigned int hot, idle;

	if (!heat_counts(heat))
		return KNOWN;
	hot = written ? min(written_row(heat) + 1, (unsigned int)ROW_MAX) : 0;
	idle = accessed || written ? 0 :
		min(idle_row(heat) + 1, (unsigned int)ROW_MAX);
	return KNOWN | hot << WRITTEN_SHIFT | idle;
}

bool heat_counts(u16 before)
{
	return before & KNOWN;
}

bool heat_is_hot(u16 heat, unsigned int looks)
{
	return heat_counts(heat) && written_row(heat) >= looks;
}

bool heat_is_idle(u16 heat, unsigned int looks)
{
	return heat_counts(heat) && idle_row(heat) >= looks;
}

static u64 cost(const struct memsuite_region_spec *spec, unsigned int measure)
{
	switch (measure) {
	case 0:
		return READ_ONCE(spec->write_energy_fj_per_bit);
	case 1:
		return READ_ONCE(spec->write_power_mw);
	default:
		return READ_ONCE(spec->write_latency_ns);
	}
}

static bool choose_by(unsigned int measure,
		      const struct memsuite_region_spec * const *specs,
		      unsigned int nr, unsigned int *hot, unsigned int *idle)
{
	u64 least = U64_MAX, most = 0, value;
	unsigned int i, low = 0, high = 0;

	for (i = 0; i < nr; i++) {
		value = cost(specs[i], measure);
		if (!value)
			return false;
		if (value < least) {
			least = value;
			low = i;
		}
		if (value > most) {
			most = value;
			high = i;
		}
	}
	if (low == high)
		return false;
	*hot = low;
	*idle = high;
	return true;
}

bool heat_choose(const struct memsuite_region_spec * const *specs, unsigned int nr,
		 unsigned int *hot, unsigned int *idle)
{
	unsigned int measure;

	for (measure = 0; nr > 1 && measure < 3; measure++)
		if (choose_by(measure, specs, nr, hot, idle))
			return true;
	return false;
}
