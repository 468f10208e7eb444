/* SPDX-License-Identifier: GPL-2.0-only */
/* What becomes of a request. */
#ifndef VSTORE_IO_H
#define VSTORE_IO_H

struct bio;
struct dm_target;

int vstore_io_map(struct dm_target *ti, struct bio *bio);

#endif
