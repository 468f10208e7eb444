/* SPDX-License-Identifier: GPL-2.0-only */
/* The blocks that PRAM has. The caller of all of these has the store's lock. */
#ifndef VSTORE_BLOCKS_H
#define VSTORE_BLOCKS_H

#include <linux/types.h>

#include "store/map/map.h"

struct bio;
struct bvec_iter;
struct vstore;

#ifndef VSTORE_CHUNK		/* a test may have a small PRAM */
/* Blocks that are committed together. */
#define VSTORE_CHUNK	16
#endif
/* Pages that only new contents of blocks already in PRAM may take. */
#define VSTORE_RESERVE	(2 * VSTORE_CHUNK)

/* What a page's user notes in vstore_page.mark. */
#define VSTORE_MERGED	1u	/* of a growing file: it is for the disk */
#define VSTORE_MOVING	2u	/* being written to disk */

static inline bool vstore_page_is_dirty(const struct vstore_page *page)
{
	return !(page->flags & VSTORE_CLEAN);
}

void vstore_blocks_init(struct vstore *store);
struct vstore_page *vstore_block_page(struct vstore *store, u64 block);
void vstore_block_enlist(struct vstore *store, struct vstore_page *page);
void vstore_block_count(struct vstore *store, const struct vstore_page *page, int by);
void vstore_block_mark_bad(struct vstore *store, struct vstore_page *page, const char *why);
int vstore_block_read(struct vstore *store, struct vstore_page *page, void *to);
void vstore_block_mark_clean(struct vstore *store, u64 block);
void vstore_blocks_forget(struct vstore *store, u64 block, u32 nr);
u32 vstore_blocks_take(struct vstore *store, const void *from, u64 block, u32 nr);
u32 vstore_blocks_nr_clean(const struct vstore *store);
unsigned int vstore_blocks_evict(struct vstore *store);
u32 vstore_blocks_write(struct vstore *store, struct bio *bio, u64 block, u32 nr, u32 mark);
void vstore_blocks_insert(struct vstore *store, const void *from, u64 block, u32 nr);
void vstore_blocks_repair(struct vstore *store);

int vstore_bio_copy(struct bio *bio, struct bvec_iter *iter, const void *from, u32 size);

#endif
