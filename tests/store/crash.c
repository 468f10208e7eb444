// SPDX-License-Identifier: GPL-2.0-only
/*
 * crash [SEED [EPOCHS [SUBSETS]]]: cuts the power of a store at every instant.
 *
 * The map of dm-vstore runs on a PRAM that records each store and fence, and above it
 * what handles requests and write-back, with few blocks at a time. Then,
 * for every one of them, this machine stops right after it, and images are made
 * of what the PRAM may hold: all that was stored; only what was stored before
 * the last fence; and that with a random choice of the later words, in any
 * order, as a processor may write them. (A cache would keep those of a line in
 * order: fewer images.) Each is recovered, and each block must be as its last
 * acknowledged write left it, or as a write that was under way would; it is
 * never a mixture. One image is where the next epoch goes on.
 *
 * Units are lent to memory, and claimed back; while they are away, they are written
 * to by somebody else.
 *
 * Lines of its tree are lost while it is open: it finds every block nevertheless, and
 * mends the node, in which power cuts do no more harm than the damage did.
 *
 * What it leaves is refused as soon as a line of its tree is lost, and reads as zeroes. Bits that
 * flipped and lines that went back are found: damage.h.
 *
 * And, as the proof that it would tell: every fence is left out in turn, which
 * must be found out.
 */
#include <linux/kernel.h>
#include <linux/list.h>

#include "store/map/pram.h"

static void record_copy(void *to, const void *from, size_t size);
static void record_set(u64 *to, u64 value);
static void record_fence(const char *place);
static unsigned long read_with_care(void *to, const void *from, size_t size);

#define VSTORE_UNIT_SHIFT	3
#define VSTORE_CHUNK		2
#define VSTORE_BATCH		4
#define VSTORE_RUNS		2
#define VSTORE_SEAL_BLOCKS	2u
#define vstore_pram_copy		record_copy
#define vstore_pram_set		record_set
#define vstore_pram_read		read_with_care
#define LINE_TEXT(line)		#line
#define PLACE_OF(file, line)	file ":" LINE_TEXT(line)
#define vstore_pram_fence()	record_fence(PLACE_OF(__FILE__, __LINE__))
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
#include "store/blocks.c"
#include "store/disk.c"
#include "store/writeback.c"
#include "store/sealing.c"
#include "store/io.c"

#define PAGES		48
#define WORDS		(PAGES * VSTORE_BLOCK_SIZE / 8)
#define PAGE_WORDS	(VSTORE_BLOCK_SIZE / 8)
#define BLOCKS		599998ULL	/* three levels */
#define PLACES		48		/* blocks that are used */
#define OPERATIONS	10
#define PER_OPERATION	4
#define DAMAGES		8		/* an epoch */

static u64 pram[WORDS] __aligned(4096);
static struct vstore_page pages[PAGES];
static u16 units_used[PAGES / 8];
static struct vstore store;

/* What happened, in order. */
enum event_kind { STORE, FENCE, DISK, CACHED, FLUSH, ACK };
struct event {
	enum event_kind kind;
	u32 at;			/* word, place on disk, or operation */
	u64 value;
};
static struct event *events;
static size_t nr_events, room_events;

/* What is done: versions of blocks. 0 is what the disk had at first. */
struct operation {
	int nr;
	int place[PER_OPERATION];
	u64 version[PER_OPERATION];
	bool forget;		/* a discard: then anything older will do */
};
static struct operation operations[OPERATIONS];

/* What a block of the disk has, if it is no version. */
#define ZEROES	(1ULL << 40)
#define LABEL	(2ULL << 40)	/* and its generation */

static u64 disk[PLACES];
static u64 acked[PLACES];
static bool forgotten[PLACES];	/* discarded, not written since */
static u64 versions;
static const char *left_out;	/* the fence that is: where it stands */
static const char *fences[32];
static int nr_fences;
static unsigned long images, cuts, zeroed, mended, sealed, opened, alone;
static u64 *bad_line;		/* what cannot be read of the PRAM */
static bool bad_for_good;	/* also when it is written */
static u32 left_empty;		/* nodes, in the last image, if it has others, too */
static u64 random_state;
static struct operation *meanwhile;
static int last_place;		/* after what was written last: writes that continue are merged */

static u64 random_below(u64 n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % n;
}

/* Scattered, so that nodes come and go. */
static u64 block_of(int place)
{
	static const u64 firsts[] = { 0, 510, 1024, 262143, 262656, 599990 };

	return firsts[place / 8] + place % 8;
}

