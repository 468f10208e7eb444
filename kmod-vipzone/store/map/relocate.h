/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving what a page has elsewhere within PRAM. */
#ifndef VSTORE_MAP_RELOCATE_H
#define VSTORE_MAP_RELOCATE_H

#include "store/map/map.h"

int vstore_page_relocate(struct vstore_map *map, u32 page);

#endif
