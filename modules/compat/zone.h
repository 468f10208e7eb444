/* SPDX-License-Identifier: GPL-2.0-only */
/* What a zone counts. */
#ifndef MEMSUITE_COMPAT_ZONE_H
#define MEMSUITE_COMPAT_ZONE_H

#include <linux/mmzone.h>
#include <linux/percpu.h>

/* What this CPU has not yet added to the zone's counter of free pages. */
static inline long memsuite_zone_uncounted_free(struct zone *zone)
{
#ifndef CONFIG_SMP
	return 0;
#elif MEMSUITE_HAVE_PER_CPU_ZONESTATS
	return __this_cpu_read(zone->per_cpu_zonestats->vm_stat_diff[NR_FREE_PAGES]);
#else
	return __this_cpu_read(zone->pageset->vm_stat_diff[NR_FREE_PAGES]);
#endif
}

#endif