static u64 word_of(u64 block, u64 version, unsigned int i)
{
	return version << 32 | (block << 9 | i);
}

static void record(enum event_kind kind, u32 at, u64 value)
{
	if (nr_events == room_events) {
		room_events = room_events * 2 + 1024;
		events = realloc(events, room_events * sizeof(*events));
		if (!events)
			abort();
	}
	events[nr_events++] = (struct event){ kind, at, value };
}

static void record_set(u64 *to, u64 value)
{
	if ((unsigned long)to % 8 || to < pram || to >= pram + WORDS)
		abort();
	*to = value;
	if (bad_line && to - bad_line == VSTORE_LINE_ENTRIES - 1 && !bad_for_good)
		bad_line = NULL;
	record(STORE, to - pram, value);
}

static unsigned long read_with_care(void *to, const void *from, size_t size)
{
	if (bad_line && from < (void *)(bad_line + VSTORE_LINE_ENTRIES) && from + size > (void *)bad_line)
		return size;
	memcpy(to, from, size);
	return 0;
}

static void record_copy(void *to, const void *from, size_t size)
{
	u64 value;
	size_t i;

	if (size % 8)
		abort();
	for (i = 0; i < size; i += 8) {
		memcpy(&value, from + i, 8);
		record_set(to + i, value);
	}
}

static void record_fence(const char *place)
{
	int i;

	for (i = 0; i < nr_fences && strcmp(fences[i], place); i++)
		;
	if (i == nr_fences)
		fences[nr_fences++] = place;
	if (!left_out || strcmp(place, left_out))
		record(FENCE, 0, 0);
}

/* What the kernel's code is not tried with here. */
void vstore_promote_outdate(struct vstore *store, u64 block, u32 nr) {}
void vstore_promote_track(struct vstore *store, struct bio *bio, u64 block, u32 nr) {}
bool vstore_promote_is_idle(struct vstore *store, u64 block, u32 nr) { return true; }
bool vstore_promote_wanted(const struct vstore *store) { return false; }
bool vstore_promote_read(struct vstore *store, struct bio *bio, u64 block, u32 nr) { return false; }
void vstore_read_cache_drop(struct vstore *store, u64 block, u32 nr) {}
u32 vstore_read_cache_read(struct vstore *store, struct bio *bio, u64 block, u32 nr) { return 0; }
bool vstore_read_cache_wanted(const struct vstore *store) { return false; }
void vstore_share_kick(struct vstore *store) {}
bool vstore_loan_lent(const struct vstore_loan *loan, u32 unit) { return true; }
u32 vstore_quota_usable(const struct vstore *store) { return store->map.nr_pages; }

static int place_of(u64 block)
{
	int place;

	for (place = 0; place < PLACES; place++)
		if (block_of(place) == block)
			return place;
	abort();
}

static u64 value_of(const u64 *contents)
{
	const struct vstore_label *label = (const void *)contents;

	if (label->magic == VSTORE_LABEL_MAGIC)
		return LABEL + label->generation;
	return memchr_inv(contents, 0, VSTORE_BLOCK_SIZE) ? *contents >> 32 : ZEROES;
}

static void contents_of(u64 block, u64 value, u64 *contents)
{
	unsigned int i;

	memset(contents, 0, VSTORE_BLOCK_SIZE);
	if (value >= LABEL)
		vstore_label_make(pram, value - LABEL, (struct vstore_label *)contents);
	else if (value != ZEROES)
		for (i = 0; i < PAGE_WORDS; i++)
			contents[i] = word_of(block, value, i);
}

/* The disk has a cache for what is sealed, and what is so no more; not else. */
static void write_to_disk(u64 block, const u64 *contents, u32 nr)
{
	for (; nr; nr--, block++, contents += PAGE_WORDS) {
		disk[place_of(block)] = value_of(contents);
		record(store.sealing.moving ? CACHED : DISK, place_of(block), value_of(contents));
	}
}

static void read_from_disk(u64 block, u64 *contents, u32 nr)
{
	for (; nr; nr--, block++, contents += PAGE_WORDS)
		contents_of(block, disk[place_of(block)], contents);
}

/* Somebody waits for the disk to be sealed. */
void wait_a_while(void)
{
	sealed += !vstore_sealing_close(&store);
}

