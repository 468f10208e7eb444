/* SPDX-License-Identifier: GPL-2.0-only */
/* What only the core does with held blocks; all else is in memsuite/block.h. */
#ifndef MEMSUITE_FRAME_BLOCK_PRIVATE_H
#define MEMSUITE_FRAME_BLOCK_PRIVATE_H

#include <memsuite/block.h>

/*
 * Make a held block 2^order single pages, each with a reference count of 1, which are no longer
 * counted as held. Context: any.
 */
void memsuite_block_split(struct memsuite_block *block);

#endif
