// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of the storage page table, and of request merging. */

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "store/map/pram.h"

static const void *bad;		/* what cannot be read */

static unsigned long read_unless_bad(void *to, const void *from, size_t size)
{
	return bad >= from && bad < from + size ? size : vstore_pram_read(to, from, size);
}

#define vstore_pram_read	read_unless_bad
/* How often all pages are looked at: here, each time is two pauses. */
static unsigned int pauses;

#undef cond_resched
#define cond_resched()	(pauses++)
#define PAUSE_PAGES	8
#define VSTORE_UNIT_SHIFT	3
#include "store/map/pages.c"
#include "store/map/tree.c"
#include "store/map/checksum.c"
#include "store/map/commit.c"
#include "store/map/relocate.c"
#include "store/map/repair.c"
#include "store/map/header.c"
#include "store/map/seal.c"
#include "store/map/recovery.c"
#include "store/streams.c"

#define NR_PAGES	24
#define NR_BLOCKS	600000ULL	/* three levels */

struct fixture {
	u8 *pram;
	u8 *block;
	struct vstore_page *pages;
	struct vstore_map map;
	struct vstore_report report;
};

static const u8 test_uuid[16] = "the uuid of one";

static int store_reopen(struct fixture *f)
{
	return vstore_map_open(&f->map, f->pram, f->pages, NR_PAGES, NR_BLOCKS, true, &f->report);
}

static int fixture_init(struct kunit *test)
{
	struct fixture *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	test->priv = f;
	f->pram = kzalloc(NR_PAGES * VSTORE_BLOCK_SIZE, GFP_KERNEL);
	f->pages = kcalloc(NR_PAGES, sizeof(*f->pages), GFP_KERNEL);
	f->block = kmalloc(VSTORE_BLOCK_SIZE, GFP_KERNEL);
	if (!f->pram || !f->pages || !f->block)
		return -ENOMEM;
	return vstore_header_format(f->pram, NR_PAGES, NR_BLOCKS, test_uuid) ?: store_reopen(f);
}

static void fixture_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	if (!f)
		return;
	kfree(f->pram);
	kfree(f->block);
	kfree(f->pages);
	kfree(f);
}

static unsigned int block_put(struct fixture *f, u64 block, u8 contents)
{
	struct vstore_item item = {
		.block = block,
		.page = vstore_page_take(&f->map, VSTORE_DATA),
	};

	if (!item.page)
		return 0;
	memset(f->block, contents, VSTORE_BLOCK_SIZE);
	vstore_data_write(&f->map, item.page, block, f->block);
	if (vstore_map_commit(&f->map, &item, 1))
		return 1;
	vstore_page_free(&f->map, item.page);
	return 0;
}

static int contents_of(struct fixture *f, u64 block)
{
	u32 page = vstore_tree_find(&f->map, block);

	return page ? *(u8 *)vstore_page_data(&f->map, page) : -1;
}

static void found_again_after_reopening(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_ASSERT_EQ(test, block_put(f, 5, 'a'), 1u);
	KUNIT_ASSERT_EQ(test, block_put(f, NR_BLOCKS - 1, 'b'), 1u);
	KUNIT_ASSERT_EQ(test, block_put(f, 5, 'c'), 1u);
	vstore_map_mark_clean(&f->map, 5);
	KUNIT_ASSERT_EQ(test, store_reopen(f), 0);
	KUNIT_EXPECT_EQ(test, contents_of(f, 5), (int)'c');
	KUNIT_EXPECT_EQ(test, contents_of(f, NR_BLOCKS - 1), (int)'b');
	KUNIT_EXPECT_EQ(test, contents_of(f, 6), -1);
	KUNIT_EXPECT_EQ(test, f->report.clean, 1u);
	KUNIT_EXPECT_EQ(test, f->report.dirty, 1u);
	KUNIT_EXPECT_EQ(test, f->map.nr_nodes, 4u);
}

