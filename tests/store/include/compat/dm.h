/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/blkdev.h>

#define MEMSUITE_DM_IO_OP(op, flags)		.bi_opf = (op) | (flags)
#define MEMSUITE_DM_IO_NOTIFY(name)		static void name(unsigned long error, void *context)
#define memsuite_bdev_takes_discards(bdev)	false

int memsuite_dm_io(struct dm_io_request *request, struct dm_io_region *where);