/* Blocks in a row, as device-mapper does it: what is not accepted comes again. False if there is no room. */
static bool request(struct vstore *store, unsigned int op, u64 block, u64 *contents, u32 nr)
{
	while (nr) {
		struct bio bio = {
			.bi_opf = op,
			.bi_iter = { .bi_sector = block * 8, .bi_size = nr * VSTORE_BLOCK_SIZE },
			.data = contents,
		};
		int result = vstore_io_map(store->ti, &bio);
		u32 done = bio_sectors(&bio) / 8;

		if (bio.bi_status || result == DM_MAPIO_KILL)
			return false;
		if (result == DM_MAPIO_REMAPPED && op == REQ_OP_WRITE)
			write_to_disk(block, contents, done);
		if (result == DM_MAPIO_REMAPPED && op == REQ_OP_READ)
			read_from_disk(block, contents, done);
		block += done;
		contents += done * PAGE_WORDS;
		nr -= done;
	}
	return true;
}

/* While write-back has blocks under way, somebody may write one of them: the operation is that, then. */
static void write_meanwhile(u64 block)
{
	static u64 contents[PAGE_WORDS];
	struct operation *op = meanwhile;
	unsigned int word;

	if (!op || store.sealing.moving || random_below(4))
		return;
	meanwhile = NULL;
	op->place[0] = place_of(block);
	op->version[0] = ++versions;
	for (word = 0; word < PAGE_WORDS; word++)
		contents[word] = word_of(block, op->version[0], word);
	op->nr = request(&store, REQ_OP_WRITE, block, contents, 1);
}

int memsuite_dm_io(struct dm_io_request *request, struct dm_io_region *where)
{
	if (request->bi_opf == REQ_OP_READ) {
		read_from_disk(where->sector / 8, request->mem.ptr.vma, where->count / 8);
		return 0;
	}
	write_to_disk(where->sector / 8, request->mem.ptr.vma, where->count / 8);
	if (request->bi_opf & REQ_PREFLUSH)
		record(FLUSH, 0, 0);
	if (where->count)
		write_meanwhile(where->sector / 8);
	if (request->notify.fn)
		request->notify.fn(0, request->notify.context);
	return 0;
}

static void request_all(struct vstore *store, unsigned int op, struct operation *o)
{
	static u64 contents[PER_OPERATION * PAGE_WORDS];
	int i, row = 0, done = 0;
	unsigned int word;

	for (i = 0; i < o->nr; i++) {
		u64 block = block_of(o->place[i]);

		for (word = 0; word < PAGE_WORDS; word++)
			contents[row * PAGE_WORDS + word] = word_of(block, o->version[i], word);
		row++;
		if (i + 1 < o->nr && block_of(o->place[i + 1]) == block + 1)
			continue;
		if (!request(store, op, block - row + 1, contents, row))
			break;
		done = i + 1;
		row = 0;
	}
	o->nr = done;
}

/* What memory does with a unit: any words, some of them like entries. */
static void scribble(u32 unit)
{
	u32 page, i;

	for (page = unit * VSTORE_UNIT; page < (unit + 1) * VSTORE_UNIT; page++)
		for (i = 0; i < 4; i++)
			record_set(&pram[page * PAGE_WORDS + random_below(PAGE_WORDS)],
				   random_below(2) ? random_below(~0ULL) : pram[random_below(WORDS)]);
}

/* Moves what a unit has elsewhere, and lends it; or claims it back. */
static void lend_or_claim(struct vstore_map *map)
{
	u32 unit = 1 + random_below(PAGES / VSTORE_UNIT - 1), page;

	if (map->pages[unit * VSTORE_UNIT].use == VSTORE_AWAY) {
		scribble(unit);
		vstore_unit_restore(map, unit);
		return;
	}
	vstore_unit_withdraw(map, unit);
	for (page = unit * VSTORE_UNIT; page < (unit + 1) * VSTORE_UNIT; page++)
		if (map->pages[page].use != VSTORE_AWAY && vstore_page_relocate(map, page))
			break;
	if (map->used[unit])
		vstore_unit_restore(map, unit);
	else
		scribble(unit);
}