static void next_passes_over_what_is_absent(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, vstore_tree_next(&f->map, 0, VSTORE_NONE), VSTORE_NONE);
	block_put(f, 511, 1);
	block_put(f, 400000, 2);
	KUNIT_EXPECT_EQ(test, vstore_tree_next(&f->map, 0, VSTORE_NONE), 511ULL);
	KUNIT_EXPECT_EQ(test, vstore_tree_next(&f->map, 512, VSTORE_NONE), 400000ULL);
	KUNIT_EXPECT_EQ(test, vstore_tree_next(&f->map, 400001, VSTORE_NONE), VSTORE_NONE);
}

static void full_says_so_and_comes_back_empty(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 room = f->map.nr_free;
	u64 block, nr = 0;

	/* Each in a node of its own, so that nodes run out as well. */
	while (block_put(f, nr * 512, nr))
		nr++;
	KUNIT_EXPECT_GT(test, nr, 4ULL);
	for (block = 0; block < nr; block++) {
		u64 which = block * 512;

		KUNIT_EXPECT_EQ(test, contents_of(f, which), (int)block);
		vstore_map_forget(&f->map, &which, 1);
	}
	KUNIT_EXPECT_EQ(test, f->map.nr_free, room);
	KUNIT_EXPECT_EQ(test, f->map.nr_nodes, 0u);
}

static void damage_is_refused(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 *root = (u64 *)(f->pram + VSTORE_BLOCK_SIZE), entry, empty[] = { root[0], root[1] };

	block_put(f, 5, 'a');
	entry = root[0];
	root[0] ^= 1ULL << 45;
	KUNIT_EXPECT_EQ(test, store_reopen(f), -EINVAL);
	root[0] = entry;
	bad = f->pram;
	KUNIT_EXPECT_EQ(test, store_reopen(f), -EINVAL);
	bad = &root[511];
	KUNIT_EXPECT_EQ(test, store_reopen(f), -EINVAL);
	bad = NULL;
	/* The same entry at another place. */
	root[0] = empty[0];
	root[1] = entry;
	KUNIT_EXPECT_EQ(test, store_reopen(f), -EINVAL);
	/* Twice. */
	root[0] = entry;
	KUNIT_EXPECT_EQ(test, store_reopen(f), -EINVAL);
	/* That nothing is there, of another place. */
	root[1] = empty[0];
	KUNIT_EXPECT_EQ(test, store_reopen(f), -EINVAL);
	root[1] = empty[1];
	KUNIT_EXPECT_EQ(test, store_reopen(f), 0);
	KUNIT_EXPECT_EQ(test, contents_of(f, 5), (int)'a');
}

static bool refused_when_zero(struct fixture *f, void *at, size_t size)
{
	u8 *was = kmalloc(size, GFP_KERNEL);
	bool refused;

	if (!was)
		return false;
	memcpy(was, at, size);
	memset(at, 0, size);
	refused = store_reopen(f) == -EINVAL && !strcmp(f->report.why, "a damaged entry") &&
		  !memchr_inv(at, 0, size);
	memcpy(at, was, size);
	kfree(was);
	return refused;
}

/* Whatever is zero where the tree is was lost: none of its words is zero by itself. */
static void zeroes_are_refused(struct kunit *test)
{
	struct fixture *f = test->priv;
	const size_t line = VSTORE_LINE_ENTRIES * sizeof(u64);
	u64 block, gone = 290001, entry;
	unsigned int level, i;
	u32 node;

	/* Before the first entry; and with nodes of all levels, and an entry that was dropped. */
	KUNIT_EXPECT_TRUE(test, refused_when_zero(f, f->pram + VSTORE_BLOCK_SIZE, line));
	KUNIT_ASSERT_EQ(test, store_reopen(f), 0);
	for (block = 0; block < 3; block++)
		KUNIT_ASSERT_EQ(test, block_put(f, block * 290000, 'a' + block), 1u);
	KUNIT_ASSERT_EQ(test, block_put(f, gone, 'd'), 1u);
	vstore_map_forget(&f->map, &gone, 1);
	for (level = 0; level < 3; level++) {
		u64 *at = vstore_slot_find(&f->map, gone, level, &node, &entry);

		KUNIT_ASSERT_TRUE(test, at);
		KUNIT_EXPECT_TRUE(test, refused_when_zero(f, at, sizeof(*at)));
		KUNIT_EXPECT_TRUE(test, refused_when_zero(f, vstore_page_data(&f->map, node),
							  VSTORE_BLOCK_SIZE));
		for (i = 0; i < VSTORE_FANOUT; i += VSTORE_LINE_ENTRIES)
			KUNIT_EXPECT_TRUE(test,
					  refused_when_zero(f, vstore_slot_at(&f->map, node, i),
							    line));
	}
	KUNIT_EXPECT_EQ(test, store_reopen(f), 0);
	for (block = 0; block < 3; block++)
		KUNIT_EXPECT_EQ(test, contents_of(f, block * 290000), (int)('a' + block));
}

