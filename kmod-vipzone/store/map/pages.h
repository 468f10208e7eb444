/* SPDX-License-Identifier: GPL-2.0-only */
/* The pages of PRAM, and its units. */
#ifndef VSTORE_MAP_PAGES_H
#define VSTORE_MAP_PAGES_H

#include "store/map/map.h"

u32 vstore_page_take(struct vstore_map *map, enum vstore_use use);
void vstore_page_free(struct vstore_map *map, u32 page);
void vstore_page_mark_bad(struct vstore_map *map, u32 page);

void vstore_unit_count_used(struct vstore_map *map, u16 *used);
void vstore_unit_withdraw(struct vstore_map *map, u32 unit);
void vstore_unit_restore(struct vstore_map *map, u32 unit);
bool vstore_unit_has_bad(const struct vstore_map *map, u32 unit);

#endif
