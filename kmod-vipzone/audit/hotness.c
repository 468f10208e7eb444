// SPDX-License-Identifier: GPL-2.0-only
/* Hot and idle pages; hotness.h. Pure logic: also built in user space. */

#include <linux/compiler.h>
#include <linux/kernel.h>

#include "audit/hotness.h"

/* A history: whether there is one, and two numbers of looks in a row. */
#define KNOWN		0x8000
#define WRITTEN_SHIFT	8
#define ROW_MAX		127

static unsigned int written_row(u16 hotness)
{
	return (hotness & ~KNOWN) >> WRITTEN_SHIFT;
}

static unsigned int idle_row(u16 hotness)
{
	return hotness & ROW_MAX;
}

u16 vipzone_hotness_look(u16 hotness, bool accessed, bool written)
{
	unsigned int hot, idle;

	if (!vipzone_hotness_counts(hotness))
		return KNOWN;
	hot = written ? min(written_row(hotness) + 1, (unsigned int)ROW_MAX) : 0;
	idle = accessed || written ? 0 :
		min(idle_row(hotness) + 1, (unsigned int)ROW_MAX);
	return KNOWN | hot << WRITTEN_SHIFT | idle;
}

bool vipzone_hotness_counts(u16 before)
{
	return before & KNOWN;
}

bool vipzone_hotness_is_hot(u16 hotness, unsigned int looks)
{
	return vipzone_hotness_counts(hotness) && written_row(hotness) >= looks;
}

bool vipzone_hotness_is_idle(u16 hotness, unsigned int looks)
{
	return vipzone_hotness_counts(hotness) && idle_row(hotness) >= looks;
}

static u64 write_cost(const struct memsuite_region_spec *spec, unsigned int measure)
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
		value = write_cost(specs[i], measure);
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

bool vipzone_hotness_choose(const struct memsuite_region_spec * const *specs, unsigned int nr,
			    unsigned int *hot, unsigned int *idle)
{
	unsigned int measure;

	for (measure = 0; nr > 1 && measure < 3; measure++)
		if (choose_by(measure, specs, nr, hot, idle))
			return true;
	return false;
}