/* Their checksum is right. */
static void impossible_sizes_are_refused(struct kunit *test)
{
	static const struct {
		u64 nr_pages, nr_blocks;
	} cases[] = {
		{ 0, NR_BLOCKS }, { 1, NR_BLOCKS }, { VSTORE_LEVELS_MAX + 2, NR_BLOCKS },
		{ NR_PAGES, 0 }, { NR_PAGES, (1ULL << 36) + 1 }, { NR_PAGES, ~0ULL },
	};
	struct fixture *f = test->priv;
	struct vstore_header *header = (struct vstore_header *)f->pram;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		header->nr_pages = cases[i].nr_pages;
		header->nr_blocks = cases[i].nr_blocks;
		header->crc = header_crc(header);
		KUNIT_EXPECT_EQ(test, vstore_header_check(f->pram, NR_PAGES, cases[i].nr_blocks,
							  &f->report), -EINVAL);
	}
}

static void foreign_headers_are_refused(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct vstore_report *report = &f->report;
	const size_t unit = VSTORE_UNIT * VSTORE_BLOCK_SIZE;

	KUNIT_EXPECT_EQ(test, vstore_header_check(f->pram, NR_PAGES, NR_BLOCKS + 1, report),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, vstore_header_check(f->pram, NR_PAGES - 1, NR_BLOCKS, report),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, vstore_header_check(f->pram, NR_PAGES + 1, NR_BLOCKS, report), 0);
	f->pram[20] ^= 1;
	KUNIT_EXPECT_EQ(test, vstore_header_check(f->pram, NR_PAGES, NR_BLOCKS, report), -EINVAL);
	f->pram[20] ^= 1;
	f->pram[0] ^= 1;
	KUNIT_EXPECT_EQ(test, vstore_header_check(f->pram, NR_PAGES, NR_BLOCKS, report), -EINVAL);
	KUNIT_EXPECT_FALSE(test, vstore_header_is_blank(f->pram, NR_PAGES));
	/* A store without its header is something else, and not nothing. */
	memset(f->pram, 0, VSTORE_BLOCK_SIZE);
	KUNIT_EXPECT_EQ(test, vstore_header_check(f->pram, NR_PAGES, NR_BLOCKS, report), -EINVAL);
	KUNIT_EXPECT_TRUE(test, strstr(report->why, "something else"));
	KUNIT_EXPECT_FALSE(test, vstore_header_is_blank(f->pram, NR_PAGES));
	memset(f->pram, 0, unit);
	KUNIT_EXPECT_TRUE(test, vstore_header_is_blank(f->pram, NR_PAGES));
	f->pram[unit] = 1;
	KUNIT_EXPECT_TRUE(test, vstore_header_is_blank(f->pram, NR_PAGES));
	f->pram[unit - 1] = 1;
	KUNIT_EXPECT_FALSE(test, vstore_header_is_blank(f->pram, NR_PAGES));
	f->pram[unit - 1] = 0;
	bad = f->pram + 100;
	KUNIT_EXPECT_FALSE(test, vstore_header_is_blank(f->pram, NR_PAGES));
	bad = NULL;
	/* No more than there is. */
	memset(f->pram, 0, VSTORE_BLOCK_SIZE);
	f->pram[VSTORE_BLOCK_SIZE] = 1;
	KUNIT_EXPECT_TRUE(test, vstore_header_is_blank(f->pram, 1));
}