static void operate(struct vstore *store, int number)
{
	struct operation *op = &operations[number];
	int i, first = random_below(3) ? (int)random_below(PLACES) : last_place;

	*op = (struct operation){ .nr = 1 + random_below(PER_OPERATION) };
	for (i = 0; i < op->nr; i++) {
		op->place[i] = (first + i) % PLACES;
		op->version[i] = ++versions;
	}
	last_place = (first + op->nr) % PLACES;
	store->threshold = SZ_64K;
	switch (number == OPERATIONS - 1 && random_below(2) ? 13 : random_below(14)) {
	case 13:
		/* All is moved, and the disk is whole again. */
		op->nr = 0;
		while (store->nr_dirty)
			batch_move(store, store->nr_merged, false);
		if (vstore_sealing_may_open(store))
			opened += !vstore_sealing_open(store);
		break;
	case 10 ... 12:
		op->nr = 0;
		lend_or_claim(&store->map);
		break;
	case 0 ... 2:
		op->nr = 0;
		meanwhile = op;
		batch_move(store, store->nr_merged && random_below(4), random_below(2));
		meanwhile = NULL;
		break;
	case 3:
		op->forget = true;
		request_all(store, REQ_OP_DISCARD, op);
		break;
	case 4:
		/* All are large. */
		store->threshold = 0;
		fallthrough;
	default:
		request_all(store, REQ_OP_WRITE, op);
	}
	record(ACK, number, 0);
}

/* A block's version in an image; the disk has it if the PRAM has not. */
static bool version_in(struct vstore_map *map, int place, const u64 *on_disk, u64 *version)
{
	u64 block = block_of(place);
	u32 page = vstore_tree_find(map, block);
	const u64 *words;
	unsigned int i;

	*version = on_disk[place];
	if (!page)
		return true;
	words = vstore_page_data(map, page);
	*version = words[0] >> 32;
	for (i = 0; i < PAGE_WORDS; i++)
		if (words[i] != word_of(block, *version, i))
			return false;
	/* What is clean may be dropped: then the disk must have it. */
	return !(map->pages[page].flags & VSTORE_CLEAN) || on_disk[place] == *version;
}

static bool block_right(struct vstore_map *map, int place, const u64 *on_disk,
			const struct operation *under_way)
{
	u64 version;
	int i;

	if (!version_in(map, place, on_disk, &version))
		return false;
	if (version == acked[place] || (forgotten[place] && version < acked[place]))
		return true;
	for (i = 0; under_way && i < under_way->nr; i++)
		if (under_way->place[i] == place && (version == under_way->version[i] || under_way->forget))
			return true;
	return false;
}

/*
 * What activation does: map/seal.h. A disk that lacks something is sealed; one that is not may have been used alone, and
 * PRAM must have nothing that it lacks.
 */
static bool image_open(struct vstore_map *map, struct vstore_page *at, u64 *on_disk, struct vstore_report *report)
{
	struct vstore_seal seal;
	u32 page;
	int place;

	if (vstore_header_check(pram, PAGES, BLOCKS, report) || vstore_seal_read(pram, &seal))
		return false;
	if (seal.state == VSTORE_DISK_WHOLE && on_disk[0] >= LABEL)
		return false;
	if (seal.state == VSTORE_DISK_WHOLE)
		vstore_header_clear(pram, BLOCKS);
	if (seal.state == VSTORE_DISK_SEALED && on_disk[0] != LABEL + seal.generation)
		return false;
	if (vstore_map_open(map, pram, at, PAGES, BLOCKS, true, report))
		return false;
	if (seal.state != VSTORE_DISK_MOVING)
		return true;
	for (place = 0; place < PLACES; place++) {
		static u64 contents[PAGE_WORDS];

		page = vstore_tree_find(map, block_of(place));
		if (!vstore_seal_touches(BLOCKS, block_of(place), 1)) {
			if (page && !(map->pages[page].flags & VSTORE_CLEAN))
				return false;
			continue;
		}
		contents_of(block_of(place), on_disk[place], contents);
		if (!page || !vstore_seal_is_moved(pram, seal.generation, block_of(place), contents,
						   vstore_page_data(map, page)))
			return false;
		on_disk[place] = *(u64 *)vstore_page_data(map, page) >> 32;
	}
	vstore_header_clear(pram, BLOCKS);
	return !vstore_map_open(map, pram, at, PAGES, BLOCKS, true, report);
}

static bool image_right(u64 *image, const u64 *left_on_disk, const struct operation *under_way)
{
	static u64 on_disk[PLACES];
	static struct vstore_page image_pages[PAGES];
	static u64 copy[WORDS] __aligned(4096);
	struct vstore_report report;
	struct vstore_map map;
	size_t had = nr_events;
	bool right;
	u32 used = 0, page;
	int place;

	images++;
	memcpy(copy, image, sizeof(copy));
	/* It writes to its PRAM, which is another one. */
	memcpy(pram, copy, sizeof(copy));
	memcpy(on_disk, left_on_disk, sizeof(on_disk));
	right = image_open(&map, image_pages, on_disk, &report);
	left_empty = right && map.nr_nodes ? report.pruned : 0;
	nr_events = had;
	for (place = 0; right && place < PLACES; place++)
		right = block_right(&map, place, on_disk, under_way);
	for (page = 0; right && page < PAGES; page++)
		used += image_pages[page].use != VSTORE_FREE;
	return right && used + map.nr_free == PAGES && used == vstore_fixed_pages(PAGES) + map.nr_nodes + map.nr_data;
}

