/* SPDX-License-Identifier: GPL-2.0-only */
/* The disk is sealed while PRAM has what it has not; map/seal.h. */
#ifndef VSTORE_SEALING_H
#define VSTORE_SEALING_H

#include <linux/types.h>

#include "store/map/seal.h"

struct vstore;
struct vstore_report;

/* Which side counts if the disk was written without the store. */
enum vstore_trust { VSTORE_TRUST_NEITHER, VSTORE_TRUST_DISK, VSTORE_TRUST_PRAM };

/* Part of struct vstore; protected by its lock. */
struct vstore_sealing {
	struct vstore_seal seal;
	enum vstore_trust trust;
	bool checked;		/* the disk was seen to be the right one */
	bool moving;		/* requests that touch what is sealed wait */
	bool wanted;		/* somebody waits for the disk to be sealed */
	u32 attempts;		/* to seal it that came to an end */
	bool failed;		/* the last of them, for the disk's sake */
	unsigned long failed_at;	/* in jiffies */
};

bool vstore_sealing_touches(const struct vstore *store, u64 block, u32 nr);
void vstore_sealing_wait(struct vstore *store, u64 block, u32 nr);
bool vstore_sealing_await(struct vstore *store);
void vstore_sealing_end_attempt(struct vstore *store);
int vstore_sealing_close(struct vstore *store);
int vstore_sealing_open(struct vstore *store);
bool vstore_sealing_may_open(const struct vstore *store);
int vstore_sealing_check(struct vstore *store, struct vstore_report *report);
int vstore_sealing_resume(struct vstore *store, struct vstore_report *report);

#endif
