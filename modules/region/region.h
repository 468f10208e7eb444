/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_REGIONS_H
#define MEMSUITE_REGIONS_H

#include <memsuite/region.h>

/* Adds a region and its directory. -EEXIST, -ENOMEM. May sleep. */
int memsuite_region_add(const struct memsuite_region_spec *spec);

/* Whether a frame within its range is of the region. */
bool memsuite_region_owns(const struct memsuite_region *region, struct page *page);

/* occupancy.c: exact, a walk over all frames, and by a sample. May sleep. */
void memsuite_occupancy_count(const struct memsuite_region *region,
			      struct memsuite_occupancy *census);
void memsuite_occupancy_estimate(const struct memsuite_region *region,
				 struct memsuite_occupancy *census);

/* Adds the regions that the firmware and the kernel tell of. May sleep. */
void memsuite_discover(void);

/*
 * Memory has come online: the region that is its node reaches as far. What goes
 * is offline, and may stay between its ends. May sleep.
 */
void memsuite_regions_grow(unsigned long pfn, unsigned long nr);

/* Reads a small text file of /sys or /proc; returns its length or -errno. */
int memsuite_read_text(const char *path, char *text, size_t size);

#endif
