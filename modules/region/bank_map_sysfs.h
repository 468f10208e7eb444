/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_BANK_MAPS_H
#define MEMSUITE_BANK_MAPS_H

#include "frame/bank_map.h"

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
