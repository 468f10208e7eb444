/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests to the disk. */
#ifndef VSTORE_DISK_H
#define VSTORE_DISK_H

#include <linux/types.h>

struct bio;
struct dm_io_request;
struct vstore;

int vstore_disk_remap(struct vstore *store, struct bio *bio);
int vstore_disk_io(struct vstore *store, u64 block, u32 nr, struct dm_io_request *request);
int vstore_disk_flush(struct vstore *store);

#endif
