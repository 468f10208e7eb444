/* SPDX-License-Identifier: GPL-2.0-only */
/* Accessed bits of sampled pages that were cleared, and who is owed them. */
#ifndef MRC_TRACK_YOUNG_SHADOW_H
#define MRC_TRACK_YOUNG_SHADOW_H

#include <linux/types.h>

#include <memsuite/secondary_mmu.h>

struct mrc_target;

int mrc_young_shadow_renew(struct mrc_target *t);
void mrc_young_shadow_free(struct mrc_target *t);
void mrc_young_shadow_begin(struct mrc_target *t);
void mrc_young_shadow_took(struct mrc_target *t, u32 i);
bool mrc_young_shadow_lost(struct mrc_target *t, u32 i);
bool mrc_young_shadow_seen(struct mrc_target *t, u32 i);

bool mrc_young_shadow_age(struct mrc_target *t, unsigned long addr, bool young);
bool mrc_young_shadow_kept(struct mrc_target *t, unsigned long addr);
bool mrc_young_shadow_return(struct mrc_target *t, unsigned long start,
			     unsigned long end, bool clear, enum memsuite_young_ask ask);

#endif