/* Data and nodes: all that was in a unit is found elsewhere, also after a power cut. */
static void a_unit_is_emptied(struct kunit *test)
{
	struct fixture *f = test->priv;
	u16 used[NR_PAGES / VSTORE_UNIT];
	u64 block;
	u32 page;

	for (block = 0; block < 6; block++)
		KUNIT_ASSERT_EQ(test, block_put(f, block * 1000, 'a' + block), 1u);
	vstore_map_mark_clean(&f->map, 1000);
	vstore_unit_count_used(&f->map, used);
	KUNIT_EXPECT_EQ(test, (u32)(used[0] + used[1] + used[2]),
			vstore_fixed_pages(NR_PAGES) + f->map.nr_nodes + f->map.nr_data);
	vstore_unit_withdraw(&f->map, 1);
	for (page = VSTORE_UNIT; page < 2 * VSTORE_UNIT; page++)
		if (f->pages[page].use != VSTORE_AWAY)
			KUNIT_ASSERT_EQ(test, vstore_page_relocate(&f->map, page), 0);
	KUNIT_EXPECT_EQ(test, (u32)used[1], 0u);
	KUNIT_EXPECT_EQ(test, f->map.nr_away, (u32)VSTORE_UNIT);
	memset(f->pram + VSTORE_UNIT * VSTORE_BLOCK_SIZE, 0x55, VSTORE_UNIT * VSTORE_BLOCK_SIZE);
	for (block = 0; block < 6; block++)
		KUNIT_EXPECT_EQ(test, contents_of(f, block * 1000), (int)('a' + block));
	KUNIT_ASSERT_EQ(test, store_reopen(f), 0);
	for (block = 0; block < 6; block++)
		KUNIT_EXPECT_EQ(test, contents_of(f, block * 1000), (int)('a' + block));
	KUNIT_EXPECT_EQ(test, f->report.clean, 1u);
	vstore_unit_count_used(&f->map, used);
	vstore_unit_withdraw(&f->map, 1);
	page = f->map.nr_free;
	vstore_unit_restore(&f->map, 1);
	KUNIT_EXPECT_EQ(test, f->map.nr_free, (u32)(page + VSTORE_UNIT));
	KUNIT_EXPECT_EQ(test, f->map.nr_away, 0u);
}

/* Blocks are found whatever of the tree is lost; and after reopening, for that was mended. */
static void a_node_is_mended(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int level;
	u64 block, entry;
	u32 node, nr_bad;

	for (block = 0; block < 3; block++)
		KUNIT_ASSERT_EQ(test, block_put(f, block * 1000, 'a' + block), 1u);
	for (level = 0; level < 3; level++) {
		KUNIT_ASSERT_TRUE(test, vstore_slot_find(&f->map, 1000, level, &node, &entry));
		nr_bad = f->map.nr_bad;
		memset(vstore_page_data(&f->map, node), level, VSTORE_BLOCK_SIZE);
		for (block = 0; block < 3; block++)
			KUNIT_EXPECT_EQ(test, contents_of(f, block * 1000), (int)('a' + block));
		KUNIT_EXPECT_EQ(test, vstore_tree_next(&f->map, 1, VSTORE_NONE), 1000ULL);
		KUNIT_ASSERT_EQ(test, block_put(f, 1000, 'b'), 1u);
		KUNIT_EXPECT_EQ(test, f->map.damaged, node);
		KUNIT_EXPECT_EQ(test, vstore_map_repair(&f->map), 0);
		KUNIT_EXPECT_EQ(test, f->map.nr_bad, nr_bad + (node != VSTORE_ROOT_PAGE));
		for (block = 0; block < 3; block++)
			KUNIT_EXPECT_EQ(test, contents_of(f, block * 1000), (int)('a' + block));
		KUNIT_EXPECT_EQ(test, f->map.damaged, 0u);
	}
	KUNIT_ASSERT_EQ(test, store_reopen(f), 0);
	for (block = 0; block < 3; block++)
		KUNIT_EXPECT_EQ(test, contents_of(f, block * 1000), (int)('a' + block));
}

