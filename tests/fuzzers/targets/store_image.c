// SPDX-License-Identifier: GPL-2.0-only
/*
 * Images of a store: kmod-vipzone/store/map. The input tells what is written to a store, what is
 * then done to its PRAM, checksums made right again among it, and what is done to it while it is
 * open. It opens, or is refused and not touched; data are as they were written, or that is
 * noticed; and while it is open, every block that memory knows is found.
 */
#include <linux/kernel.h>
#include <linux/list.h>

#include "store/map/pram.h"

#define BAD_LINES 4
#define LINE_BYTES 64

static const u8 *bad_lines[BAD_LINES]; /* what cannot be read, until it is written */

static unsigned long read_unless_bad(void *to, const void *from, size_t size)
{
	const u8 *at = from;
	int i;

	for (i = 0; i < BAD_LINES; i++)
		if (bad_lines[i] && at < bad_lines[i] + LINE_BYTES && at + size > bad_lines[i])
			return size;
	memcpy(to, from, size);
	return 0;
}

#define vstore_pram_read read_unless_bad
#define VSTORE_UNIT_SHIFT 3
#define VSTORE_SEAL_BLOCKS 2u
#include "store/map/checksum.c"
#include "store/map/pages.c"
#include "store/map/tree.c"
#include "store/map/commit.c"
#include "store/map/relocate.c"
#include "store/map/repair.c"
#include "store/map/header.c"
#include "store/map/seal.c"
#include "store/map/recovery.c"
#undef vstore_pram_read

#include "input.h"

#define NR_PAGES 24
#define IMAGE (NR_PAGES * VSTORE_BLOCK_SIZE)
#define STEPS 64 /* of each part, at most */

static const u8 store_uuid[16] = "the uuid of one";
static const u64 sizes[] = {
	600000, 1, 2, 5, 512, 513, 262144, 262145, 1ULL << 27, 1ULL << 36, (1ULL << 36) + 1
};

static u8 *pram;
static struct vstore_page *pages;
static struct vstore_map map;
static u64 nr_blocks;

/* Scattered, so that nodes are many; the first and the last ones are sealed. */
static u64 block_of(u8 place)
{
	static const u64 firsts[] = { 0,      510,    1024,	  262143,
				      262656, 599990, 1ULL << 26, (1ULL << 36) - 8 };
	u64 block = firsts[place / 8 % ARRAY_SIZE(firsts)] + place % 8;

	return place & 0x80 ? nr_blocks - 1 - block % nr_blocks : block % nr_blocks;
}

static int image_open(struct vstore_report *report)
{
	return vstore_map_open(&map, pram, pages, NR_PAGES, nr_blocks, true, report);
}

/* What is written to a block is always the same. */
static void block_put(u64 block)
{
	static u8 contents[VSTORE_BLOCK_SIZE] __aligned(8);
	struct vstore_item item = { .block = block, .page = vstore_page_take(&map, VSTORE_DATA) };

	if (!item.page)
		return;
	memset(contents, block + 1, sizeof(contents));
	vstore_data_write(&map, item.page, block, contents);
	if (!vstore_map_commit(&map, &item, 1))
		vstore_page_free(&map, item.page);
}

/* What a store does in its life. */
static void store_step(struct input_bytes *bytes)
{
	u8 what = input_u8(bytes), place = input_u8(bytes);
	u64 block = block_of(place);
	u32 page;

	switch (what % 8) {
	case 0:
	case 1:
		block_put(block);
		break;
	case 2:
		vstore_map_forget(&map, &block, 1);
		break;
	case 3:
		if (vstore_tree_find(&map, block))
			vstore_map_mark_clean(&map, block);
		break;
	case 4:
		vstore_map_repair(&map);
		break;
	case 5:
		page = place % map.nr_pages;
		if ((map.pages[page].use == VSTORE_DATA || map.pages[page].use == VSTORE_NODE) &&
		    map.pages[page].block != VSTORE_NONE)
			vstore_page_relocate(&map, page);
		break;
	case 6:
		page = vstore_tree_find(&map, block);
		if (page)
			vstore_page_mark_bad(&map, page);
		break;
	default:
		vstore_tree_next(&map, block, nr_blocks);
	}
}

