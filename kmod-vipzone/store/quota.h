/* SPDX-License-Identifier: GPL-2.0-only */
/* How much of PRAM the store may have. */
#ifndef VSTORE_QUOTA_H
#define VSTORE_QUOTA_H

#include <linux/types.h>

#include "store/map/map.h"

struct vstore;

/* Free pages: above, a unit is lent. */
#define VSTORE_PAGES_MANY	(4 * VSTORE_UNIT)

u32 vstore_quota_held(const struct vstore *store);
u32 vstore_quota_most(const struct vstore *store);
u32 vstore_quota_least(const struct vstore *store);
u32 vstore_quota_usable(const struct vstore *store);
bool vstore_quota_may_lend(const struct vstore *store);
bool vstore_quota_is_resting(const struct vstore *store);

#endif
