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

static struct memsuite_test_age_page *pages_of(unsigned long word)
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

	if (is_uniform(word))
		return word >> 1;
	pages = pages_of(word);
	for (i = first; i < first + nr; i++)
		least = min(least, READ_ONCE(pages->stamp[i]));
	return least;
}

static void set_pages(struct memsuite_test_age_page *pages, unsigned int first,
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
	struct memsuite_test_age_page *pages = memsuite_test_age_page_take();

	if (!pages)
		return uniform(0);
	set_pages(pages, 0, MEMSUITE_TEST_AGE_BLOCK_PAGES, word >> 1);
	set_pages(pages, first, nr, stamp);
	return (unsigned long)pages;
}

void memsuite_test_age_block_set_part(unsigned long *block, unsigned int first,
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
			memsuite_test_age_page_put(pages_of(parts));
	}
}

void memsuite_test_age_block_set(unsigned long *block, u32 stamp)
{
	unsigned long word = xchg(block, uniform(stamp));

	if (!is_uniform(word))
		memsuite_test_age_page_put_rcu(pages_of(word));
}
