// SPDX-License-Identifier: GPL-2.0-only
/* Stamps of page frames, by memory section; test_age.h. */

#include <linux/mm.h>
#include <linux/memory.h>
#include <linux/memory_hotplug.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "frame/test_age.h"
#include "frame/test_age_block.h"
#include "frame/test_age_page.h"

#define SECTION_BLOCKS	(PAGES_PER_SECTION / MEMSUITE_TEST_AGE_BLOCK_PAGES)

/*
 * SECTION_BLOCKS words for each section, found in two steps: each page that is handed out or
 * freed looks here.
 */
#define ROOT_SECTIONS	512

struct root {
	unsigned long *sections[ROOT_SECTIONS];
};

static struct root **roots;
static size_t nr_sections;
static bool usable;
static DEFINE_MUTEX(sections_lock);	/* against memory that comes online */

static unsigned long nr_roots(void)
{
	return DIV_ROUND_UP(NR_MEM_SECTIONS, ROOT_SECTIONS);
}

/* There are roots. */
static unsigned long *section_of(unsigned long nr)
{
	struct root *root = READ_ONCE(roots[nr / ROOT_SECTIONS]);

	return root ? READ_ONCE(root->sections[nr % ROOT_SECTIONS]) : NULL;
}

/* Under RCU. Inline, for each allocation and each free of a page asks. */
static __always_inline unsigned long *find_block(unsigned long pfn)
{
	unsigned long *section;

	/* The roots are there. */
	if (!smp_load_acquire(&usable))
		return NULL;
	section = section_of(pfn_to_section_nr(pfn));
	return section ? section + (pfn & (PAGES_PER_SECTION - 1)) /
				   MEMSUITE_TEST_AGE_BLOCK_PAGES : NULL;
}

/* How many of @nr frames from @pfn on are in the same block as the first. */
static unsigned int pages_in_block(unsigned long pfn, unsigned long nr)
{
	return min(nr, MEMSUITE_TEST_AGE_BLOCK_PAGES - pfn % MEMSUITE_TEST_AGE_BLOCK_PAGES);
}

/* A grace period waits for who is not preempted, too, which costs less. */
static u32 stamp_of(unsigned long pfn)
{
	unsigned long *block;
	u32 stamp = 0;

	rcu_read_lock_sched_notrace();
	block = find_block(pfn);
	if (likely(block))
		stamp = memsuite_test_age_block_stamp(block, pfn % MEMSUITE_TEST_AGE_BLOCK_PAGES);
	rcu_read_unlock_sched_notrace();
	return stamp;
}

static noinline u32 least_stamp(unsigned long pfn, unsigned long nr)
{
	unsigned long *block;
	u32 least = U32_MAX;
	unsigned int part;

	rcu_read_lock();
	for (; nr && least; pfn += part, nr -= part) {
		part = pages_in_block(pfn, nr);
		block = find_block(pfn);
		if (!block)
			least = 0;
		else
			least = min(least,
				    memsuite_test_age_block_least
				    (block, pfn % MEMSUITE_TEST_AGE_BLOCK_PAGES, part));
	}
	rcu_read_unlock();
	return least;
}

u32 memsuite_test_age_least(unsigned long pfn, unsigned long nr)
{
	return likely(nr == 1) ? stamp_of(pfn) : least_stamp(pfn, nr);
}

u32 memsuite_test_age_least_above(unsigned long pfn, u32 above)
{
	unsigned long *block;
	u32 least;

	rcu_read_lock();
	block = find_block(pfn);
	least = block ? memsuite_test_age_block_least_above(block, above) : U32_MAX;
	rcu_read_unlock();
	return least;
}

bool memsuite_test_age_uniform(unsigned long pfn)
{
	unsigned long *block;
	bool uniform;

	rcu_read_lock();
	block = find_block(pfn);
	uniform = !block || memsuite_test_age_block_uniform(block);
	rcu_read_unlock();
	return uniform;
}