static void acknowledge(const struct operation *op)
{
	int i;

	for (i = 0; i < op->nr; i++) {
		forgotten[op->place[i]] = op->forget;
		acked[op->place[i]] = op->version[i];
	}
}

/*
 * Goes through the events from the image @durable on. @next gets the image that the
 * next epoch starts from: that of a random cut, or, of every other epoch, a rare one,
 * where recovery has something to do.
 */
static bool cut_everywhere(u64 *durable, u64 *on_disk, int subsets, u64 *next, u64 *next_disk)
{
	static u64 image[WORDS], image_disk[PLACES];
	static struct event pending[1 << 16], cached[256];
	size_t i, nr = 0, nr_cached = 0, j, end = nr_events;
	size_t stop = random_below(2) ? end / 2 + random_below(end / 2) : end - 1;
	int current = 0, s;
	bool seek = random_below(2), rare = false;

	for (i = 0; i < end; i++) {
		struct event *event = &events[i];
		bool interesting = event->kind != STORE;

		switch (event->kind) {
		case STORE:
			if (nr == ARRAY_SIZE(pending))
				abort();
			pending[nr++] = *event;
			/* Amid the contents of a page: now and then. */
			interesting = i + 1 == end || events[i + 1].kind != STORE || !random_below(512);
			break;
		case FENCE:
			for (j = 0; j < nr; j++)
				durable[pending[j].at] = pending[j].value;
			nr = 0;
			break;
		case DISK:
			on_disk[event->at] = event->value;
			break;
		case CACHED:
			if (nr_cached == ARRAY_SIZE(cached))
				abort();
			cached[nr_cached++] = *event;
			break;
		case FLUSH:
			for (j = 0; j < nr_cached; j++)
				on_disk[cached[j].at] = cached[j].value;
			nr_cached = 0;
			break;
		case ACK:
			acknowledge(&operations[event->at]);
			current = event->at + 1;
			break;
		}
		if (!interesting && i != stop)
			continue;
		cuts++;
		for (s = 0; s < subsets + 2; s++) {
			u64 chance = 1 + random_below(9);

			memcpy(image, durable, sizeof(image));
			for (j = 0; j < nr; j++)
				if (s == 1 || (s > 1 && random_below(10) < chance))
					image[pending[j].at] = pending[j].value;
			memcpy(image_disk, on_disk, sizeof(image_disk));
			for (j = 0; j < nr_cached; j++)
				if (s == 1 || (s > 1 && random_below(10) < chance))
					image_disk[cached[j].at] = cached[j].value;
			if (!image_right(image, image_disk, current < OPERATIONS ? &operations[current] : NULL))
				return false;
			if (!rare && (i == stop || (seek && left_empty))) {
				memcpy(next, image, sizeof(image));
				memcpy(next_disk, image_disk, sizeof(disk));
				rare = seek && left_empty;
			}
		}
	}
	return true;
}

/* Of each node that the map found in the PRAM, and of the root: a line that reads as zeroes is refused. */
static bool zeroes_refused(void)
{
	static struct vstore_page scanned[PAGES];
	struct vstore_report report;
	struct vstore_map map;
	u64 line[VSTORE_LINE_ENTRIES];
	size_t had = nr_events;
	bool refused = true;
	u32 page;

	for (page = 0; refused && page < PAGES; page++) {
		u64 *at = &pram[page * PAGE_WORDS +
				random_below(PAGE_WORDS / VSTORE_LINE_ENTRIES) * VSTORE_LINE_ENTRIES];

		if (page != VSTORE_ROOT_PAGE && pages[page].use != VSTORE_NODE)
			continue;
		memcpy(line, at, sizeof(line));
		memset(at, 0, sizeof(line));
		refused = vstore_map_open(&map, pram, scanned, PAGES, BLOCKS, true, &report) && nr_events == had;
		memcpy(at, line, sizeof(line));
		zeroed++;
	}
	return refused;
}

