/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stamps of a block of 2 MiB, for test_age.c.
 *
 * Its pages mostly have the same stamp: they are tested together. So a block is
 * a word: the stamp of all its pages, shifted by one, plus 1; and only as long
 * as they differ, where the stamps of its pages are. That makes 4 MiB per TiB,
 * and 2 KiB for each block whose pages differ.
 */
#ifndef MEMSUITE_FRAME_TEST_AGE_BLOCK_H
#define MEMSUITE_FRAME_TEST_AGE_BLOCK_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "frame/test_age_page.h"

#define MEMSUITE_TEST_AGE_BLOCK_ZERO	1UL	/* all its stamps are 0 */

/*
 * The stamp of its page @i. Inline, for each page that is allocated or freed is looked up.
 * Context: any, in an RCU read section.
 */
static inline u32 memsuite_test_age_block_stamp(const unsigned long *block, unsigned int i)
{
	unsigned long word = READ_ONCE(*block);

	return word & 1 ? word >> 1 :
			  READ_ONCE(((struct memsuite_test_age_page *)word)->stamp[i]);
}

/*
 * The smallest stamp of @nr of its pages from @first on. Context: any, in an
 * RCU read section.
 */
u32 memsuite_test_age_block_least(const unsigned long *block, unsigned int first,
				  unsigned int nr);

/* The smallest of its stamps above @above, or U32_MAX. Context: any, in an RCU read section. */
u32 memsuite_test_age_block_least_above(const unsigned long *block, u32 above);

/* Whether all its stamps are the same, by one word. Context: any. */
bool memsuite_test_age_block_uniform(const unsigned long *block);

/*
 * Stamp @nr of its pages from @first on, which are the caller's; others may be
 * stamped meanwhile. Without memory for it all stamps of the block become 0.
 * Context: any, in an RCU read section.
 */
void memsuite_test_age_block_set_part(unsigned long *block, unsigned int first,
				      unsigned int nr, u32 stamp);

/* Stamp all its pages, which are the caller's. Context: any. */
void memsuite_test_age_block_set(unsigned long *block, u32 stamp);

#endif
