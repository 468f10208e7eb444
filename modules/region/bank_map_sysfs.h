/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_REGION_BANK_MAP_SYSFS_H
#define MEMSUITE_REGION_BANK_MAP_SYSFS_H

#include "frame/bank_map.h"

int memsuite_bank_maps_init(void);

/* The regions are gone by now. */
void memsuite_bank_maps_exit(void);

/**
 * memsuite_bank_map_get() - find a bank map and keep it
 * @name: its name
 *
 * Context: may sleep.
 * Return: the map, to be put with memsuite_bank_map_put(); ERR_PTR(-ENOENT).
 */
const struct memsuite_bank_map *memsuite_bank_map_get(const char *name);

/* Lets go of a map; NULL is ignored. May sleep. */
void memsuite_bank_map_put(const struct memsuite_bank_map *map);

#endif
