// SPDX-License-Identifier: GPL-2.0-only
/* The stamps of a block; test_age_block.h. Pure: also built in user space. */

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/minmax.h>

#include "frame/test_age_block.h"
#include "frame/test_age_page.h"

static unsigned long block_uniform(u32 stamp)
{
	return (unsigned long)stamp << 1 | 1;
}

static bool block_is_uniform(unsigned long word)
{
	return word & 1;
}

bool memsuite_test_age_block_uniform(const unsigned long *block)
{
	return block_is_uniform(READ_ONCE(*block));
}

static struct memsuite_test_age_page *block_pages(unsigned long word)
{
	return (struct memsuite_test_age_page *)word;
}

u32 memsuite_test_age_block_least(const unsigned long *block, unsigned int first,
				  unsigned int nr)
{
	unsigned long word = READ_ONCE(*block);
	struct memsuite_test_age_page *pages;
	u32 least = U32_MAX;
	unsigned int i;

	if (block_is_uniform(word))
		return word >> 1;
	pages = block_pages(word);
	for (i = first; i < first + nr; i++)
		least = min(least, READ_ONCE(pages->stamp[i]));
	return least;
}

u32 memsuite_test_age_block_least_above(const unsigned long *block, u32 above)
{
	unsigned long word = READ_ONCE(*block);
	struct memsuite_test_age_page *pages;
	u32 least = U32_MAX, stamp;
	unsigned int i;

	if (block_is_uniform(word))
		return word >> 1 > above ? word >> 1 : U32_MAX;
	pages = block_pages(word);
	for (i = 0; i < MEMSUITE_TEST_AGE_BLOCK_PAGES; i++) {
		stamp = READ_ONCE(pages->stamp[i]);
		if (stamp > above)
			least = min(least, stamp);
	}
	return least;
}

static void block_set_pages(struct memsuite_test_age_page *pages, unsigned int first,
			    unsigned int nr, u32 stamp)
{
	unsigned int i;

	for (i = first; i < first + nr; i++)
		WRITE_ONCE(pages->stamp[i], stamp);
}

/* What a uniform block becomes when some of its pages are stamped. */
static unsigned long block_split(unsigned long word, unsigned int first,
				 unsigned int nr, u32 stamp)
{
	struct memsuite_test_age_page *pages = memsuite_test_age_page_take();

	if (!pages)
		return block_uniform(0);
	block_set_pages(pages, 0, MEMSUITE_TEST_AGE_BLOCK_PAGES, word >> 1);
	block_set_pages(pages, first, nr, stamp);
	return (unsigned long)pages;
}

void memsuite_test_age_block_set_part(unsigned long *block, unsigned int first,
				      unsigned int nr, u32 stamp)
{
	unsigned long word, parts;

	for (;;) {
		word = READ_ONCE(*block);
		if (!block_is_uniform(word)) {
			block_set_pages(block_pages(word), first, nr, stamp);
			return;
		}
		if (word == block_uniform(stamp))
			return;
		parts = block_split(word, first, nr, stamp);
		if (cmpxchg(block, word, parts) == word)
			return;
		if (!block_is_uniform(parts))
			memsuite_test_age_page_put(block_pages(parts));
	}
}

void memsuite_test_age_block_set(unsigned long *block, u32 stamp)
{
	unsigned long word = xchg(block, block_uniform(stamp));

	if (!block_is_uniform(word))
		memsuite_test_age_page_put_rcu(block_pages(word));
}
