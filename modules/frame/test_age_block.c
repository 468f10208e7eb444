// SPDX-License-Identifier: GPL-2.0-only
/* The stamps of a block; test_age_block.h. Pure: also built in user space. */

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/minmax.h>

#include "frame/test_age_block.h"
#include "frame/test_age_page.h"

static unsigned long uniform(u32 stamp)
{
	return (unsigned long)stamp << 1 | 1;
}

static bool is_uniform(unsigned long word)
{
	return word & 1;
}

static struct ms_stamp_pages *pages_of(unsigned long word)
{
	return (struct ms_stamp_pages *)word;
}

u32 ms_stamp_block_least(const unsigned long *block, unsigned int first,
			 unsigned int nr)
{
	unsigned long word = READ_ONCE(*block);
	struct ms_stamp_pages *pages;
	u32 least = U32_MAX;
	unsigned int i;

	if (is_uniform(word))
		return word >> 1;
	pages = pages_of(word);
	for (i = first; i < first + nr; i++)
		least = min(least, READ_ONCE(pages->stamp[i]));
	return least;
}

static void set_pages(struct ms_stamp_pages *pages, unsigned int first,
		      unsigned int nr, u32 stamp)
{
	unsigned int i;

	for (i = first; i < first + nr; i++)
		WRITE_ONCE(pages->stamp[i], stamp);
}

/* What a uniform block becomes when some of its pages are stamped. */
static unsigned long split(unsigned long word, unsigned int first,
			   unsigned int nr, u32 stamp)
{
	struct ms_stamp_pages *pages = ms_stamp_pages_take();

	if (!pages)
		return uniform(0);
	set_pages(pages, 0, MS_STAMP_BLOCK_PAGES, word >> 1);
	set_pages(pages, first, nr, stamp);
	return (unsigned long)pages;
}

void ms_stamp_block_set_part(unsigned long *block, unsigned int first,
			     unsigned int nr, u32 stamp)
{
	unsigned long word, parts;

	for (;;) {
		word = READ_ONCE(*block);
		if (!is_uniform(word)) {
			set_pages(pages_of(word), first, nr, stamp);
			return;
		}
		if (word == uniform(stamp))
			return;
		parts = split(word, first, nr, stamp);
		if (cmpxchg(block, word, parts) == word)
			return;
		if (!is_uniform(parts))
			ms_stamp_pages_put(pages_of(parts));
	}
}

void ms_stamp_block_set(unsigned long *block, u32 stamp)
{
	unsigned long word = xchg(block, uniform(stamp));

	if (!is_uniform(word))
		ms_stamp_pages_put_rcu(pages_of(word));
}