static void header_forge(struct input_bytes *bytes)
{
	struct vstore_header *header = (struct vstore_header *)pram;

	switch (input_u8(bytes) % 7) {
	case 0:
		header->nr_pages = input_u8(bytes) % (NR_PAGES + 2);
		break;
	case 1:
		header->nr_pages = input_u64(bytes);
		break;
	case 2:
		header->nr_blocks = nr_blocks = sizes[input_u8(bytes) % ARRAY_SIZE(sizes)];
		break;
	case 3:
		header->version = input_u8(bytes);
		break;
	case 4:
		header->nr_blocks = input_u64(bytes);
		break;
	case 5:
		header->uuid[input_u8(bytes) % 16] ^= input_u8(bytes);
		break;
	default:
		header->reserved = input_u8(bytes);
	}
	header->crc = header_crc(header);
}

/*
 * An entry with a right checksum, where it does not belong. Of one that leads nowhere memory is
 * not asked: while the store is open, that is not forged.
 */
static void entry_forge(struct input_bytes *bytes, u32 node, bool open)
{
	unsigned int level = input_u8(bytes) % (VSTORE_LEVELS_MAX + 1);
	u64 block =
		block_of(input_u8(bytes)) + ((u64)input_u8(bytes) << level * VSTORE_FANOUT_SHIFT);
	u32 page = input_u8(bytes);

	if (page == 0xff)
		page = ~0u - input_u8(bytes);
	page += open && !page;
	*vstore_slot_of(&map, node, level, block) =
		vstore_entry_make(&map, level, block, page, input_u8(bytes) & 3);
}

/* Where damage is done: anywhere; while the store is open, in a page of its tree, or of records. */
static u32 damage_page(struct input_bytes *bytes, bool open)
{
	u32 page = input_u8(bytes) % NR_PAGES, i;

	for (i = 0; open && i < NR_PAGES; i++, page = (page + 1) % NR_PAGES)
		if (page == VSTORE_ROOT_PAGE || page == VSTORE_RECORDS_PAGE ||
		    map.pages[page].use == VSTORE_NODE)
			break;
	return page;
}

static void damage(struct input_bytes *bytes, bool open)
{
	u8 what = input_u8(bytes) % 9;
	u32 page = damage_page(bytes, open);
	u8 *at = pram + page * VSTORE_BLOCK_SIZE + input_u16(bytes) % VSTORE_BLOCK_SIZE;
	u8 *line = (u8 *)((unsigned long)at & ~(LINE_BYTES - 1UL)),
	   *word = (u8 *)((unsigned long)at & ~7UL);
	u64 value;

	switch (what) {
	case 0:
		*at ^= input_u8(bytes);
		break;
	case 1:
		value = input_u64(bytes);
		memcpy(word, &value, sizeof(value));
		break;
	case 2:
		memset(line, 0, LINE_BYTES);
		break;
	case 3: /* what another line has, or its page */
		value = damage_page(bytes, false);
		memmove(line, pram + value * VSTORE_BLOCK_SIZE + (line - pram) % VSTORE_BLOCK_SIZE,
			LINE_BYTES);
		break;
	case 4:
		memset(pram + page * VSTORE_BLOCK_SIZE, input_u8(bytes), VSTORE_BLOCK_SIZE);
		break;
	case 5:
		bad_lines[input_u8(bytes) % BAD_LINES] = line;
		break;
	case 6:
	case 7:
		if (page != VSTORE_HEADER_PAGE && page != VSTORE_RECORDS_PAGE)
			entry_forge(bytes, page, open);
		break;
	default:
		if (!open)
			header_forge(bytes);
	}
}

/* What memory knows is what the tree says. */
static void map_check(void)
{
	u32 page, fixed = 0, data = 0, nodes = 0, bad = 0, away = 0;

	for (page = 0; page < map.nr_pages; page++) {
		const struct vstore_page *p = &map.pages[page];

		fixed += p->use == VSTORE_FIXED;
		nodes += p->use == VSTORE_NODE;
		data += p->use == VSTORE_DATA;
		bad += p->use == VSTORE_UNUSABLE;
		away += p->use == VSTORE_AWAY;
		if (p->use == VSTORE_DATA && p->block != VSTORE_NONE)
			MUST(vstore_tree_find(&map, p->block) == page);
	}
	MUST(nodes == map.nr_nodes && data == map.nr_data && away == map.nr_away && !away);
	MUST(fixed >= 2 && fixed + nodes + data + bad + map.nr_free == map.nr_pages);
}

/* Data are as they were written, or it is noticed that they are not. */
static void data_check(void)
{
	const u8 *contents;
	u32 page;

	for (page = 0; page < map.nr_pages; page++) {
		const struct vstore_page *p = &map.pages[page];

		if (p->use != VSTORE_DATA || p->block == VSTORE_NONE ||
		    !vstore_page_is_right(&map, page, p->block, p->checksum))
			continue;
		contents = vstore_page_data(&map, page);
		MUST(!memchr_inv(contents, (u8)(p->block + 1), VSTORE_BLOCK_SIZE));
	}
}

