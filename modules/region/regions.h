/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_REGION_REGIONS_H
#define MEMSUITE_REGION_REGIONS_H

#include <memsuite/region.h>

int memsuite_regions_init(void);
void memsuite_regions_exit(void);

/**
 * memsuite_region_add() - add a region and its directory
 * @spec: what describes it
 *
 * Context: may sleep.
 * Return: 0; -EEXIST (the name is taken); -ENOENT, -ERANGE (no such map, no such
 * bank); -ENOMEM.
 */
int memsuite_region_add(const struct memsuite_region_spec *spec);

/*
 * Memory has come online: the region that is its node reaches as far. What goes
 * is offline, and may stay between its ends. May sleep.
 */
void memsuite_regions_grow(unsigned long pfn, unsigned long nr);

#endif