/* However much of a node is lost, all pages are looked at once; for the root, once a part. */
static void mending_takes_few_looks(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 block, entry;
	u32 node;

	for (block = 0; block < 8; block++)
		KUNIT_ASSERT_EQ(test, block_put(f, block * 73, 'a' + block), 1u);
	vstore_map_mark_clean(&f->map, 73);
	KUNIT_ASSERT_TRUE(test, vstore_slot_find(&f->map, 0, 0, &node, &entry));
	memset(vstore_page_data(&f->map, node), 0, VSTORE_BLOCK_SIZE);
	vstore_node_mark_bad(&f->map, node);
	pauses = 0;
	KUNIT_EXPECT_EQ(test, vstore_map_repair(&f->map), 0);
	KUNIT_EXPECT_EQ(test, pauses, 2u);
	memset(vstore_page_data(&f->map, VSTORE_ROOT_PAGE), 0, VSTORE_BLOCK_SIZE);
	vstore_node_mark_bad(&f->map, VSTORE_ROOT_PAGE);
	pauses = 0;
	KUNIT_EXPECT_EQ(test, vstore_map_repair(&f->map), 0);
	KUNIT_EXPECT_EQ(test, pauses, 2u * VSTORE_FANOUT / PART_ENTRIES);
	pauses = 0;
	for (block = 0; block < 8; block++)
		KUNIT_EXPECT_EQ(test, contents_of(f, block * 73), (int)('a' + block));
	KUNIT_EXPECT_EQ(test, pauses, 0u);
	KUNIT_ASSERT_EQ(test, store_reopen(f), 0);
	for (block = 0; block < 8; block++)
		KUNIT_EXPECT_EQ(test, contents_of(f, block * 73), (int)('a' + block));
	KUNIT_EXPECT_EQ(test, f->report.clean, 1u);
}

static bool stays_unusable(struct fixture *f, u32 page)
{
	return f->pages[page].use == VSTORE_UNUSABLE &&
	       vstore_unit_has_bad(&f->map, page / VSTORE_UNIT);
}

/* What nobody has met of a node cannot be read: its unit is emptied. */
static void empty_with_bad_node(struct kunit *test)
{
	struct fixture *f = test->priv;
	u16 used[NR_PAGES / VSTORE_UNIT];
	u64 block, entry;
	u32 node, page;

	for (block = 0; block < 3; block++)
		KUNIT_ASSERT_EQ(test, block_put(f, block * 1000, 'a' + block), 1u);
	vstore_unit_count_used(&f->map, used);
	KUNIT_ASSERT_TRUE(test, vstore_slot_find(&f->map, 2000, 0, &node, &entry));
	KUNIT_ASSERT_EQ(test, vstore_unit_of(node), 1u);
	bad = vstore_slot_at(&f->map, node, 0);
	vstore_unit_withdraw(&f->map, 1);
	for (page = VSTORE_UNIT; page < 2 * VSTORE_UNIT; page++)
		if (f->pages[page].use != VSTORE_AWAY)
			KUNIT_ASSERT_EQ(test, vstore_page_relocate(&f->map, page), 0);
	bad = NULL;
	KUNIT_EXPECT_TRUE(test, stays_unusable(f, node));
	KUNIT_EXPECT_EQ(test, (u32)used[1], 1u);
	KUNIT_EXPECT_EQ(test, f->map.nr_bad, 1u);
	for (block = 0; block < 3; block++)
		KUNIT_EXPECT_EQ(test, contents_of(f, block * 1000), (int)('a' + block));
}

static void a_bad_node_is_not_lent(struct kunit *test)
{
	struct fixture *f = test->priv;

	empty_with_bad_node(test);
	KUNIT_EXPECT_EQ(test, vstore_map_repair(&f->map), -ENOENT);
}

