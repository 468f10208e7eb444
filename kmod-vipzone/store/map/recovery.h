/* SPDX-License-Identifier: GPL-2.0-only */
/* Activation: reading the tree. */
#ifndef VSTORE_MAP_RECOVERY_H
#define VSTORE_MAP_RECOVERY_H

#include "store/map/header.h"
#include "store/map/map.h"

int vstore_map_open(struct vstore_map *map, void *base, struct vstore_page *pages,
		    u32 nr_pages, u64 nr_blocks, bool writable, struct vstore_report *report);

#endif