void memsuite_test_age_set(unsigned long pfn, unsigned long nr, u32 stamp)
{
	unsigned long *block;
	unsigned int part;

	rcu_read_lock();
	for (; nr; pfn += part, nr -= part) {
		part = pages_in_block(pfn, nr);
		block = find_block(pfn);
		if (!block)
			continue;
		if (part == MEMSUITE_TEST_AGE_BLOCK_PAGES)
			memsuite_test_age_block_set(block, stamp);
		else
			memsuite_test_age_block_set_part(block,
							 pfn % MEMSUITE_TEST_AGE_BLOCK_PAGES,
							 part, stamp);
	}
	rcu_read_unlock();
}

static struct root *make_root(unsigned long nr)
{
	struct root *root = roots[nr];

	if (!root) {
		root = kzalloc(sizeof(*root), GFP_KERNEL);
		/* Clear, for who reads it. */
		smp_store_release(&roots[nr], root);
	}
	return root;
}

static int add_section(unsigned long nr)
{
	struct root *root = make_root(nr / ROOT_SECTIONS);
	unsigned long *blocks, i;

	if (!root)
		return -ENOMEM;
	blocks = kmalloc_array(SECTION_BLOCKS, sizeof(*blocks), GFP_KERNEL);
	if (!blocks)
		return -ENOMEM;
	for (i = 0; i < SECTION_BLOCKS; i++)
		blocks[i] = MEMSUITE_TEST_AGE_BLOCK_ZERO;
	/* Filled in, for who reads it. */
	smp_store_release(&root->sections[nr % ROOT_SECTIONS], blocks);
	nr_sections++;
	return 0;
}

static void free_section(unsigned long *blocks)
{
	unsigned long i;

	for (i = 0; i < SECTION_BLOCKS; i++)
		memsuite_test_age_block_set(&blocks[i], 0);
	kfree(blocks);
}

static void free_root(struct root *root)
{
	int i;

	for (i = 0; i < ROOT_SECTIONS; i++) {
		if (root->sections[i])
			free_section(root->sections[i]);
		cond_resched();
	}
	kfree(root);
}

static void free_sections(void)
{
	unsigned long nr;

	WRITE_ONCE(usable, false);
	synchronize_rcu();
	for (nr = 0; roots && nr < nr_roots(); nr++)
		if (roots[nr])
			free_root(roots[nr]);
	kvfree(roots);
	roots = NULL;
	nr_sections = 0;
}

static int add_sections(void)
{
	unsigned long pfn, end;
	int nid, err;

	roots = kvcalloc(nr_roots(), sizeof(*roots), GFP_KERNEL);
	if (!roots)
		return -ENOMEM;
	for_each_online_node(nid) {
		end = node_end_pfn(nid);
		pfn = ALIGN_DOWN(node_start_pfn(nid), PAGES_PER_SECTION);
		for (; pfn < end; pfn += PAGES_PER_SECTION) {
			if (!online_section_nr(pfn_to_section_nr(pfn)) ||
			    section_of(pfn_to_section_nr(pfn)))
				continue;
			err = add_section(pfn_to_section_nr(pfn));
			if (err)
				return err;
		}
	}
	return 0;
}

int memsuite_test_age_alloc(void)
{
	int err = memsuite_test_age_page_start();

	if (err)
		return err;
	mutex_lock(&sections_lock);
	err = add_sections();
	if (err)
		free_sections();
	else
		/* After all of that. */
		smp_store_release(&usable, true);
	mutex_unlock(&sections_lock);
	if (err)
		memsuite_test_age_page_stop();
	return err;
}

void memsuite_test_age_free(void)
{
	mutex_lock(&sections_lock);
	free_sections();
	mutex_unlock(&sections_lock);
	memsuite_test_age_page_stop();
}

/* Without memory for them, pages there count as untested. */
void memsuite_test_age_extend(unsigned long pfn, unsigned long nr)
{
	unsigned long end = pfn + nr;

	mutex_lock(&sections_lock);
	for (; usable && pfn < end; pfn += PAGES_PER_SECTION)
		if (!section_of(pfn_to_section_nr(pfn)))
			add_section(pfn_to_section_nr(pfn));
	mutex_unlock(&sections_lock);
}

size_t memsuite_test_age_bytes(void)
{
	size_t words = nr_sections * SECTION_BLOCKS;

	if (usable)
		words += nr_roots();
	return words * sizeof(unsigned long) + memsuite_test_age_page_bytes();
}
