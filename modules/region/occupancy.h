/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_REGION_OCCUPANCY_H
#define MEMSUITE_REGION_OCCUPANCY_H

#include <memsuite/region.h>

/**
 * memsuite_occupancy_count() - count a region's frames, or estimate large ones, in some ms
 * @region: the region
 * @occupancy: result, without what lies in its pool
 *
 * Context: may sleep.
 */
void memsuite_occupancy_count(const struct memsuite_region *region,
			      struct memsuite_occupancy *occupancy);

#endif