static void nor_when_nothing_is_mended(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 last = NR_BLOCKS - 1;

	bad = vstore_slot_at(&f->map, VSTORE_ROOT_PAGE, vstore_slot_index(last, 2));
	KUNIT_EXPECT_EQ(test, contents_of(f, last), -1);
	KUNIT_EXPECT_EQ(test, vstore_map_repair(&f->map), -EIO);
	empty_with_bad_node(test);
}

/* By what found it, or later, when another one is to be mended. */
static void a_bad_node_is_emptied(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 block, entry;
	u32 node[3];

	for (block = 0; block < 3; block++) {
		KUNIT_ASSERT_EQ(test, block_put(f, block * 1000, 'a' + block), 1u);
		KUNIT_ASSERT_TRUE(test, vstore_slot_find(&f->map, block * 1000, 0, &node[block],
							 &entry));
	}
	block = 0;
	bad = vstore_slot_at(&f->map, node[0], 0);
	vstore_map_forget(&f->map, &block, 1);
	bad = NULL;
	KUNIT_EXPECT_TRUE(test, stays_unusable(f, node[0]));
	KUNIT_EXPECT_EQ(test, vstore_map_repair(&f->map), -ENOENT);

	for (block = 1; block < 3; block++) {
		bad = vstore_slot_at(&f->map, node[block], vstore_slot_index(block * 1000, 0));
		KUNIT_EXPECT_EQ(test, contents_of(f, block * 1000), (int)('a' + block));
	}
	bad = NULL;
	KUNIT_EXPECT_EQ(test, f->map.damaged, node[2]);
	block = 1000;
	vstore_map_forget(&f->map, &block, 1);
	KUNIT_EXPECT_TRUE(test, stays_unusable(f, node[1]));
	KUNIT_EXPECT_EQ(test, vstore_map_repair(&f->map), 0);
	KUNIT_EXPECT_TRUE(test, stays_unusable(f, node[2]));
	KUNIT_EXPECT_EQ(test, f->map.nr_bad, 3u);
	KUNIT_EXPECT_EQ(test, contents_of(f, 2000), (int)'c');
}

/* It stays until it is dropped, and its page is in no list of free ones then. */
static void what_cannot_be_read_stays(struct kunit *test)
{
	struct fixture *f = test->priv;
	u16 used[NR_PAGES / VSTORE_UNIT];
	u64 block;
	u32 page, room;

	for (block = 0; block < 6; block++)
		KUNIT_ASSERT_EQ(test, block_put(f, block * 1000, 'a' + block), 1u);
	vstore_unit_count_used(&f->map, used);
	block = 3000;
	page = vstore_tree_find(&f->map, block);
	room = f->map.nr_free;
	bad = vstore_page_data(&f->map, page) + 3000;
	KUNIT_EXPECT_EQ(test, vstore_page_relocate(&f->map, page), -EIO);
	KUNIT_EXPECT_EQ(test, f->map.nr_free, room);
	vstore_page_mark_bad(&f->map, page);
	vstore_page_mark_bad(&f->map, page);
	bad = NULL;
	KUNIT_EXPECT_EQ(test, vstore_page_relocate(&f->map, page), -EIO);
	KUNIT_EXPECT_EQ(test, vstore_tree_find(&f->map, block), page);
	KUNIT_EXPECT_EQ(test, f->map.nr_bad, 1u);
	KUNIT_EXPECT_EQ(test, f->map.nr_lost, 1u);
	KUNIT_EXPECT_TRUE(test, vstore_unit_has_bad(&f->map, page / VSTORE_UNIT));
	KUNIT_EXPECT_FALSE(test, vstore_unit_has_bad(&f->map, 0));

	vstore_map_forget(&f->map, &block, 1);
	KUNIT_EXPECT_EQ(test, f->map.nr_bad, 1u);
	KUNIT_EXPECT_EQ(test, f->map.nr_lost, 0u);
	while (f->map.nr_free)
		KUNIT_EXPECT_NE(test, vstore_page_take(&f->map, VSTORE_DATA), page);
	KUNIT_EXPECT_EQ(test, (u32)(used[1] + used[2]), 2 * (u32)VSTORE_UNIT);

	/* Suspended and resumed, it is still none that can be used. */
	KUNIT_EXPECT_EQ(test, store_reopen(f), 0);
	KUNIT_EXPECT_EQ(test, f->map.nr_bad, 1u);
	KUNIT_EXPECT_EQ(test, f->map.nr_lost, 0u);
	KUNIT_EXPECT_TRUE(test, vstore_unit_has_bad(&f->map, page / VSTORE_UNIT));
	while (f->map.nr_free)
		KUNIT_EXPECT_NE(test, vstore_page_take(&f->map, VSTORE_DATA), page);
}

