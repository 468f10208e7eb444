/* SPDX-License-Identifier: GPL-2.0-only */
/* What a store that is in use has to itself: its PRAM, and its disk. */
#ifndef VSTORE_CLAIM_H
#define VSTORE_CLAIM_H

#include <linux/types.h>

struct vstore;

bool vstore_claim_is_one_device(const struct vstore *store);
bool vstore_claim_pram_is_taken(const struct vstore *store);
int vstore_claim_take(struct vstore *store, const char **what);
void vstore_claim_release(struct vstore *store);

#endif