static bool store_open(struct vstore_report *report)
{
	static u8 buffer[VSTORE_BATCH * VSTORE_BLOCK_SIZE] __aligned(8), block[VSTORE_BLOCK_SIZE] __aligned(8);
	static struct dm_target target = { .private = &store, .len = BLOCKS * 8 };
	static struct dm_dev device;
	int err;

	memset(&store, 0, sizeof(store));
	store.ti = &target;
	store.disk = &device;
	store.buffer = buffer;
	store.block = block;
	store.base = pram;
	store.pages = pages;
	if (vstore_header_check(pram, PAGES, BLOCKS, report) || vstore_sealing_check(&store, report) ||
	    vstore_map_open(&store.map, pram, pages, PAGES, BLOCKS, true, report))
		return false;
	err = vstore_sealing_resume(&store, report);
	if (err == -EAGAIN)
		err = vstore_map_open(&store.map, pram, pages, PAGES, BLOCKS, true, report);
	if (err)
		return false;
	store.policy = VSTORE_MERGING;
	store.high_pct = 75;
	store.low_pct = 65;
	store.open = true;
	INIT_LIST_HEAD(&store.flushes);
	vstore_blocks_init(&store);
	vstore_unit_count_used(&store.map, units_used);
	return true;
}

static bool all_as_acked(struct vstore_map *map)
{
	u64 version;
	int place;

	for (place = 0; place < PLACES; place++)
		if (!version_in(map, place, disk, &version) || version != acked[place])
			return false;
	return true;
}

/* As the operation left it: what was written, or, of what was discarded, that or older; the others as acknowledged. */
static bool all_right(struct vstore_map *map, const struct operation *op)
{
	int place;

	acknowledge(op);
	for (place = 0; place < PLACES; place++)
		if (!block_right(map, place, disk, NULL))
			return false;
	return true;
}

/* A power cut while a node is mended: it is refused, or everything is there. */
static bool cut_mending(u64 *durable)
{
	static u64 image[WORDS], done[WORDS];
	struct vstore_report report;
	size_t i, first = 0, j;
	int s;

	memcpy(done, pram, sizeof(done));
	for (i = 0; i < nr_events; i++) {
		for (s = 0; s < 3; s++) {
			memcpy(image, durable, sizeof(image));
			for (j = first; j <= i; j++)
				if (events[j].kind == STORE && (s == 1 || (s > 1 && random_below(2))))
					image[events[j].at] = events[j].value;
			if (events[i].kind == STORE && random_below(64))
				continue;
			memcpy(pram, image, sizeof(pram));
			if (!vstore_header_check(pram, PAGES, BLOCKS, &report)) {
				static struct vstore_page scanned[PAGES];
				struct vstore_map map;
				size_t had = nr_events;
				bool right = vstore_map_open(&map, pram, scanned, PAGES, BLOCKS, true, &report) ||
					     all_as_acked(&map);

				nr_events = had;
				if (!right)
					return false;
			}
		}
		if (events[i].kind == FENCE)
			for (; first < i; first++)
				if (events[first].kind == STORE)
					durable[events[first].at] = events[first].value;
	}
	memcpy(pram, done, sizeof(pram));
	return image_right(done, disk, NULL);
}

/* A line on the way to some block cannot be read, for good or until it is written, or reads as something else. */
static bool damage_mended(struct vstore_map *map)
{
	static u64 durable[WORDS];
	int kind = random_below(4), i, err;
	unsigned int level = random_below(map->levels);
	u64 *slot, *line, entry;
	u32 node;
	bool right;

	slot = vstore_slot_find(map, block_of(random_below(PLACES)), level, &node, &entry);
	if (!slot || !map->nr_free || map->damaged || map->unrepairable)
		return !map->damaged;
	line = slot - (slot - pram) % VSTORE_LINE_ENTRIES;
	memcpy(durable, pram, sizeof(pram));
	for (i = 0; kind < 2 && i < VSTORE_LINE_ENTRIES; i++)
		durable[line - pram + i] = line[i] = kind ? random_below(~0ULL) : 0;
	if (kind >= 2) {
		bad_line = line;
		bad_for_good = kind == 3;
	}
	right = all_as_acked(map) && map->damaged == node;
	nr_events = 0;
	err = vstore_map_repair(map);
	if (node == VSTORE_ROOT_PAGE && bad_for_good && bad_line) {
		right = right && err == -EIO && all_as_acked(map) && !map->damaged;
		bad_line = NULL;
		return right;
	}
	right = right && !err && all_as_acked(map) && !map->damaged;
	bad_line = NULL;
	mended++;
	return right && cut_mending(durable);
}