static bool block_is_right(struct fixture *f, u64 block)
{
	u32 page = vstore_tree_find(&f->map, block);

	return vstore_data_is_right(&f->map, page, vstore_page_data(&f->map, page));
}

/* As the store of a disk that is sealed is read. */
static int sealed_reopen(struct fixture *f)
{
	vstore_seal_write(f->pram, (struct vstore_seal){ VSTORE_DISK_SEALED, 1 });
	return store_reopen(f);
}

static void changed_data_are_seen(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 block;
	u8 *data;

	for (block = 0; block < 3; block++)
		KUNIT_ASSERT_EQ(test, block_put(f, block * 1000, 'a'), 1u);
	data = vstore_page_data(&f->map, vstore_tree_find(&f->map, 1000));
	KUNIT_EXPECT_TRUE(test, block_is_right(f, 1000));
	data[4095] ^= 0x80;
	KUNIT_EXPECT_FALSE(test, block_is_right(f, 1000));
	/* It is so after reopening, and where it is moved to. */
	KUNIT_ASSERT_EQ(test, sealed_reopen(f), 0);
	KUNIT_EXPECT_FALSE(test, block_is_right(f, 1000));
	KUNIT_ASSERT_EQ(test, vstore_page_relocate(&f->map, vstore_tree_find(&f->map, 1000)), 0);
	KUNIT_EXPECT_FALSE(test, block_is_right(f, 1000));
	KUNIT_ASSERT_EQ(test, sealed_reopen(f), 0);
	KUNIT_EXPECT_FALSE(test, block_is_right(f, 1000));
	KUNIT_EXPECT_TRUE(test, block_is_right(f, 0));
	KUNIT_EXPECT_TRUE(test, block_is_right(f, 2000));
	KUNIT_EXPECT_EQ(test, f->map.nr_bad, 0u);
}

/* A record that is lost makes its block one that cannot be read; that of a free page, none. */
static void lost_checksums_are_seen(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 page;

	KUNIT_ASSERT_EQ(test, block_put(f, 5, 'a'), 1u);
	KUNIT_ASSERT_EQ(test, block_put(f, 6, 'b'), 1u);
	page = vstore_tree_find(&f->map, 5);
	vstore_record_clear(&f->map, page);
	KUNIT_ASSERT_EQ(test, sealed_reopen(f), 0);
	KUNIT_EXPECT_TRUE(test, f->pages[page].flags & VSTORE_BAD);
	KUNIT_EXPECT_EQ(test, f->map.nr_lost, 1u);
	KUNIT_EXPECT_TRUE(test, block_is_right(f, 6));
	KUNIT_ASSERT_EQ(test, block_put(f, 5, 'c'), 1u);
	KUNIT_ASSERT_EQ(test, sealed_reopen(f), 0);
	KUNIT_EXPECT_EQ(test, f->map.nr_lost, 0u);
	KUNIT_EXPECT_TRUE(test, block_is_right(f, 5));
	page = vstore_page_take(&f->map, VSTORE_DATA);
	vstore_record_set(&f->map, page, 77, VSTORE_COMMITTED);
	KUNIT_EXPECT_EQ(test, sealed_reopen(f), 0);
}

