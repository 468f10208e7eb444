/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_BANK_MAPS_H
#define MEMSUITE_BANK_MAPS_H

#include "frame/bank_map.h"

/**
 * ms_bank_map_get() - find a bank map and keep it
 * @name: its name
 *
 * Context: may sleep.
 * Return: the map, to be put with ms_bank_map_put(); ERR_PTR(-ENOENT).
 */
const struct ms_bank_map *ms_bank_map_get(const char *name);

/* Lets go of a map; NULL is ignored. May sleep. */
void ms_bank_map_put(const struct ms_bank_map *map);

#endif
