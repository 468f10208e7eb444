/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that is short asks for PRAM. */
#ifndef VSTORE_SHARE_SHRINKER_H
#define VSTORE_SHARE_SHRINKER_H

struct vstore;

int vstore_share_shrinker_init(void);
void vstore_share_shrinker_exit(void);
void vstore_share_shrinker_add(struct vstore *store);
void vstore_share_shrinker_remove(struct vstore *store);
void vstore_share_shrinker_note_lent(void);

#endif
