/* SPDX-License-Identifier: GPL-2.0-only */
/* Small reads of the disk that enter PRAM; reads=promote. */
#ifndef VSTORE_PROMOTE_H
#define VSTORE_PROMOTE_H

#include <linux/bio.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct vstore;

/* A write, a discard, or a read of what may be sealed, for as long as it is with the disk. */
struct vstore_transfer {
	struct list_head list;
	struct vstore *store;
	u64 block;
	u32 nr;
	bool writes;
	bio_end_io_t *end_io;
};

/* Part of struct vstore. */
struct vstore_promote {
	spinlock_t lock;		/* protects the lists; taken when requests end */
	struct list_head transfers;	/* with the disk */
	struct list_head fetches;	/* reads for PRAM, from first to last */
	struct list_head wanted;	/* of these: the disk has to be asked */
	struct list_head arrived;	/* ... and the disk has answered */
	unsigned int nr_fetches;
	bool unflushed;			/* the disk's cache may have writes */
	struct work_struct work;
	struct workqueue_struct *queue;	/* its own: write-back's work waits for this one */
};

void vstore_promote_init(struct vstore *store);
int vstore_promote_alloc(struct vstore *store);
void vstore_promote_free(struct vstore *store);
void vstore_promote_drain(struct vstore *store);
bool vstore_promote_read(struct vstore *store, struct bio *bio, u64 block, u32 nr);
void vstore_promote_track(struct vstore *store, struct bio *bio, u64 block, u32 nr);
bool vstore_promote_wanted(const struct vstore *store);
bool vstore_promote_is_idle(struct vstore *store, u64 block, u32 nr);
void vstore_promote_outdate(struct vstore *store, u64 block, u32 nr);

#endif