/* All blocks in order, each once. */
static void blocks_check(void)
{
	u64 block = 0;
	u32 nr = 0;

	while ((block = vstore_tree_next(&map, block, nr_blocks)) != VSTORE_NONE) {
		MUST(block < nr_blocks && vstore_tree_find(&map, block));
		nr++;
		block++;
	}
	MUST(nr == map.nr_data);
}

/*
 * Each sector of a block that was on its way is from the label, or from PRAM; one that is not is
 * noticed.
 */
static void seal_check(struct input_bytes *bytes)
{
	static u8 on_disk[VSTORE_BLOCK_SIZE], in_pram[VSTORE_BLOCK_SIZE];
	u8 sectors = input_u8(bytes), flip = input_u8(bytes), generation = input_u8(bytes);
	u16 at = input_u16(bytes) % VSTORE_BLOCK_SIZE;
	u64 block = generation % 2;
	struct vstore_label label;
	unsigned int i;

	vstore_label_make(pram, generation, &label);
	memset(in_pram, generation | 1, sizeof(in_pram));
	memset(on_disk, 0, sizeof(on_disk));
	if (!block)
		memcpy(on_disk, &label, sizeof(label));
	MUST(vstore_label_is_right(pram, generation, on_disk) == !block);
	for (i = 0; i < 8; i++)
		if (sectors >> i & 1)
			memcpy(on_disk + i * VSTORE_SECTOR_SIZE, in_pram, VSTORE_SECTOR_SIZE);
	MUST(vstore_seal_is_moved(pram, generation, block, on_disk, in_pram));
	on_disk[at] ^= flip;
	MUST(vstore_seal_is_moved(pram, generation, block, on_disk, in_pram) == !flip);
}

/* As activation begins: a whole disk makes the store forget. */
static bool store_activate(struct vstore_report *report)
{
	static u8 before[IMAGE];
	struct vstore_seal seal;

	if (vstore_header_check(pram, NR_PAGES, nr_blocks, report) || vstore_seal_read(pram, &seal))
		return false;
	MUST(seal.state >= VSTORE_DISK_WHOLE && seal.state <= VSTORE_DISK_SEALED);
	memcpy(before, pram, IMAGE);
	if (!image_open(report))
		return true;
	MUST(report->why && !memcmp(before, pram, IMAGE));
	if (seal.state != VSTORE_DISK_WHOLE)
		return false;
	vstore_header_clear(pram, nr_blocks);
	return !image_open(report);
}

static void image_use(struct input_bytes *bytes)
{
	int i;

	map_check();
	blocks_check();
	data_check();
	seal_check(bytes);
	for (i = 0; i < STEPS && bytes->left; i++) {
		if (input_u8(bytes) % 4)
			store_step(bytes);
		else
			damage(bytes, true);
		map_check();
	}
	/* Nothing more is damaged: what has to be, and can be repaired, is, node by node. */
	memset(bad_lines, 0, sizeof(bad_lines));
	for (i = 0; i < NR_PAGES && map.damaged && map.nr_free; i++) {
		vstore_map_repair(&map);
		map_check();
	}
	MUST(!map.damaged || !map.nr_free);
}

static void image_try(struct input_bytes *bytes)
{
	struct vstore_report report = {};
	struct vstore_seal seal;
	int i, nr = input_u8(bytes) % STEPS;

	for (i = 0; i < nr && bytes->left; i++)
		store_step(bytes);
	map_check();
	seal = (struct vstore_seal){ VSTORE_DISK_WHOLE + input_u8(bytes) % 3, input_u8(bytes) };
	vstore_seal_write(pram, seal);
	nr = input_u8(bytes) % STEPS;
	for (i = 0; i < nr && bytes->left; i++)
		damage(bytes, false);
	if (store_activate(&report))
		image_use(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input_bytes bytes = { data, size };
	struct vstore_report report;

	memset(bad_lines, 0, sizeof(bad_lines));
	nr_blocks = sizes[input_u8(&bytes) % ARRAY_SIZE(sizes)];
	pram = aligned_alloc(VSTORE_BLOCK_SIZE, IMAGE);
	pages = calloc(NR_PAGES, sizeof(*pages));
	if (!pram || !pages)
		abort();
	memset(pram, 0, IMAGE);
	if (!vstore_header_format(pram, NR_PAGES, nr_blocks, store_uuid)) {
		MUST(!image_open(&report));
		image_try(&bytes);
	}
	free(pram);
	free(pages);
	return 0;
}