/* The line in a lowest node that leads to a block. */
static u64 *line_of(struct vstore_map *map, u32 node, u64 block)
{
	return vstore_slot_at(map, node, vstore_slot_index(block, 0) / VSTORE_LINE_ENTRIES * VSTORE_LINE_ENTRIES);
}

/*
 * Likewise, and somebody writes before anything is mended: that must not lead where nothing is any more. Nor is the
 * node's page used again, also if it was emptied.
 */
static bool written_damaged(void)
{
	struct vstore_map *map = &store.map;
	struct operation op = { .nr = 1 + random_below(PER_OPERATION) };
	int i, first = random_below(PLACES);
	u64 *line, entry;
	u32 node;

	if (map->damaged || map->unrepairable || !vstore_slot_find(map, block_of(first), 0, &node, &entry))
		return true;
	line = line_of(map, node, block_of(first));
	for (i = 0; i < VSTORE_LINE_ENTRIES; i++)
		line[i] = 0;
	for (i = 0; i < op.nr; i++) {
		op.place[i] = (first + i) % PLACES;
		op.version[i] = ++versions;
	}
	store.threshold = random_below(4) ? SZ_64K : 0;
	op.forget = !random_below(4);
	request_all(&store, op.forget ? REQ_OP_DISCARD : REQ_OP_WRITE, &op);
	if (!all_right(map, &op))
		return false;
	batch_move(&store, store.nr_merged, false);
	return all_right(map, &op) && map->pages[node].flags & VSTORE_BAD;
}

/* Likewise, found by write-back, which mends it as well. */
static bool moved_damaged(void)
{
	struct vstore_map *map = &store.map;
	struct list_head *list = store.nr_merged ? &store.merged : &store.dirty;
	struct operation none = { .nr = 0 };
	u64 block, *line, entry;
	u32 node;
	int i;

	/* Without a page, neither this one nor one before is mended. */
	if (map->damaged || map->unrepairable || !map->nr_free || list_empty(list))
		return true;
	block = list_first_entry(list, struct vstore_page, list)->block;
	if (!vstore_slot_find(map, block, 0, &node, &entry))
		return false;
	line = line_of(map, node, block);
	for (i = 0; i < VSTORE_LINE_ENTRIES; i++)
		line[i] = 0;
	batch_move(&store, store.nr_merged, false);
	return all_right(map, &none) && map->pages[node].use == VSTORE_UNUSABLE;
}

static bool damage_survived(void)
{
	static u64 was[WORDS], was_on_disk[PLACES], was_acked[PLACES];
	struct vstore_report report;
	bool right = true;
	int i;

	memcpy(was, pram, sizeof(was));
	memcpy(was_on_disk, disk, sizeof(disk));
	memcpy(was_acked, acked, sizeof(acked));
	memset(pages, 0, sizeof(pages));
	if (!store_open(&report))
		return false;
	for (i = 0; right && i < DAMAGES; i++)
		right = damage_mended(&store.map);
	/* Nor are pages unusable any more. */
	memset(pages, 0, sizeof(pages));
	memcpy(pram, was, sizeof(pram));
	if (!right || !store_open(&report))
		return false;
	for (i = 0; right && i < DAMAGES; i++)
		right = written_damaged() && moved_damaged();
	memset(pages, 0, sizeof(pages));
	memcpy(pram, was, sizeof(pram));
	memcpy(disk, was_on_disk, sizeof(disk));
	memcpy(acked, was_acked, sizeof(acked));
	memset(forgotten, 0, sizeof(forgotten));
	return right;
}

/* After the cut: what the image holds is what was acknowledged. */
static bool settle(u64 *image)
{
	static u64 on_disk[PLACES];
	struct vstore_report report;
	struct vstore_map map;
	int place;

	memcpy(pram, image, sizeof(pram));
	memcpy(on_disk, disk, sizeof(disk));
	if (!image_open(&map, pages, on_disk, &report))
		return false;
	for (place = 0; place < PLACES; place++) {
		if (!version_in(&map, place, on_disk, &acked[place]))
			return false;
		forgotten[place] = false;
	}
	if (!left_out && !zeroes_refused())
		return false;
	if (!left_out && !damage_survived())
		return false;
	memcpy(pram, image, sizeof(pram));
	return true;
}