/* Lines of the tree that have what they had before: of one block, or of one that was forgotten. */
static void entries_gone_back_are_seen(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 *slot, was, now, entry, block = 5;
	u32 node;

	KUNIT_ASSERT_EQ(test, block_put(f, block, 'a'), 1u);
	slot = vstore_slot_find(&f->map, block, 0, &node, &was);
	KUNIT_ASSERT_EQ(test, block_put(f, block, 'b'), 1u);
	KUNIT_ASSERT_EQ(test, block_put(f, 6, 'c'), 1u);
	now = *slot;
	*slot = was;
	KUNIT_EXPECT_EQ(test, sealed_reopen(f), -EINVAL);
	KUNIT_EXPECT_EQ(test, f->report.block, block);
	*slot = vstore_entry_empty(&f->map, 0, block);
	KUNIT_EXPECT_EQ(test, sealed_reopen(f), -EINVAL);
	*slot = now;
	KUNIT_ASSERT_EQ(test, sealed_reopen(f), 0);
	KUNIT_EXPECT_EQ(test, contents_of(f, block), (int)'b');
	vstore_map_forget(&f->map, &block, 1);
	KUNIT_ASSERT_PTR_EQ(test, slot, vstore_slot_find(&f->map, block, 0, &node, &entry));
	*slot = now;
	KUNIT_ASSERT_EQ(test, sealed_reopen(f), 0);
	KUNIT_EXPECT_EQ(test, f->map.nr_lost, 1u);
	KUNIT_EXPECT_TRUE(test, block_is_right(f, 6));
}

static void rows_of_requests_are_seen(struct kunit *test)
{
	struct vstore_streams *s = kzalloc(sizeof(*s), GFP_KERNEL);
	u64 i;

	KUNIT_ASSERT_TRUE(test, s);
	KUNIT_EXPECT_EQ(test, vstore_streams_add(s, 100, 2), 100ULL);
	KUNIT_EXPECT_EQ(test, vstore_streams_add(s, 5000, 1), 5000ULL);
	KUNIT_EXPECT_EQ(test, vstore_streams_add(s, 102, 2), 100ULL);
	KUNIT_EXPECT_EQ(test, vstore_streams_add(s, 104 + VSTORE_STREAM_GAP, 1), 102ULL);
	i = 106 + 2 * VSTORE_STREAM_GAP;		/* one too far */
	KUNIT_EXPECT_EQ(test, vstore_streams_add(s, i, 1), i);
	/* Backwards is no file that grows. */
	KUNIT_EXPECT_EQ(test, vstore_streams_add(s, 4999, 1), 4999ULL);
	for (i = 0; i < VSTORE_STREAMS; i++)
		vstore_streams_add(s, 1000000 + i * 1000, 1);
	KUNIT_EXPECT_EQ(test, vstore_streams_add(s, 5001, 1), 5001ULL);
	kfree(s);
}

static struct kunit_case store_cases[] = {
	KUNIT_CASE(found_again_after_reopening),
	KUNIT_CASE(next_passes_over_what_is_absent),
	KUNIT_CASE(full_says_so_and_comes_back_empty),
	KUNIT_CASE(damage_is_refused),
	KUNIT_CASE(zeroes_are_refused),
	KUNIT_CASE(impossible_sizes_are_refused),
	KUNIT_CASE(foreign_headers_are_refused),
	KUNIT_CASE(a_unit_is_emptied),
	KUNIT_CASE(a_node_is_mended),
	KUNIT_CASE(mending_takes_few_looks),
	KUNIT_CASE(a_bad_node_is_not_lent),
	KUNIT_CASE(nor_when_nothing_is_mended),
	KUNIT_CASE(a_bad_node_is_emptied),
	KUNIT_CASE(what_cannot_be_read_stays),
	KUNIT_CASE(changed_data_are_seen),
	KUNIT_CASE(lost_checksums_are_seen),
	KUNIT_CASE(entries_gone_back_are_seen),
	KUNIT_CASE(rows_of_requests_are_seen),
	{}
};

static struct kunit_suite store_suite = {
	.name = "vipzone_store",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = store_cases,
};

kunit_test_suite(store_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of dm-vstore");
