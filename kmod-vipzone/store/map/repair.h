/* SPDX-License-Identifier: GPL-2.0-only */
/* Making damaged nodes good again. */
#ifndef VSTORE_MAP_REPAIR_H
#define VSTORE_MAP_REPAIR_H

#include "store/map/map.h"

int vstore_map_repair(struct vstore_map *map);

#endif