/* Formatting: before it is done there is no store, or an empty one; then, there is. */
static bool cut_format(void)
{
	static u64 durable[WORDS], image[WORDS];
	struct vstore_report report;
	u8 uuid[16] = "a store's uuid.";
	size_t i, first = 0, j;
	int s;

	for (i = 0; i < WORDS; i++)
		pram[i] = i < PAGE_WORDS ? 0 : random_below(~0ULL);
	memcpy(durable, pram, sizeof(pram));
	nr_events = 0;
	if (vstore_header_format(pram, PAGES, BLOCKS, uuid))
		return false;
	record(ACK, 0, 0);
	for (i = 0; i < nr_events; i++) {
		for (s = 0; s < 4; s++) {
			memcpy(image, durable, sizeof(image));
			for (j = first; j < i; j++)
				if (events[j].kind == STORE && (s == 1 || (s > 1 && random_below(2))))
					image[events[j].at] = events[j].value;
			images++;
			if (image[0] != VSTORE_MAGIC) {
				if (events[i].kind == ACK || !vstore_header_check(image, PAGES, BLOCKS, &report))
					return false;
			} else {
				memset(acked, 0, sizeof(acked));
				memset(forgotten, 0, sizeof(forgotten));
				j = nr_events;
				if (!image_right(image, disk, NULL))
					return false;
				nr_events = j;
			}
		}
		if (events[i].kind == FENCE)
			for (; first < i; first++)
				if (events[first].kind == STORE)
					durable[events[first].at] = events[first].value;
	}
	memcpy(pram, durable, sizeof(pram));
	return true;
}

/* Somebody mounts a disk that is whole, and writes to it, before the store is opened again. */
static void use_alone(void)
{
	struct vstore_seal seal;
	int place;

	if (vstore_seal_read(pram, &seal) || seal.state != VSTORE_DISK_WHOLE)
		return;
	alone++;
	for (place = 0; place < PLACES; place++)
		if (random_below(2))
			disk[place] = acked[place] = ++versions;
}

#include "damage.h"

static bool run(u64 seed, int epochs, int subsets)
{
	static u64 durable[WORDS], next[WORDS], on_disk[PLACES], was_acked[PLACES];
	static bool was_forgotten[PLACES];
	struct vstore_report report;
	int epoch, i;

	random_state = seed * 2654435761u + 88172645463325252ULL;
	versions = 0;
	memset(disk, 0, sizeof(disk));
	if (!cut_format())
		return false;
	for (epoch = 0; epoch < epochs; epoch++) {
		memcpy(durable, pram, sizeof(pram));
		memcpy(on_disk, disk, sizeof(disk));
		nr_events = 0;
		if (!store_open(&report))
			return false;
		for (i = 0; i < OPERATIONS; i++)
			operate(&store, i);
		memcpy(was_acked, acked, sizeof(acked));
		memcpy(was_forgotten, forgotten, sizeof(forgotten));
		if (!left_out && !silent_damage_seen(durable))
			return false;
		memcpy(acked, was_acked, sizeof(acked));
		memcpy(forgotten, was_forgotten, sizeof(forgotten));
		if (!cut_everywhere(durable, on_disk, subsets, next, disk) || !settle(next))
			return false;
		use_alone();
	}
	return true;
}

int main(int argc, char **argv)
{
	u64 seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	int epochs = argc > 2 ? atoi(argv[2]) : 8, subsets = argc > 3 ? atoi(argv[3]) : 4;
	int i, nr = 1;
	bool right = run(seed, epochs, subsets), failed = !right;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n# seed %llu, %d epochs of %d operations: %lu power cuts, %lu images, ", seed, epochs, OPERATIONS,
	       cuts, images);
	printf("%lu bits flipped, %lu lines gone back, %lu of these refused, %lu errors for readers, ", flips, stales,
	       refusals, read_errors);
	printf("%lu lines zeroed, %lu nodes mended, sealed %lu times, made whole %lu, then used alone %lu\n", zeroed, mended,
	       sealed, opened, alone);
	printf("%sok 1 every acknowledged write is there after a power cut, and damage is refused\n", right ? "" : "not ");
	for (i = 0; i < nr_fences; i++) {
		u64 s;

		left_out = fences[i];
		for (s = seed, right = true; right && s < seed + 40; s++)
			right = run(s, epochs, subsets);
		printf("%sok %d without the fence of %s it is not\n", right ? "not " : "", ++nr,
		       strrchr(left_out, '/') + 1);
		failed |= right;
	}
	printf("1..%d\n", nr);
	free(events);
	return failed;
}
