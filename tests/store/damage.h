/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Damage that nobody told of, in what a store left when it was closed: a bit that flipped, a line that
 * has again what it had before. The store is opened, and every block is read as a program would: it
 * is what was acknowledged last, or an error; or the store is refused. Part of crash.c.
 */

#define FLIPS	24		/* an epoch */
#define STALES	48		/* of an instant */
#define INSTANTS	4		/* an epoch */

static unsigned long flips, stales, refusals, read_errors;

/* What damage is tried on, and what it is to be found by. */
static struct {
	u64 pram[WORDS], disk[PLACES], acked[PLACES];
	bool forgotten[PLACES];
} intact;

static void intact_save(void)
{
	memcpy(intact.pram, pram, sizeof(pram));
	memcpy(intact.disk, disk, sizeof(disk));
	memcpy(intact.acked, acked, sizeof(acked));
	memcpy(intact.forgotten, forgotten, sizeof(forgotten));
}

static void intact_restore(void)
{
	memcpy(pram, intact.pram, sizeof(pram));
	memcpy(disk, intact.disk, sizeof(disk));
	memcpy(acked, intact.acked, sizeof(acked));
	memcpy(forgotten, intact.forgotten, sizeof(forgotten));
	memset(pages, 0, sizeof(pages));
}

/* By a request; a whole block of one version is right, or one that cannot be read. */
static bool block_read_right(int place)
{
	static u64 contents[PAGE_WORDS];
	u64 block = block_of(place), version;
	unsigned int i;

	if (!request(&store, REQ_OP_READ, block, contents, 1)) {
		read_errors++;
		return true;
	}
	version = contents[0] >> 32;
	for (i = 0; i < PAGE_WORDS; i++)
		if (contents[i] != word_of(block, version, i))
			return false;
	return version == acked[place] || (forgotten[place] && version < acked[place]);
}

/* Opens what is in the PRAM now, and puts everything back as it was. */
static bool damage_seen(void)
{
	struct vstore_report report;
	bool right = true;
	int place;

	if (!store_open(&report))
		refusals++;
	else
		for (place = 0; right && place < PLACES; place++)
			right = block_read_right(place);
	intact_restore();
	return right;
}

/* Every other one is in what is no data. */
static bool flips_seen(void)
{
	int i;

	for (i = 0; i < FLIPS; i++) {
		u32 page = random_below(PAGES);

		if (i % 2 && page >= vstore_fixed_pages(PAGES))
			page = random_below(vstore_fixed_pages(PAGES));
		pram[page * PAGE_WORDS + random_below(PAGE_WORDS)] ^= 1ULL << random_below(64);
		flips++;
		if (!damage_seen())
			return false;
	}
	return true;
}

/* Lines that have changed since @before; of data, which have most of them, few. */
static bool stales_seen(const u64 *before, const struct vstore_page *scanned)
{
	const u32 first_data = vstore_fixed_pages(PAGES);
	int left = STALES;
	u32 line, page;

	for (line = 0; line < WORDS / VSTORE_LINE_ENTRIES && left; line++) {
		size_t at = line * VSTORE_LINE_ENTRIES, size = VSTORE_LINE_ENTRIES * sizeof(u64);

		page = at / PAGE_WORDS;
		if (!memcmp(&pram[at], &before[at], size) ||
		    (page >= first_data && scanned[page].use != VSTORE_NODE && random_below(64)))
			continue;
		left--;
		stales++;
		memcpy(&pram[at], &before[at], size);
		if (!damage_seen())
			return false;
	}
	return true;
}

/* What the PRAM had after so many events. */
static void image_at(u64 *image, const u64 *opened_with, size_t nr)
{
	size_t i;

	memcpy(image, opened_with, sizeof(pram));
	for (i = 0; i < nr; i++)
		if (events[i].kind == STORE)
			image[events[i].at] = events[i].value;
}

/* Each word that told of the seal. */
static bool old_seals_seen(size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (events[i].kind != STORE || events[i].at != VSTORE_SEAL_OFFSET / 8)
			continue;
		pram[VSTORE_SEAL_OFFSET / 8] = events[i].value;
		stales++;
		if (!damage_seen())
			return false;
	}
	return true;
}

/* The store is closed; @before: what the PRAM had when it was opened. */
static bool silent_damage_seen(const u64 *before)
{
	static struct vstore_page scanned[PAGES];
	static u64 image[WORDS];
	struct vstore_report report;
	size_t had = nr_events;
	bool right;
	int i;

	for (i = 0; i < OPERATIONS; i++)
		acknowledge(&operations[i]);
	/* As it is closed: nothing is on its way. */
	memcpy(scanned, pages, sizeof(pages));
	intact_save();
	memset(pages, 0, sizeof(pages));
	right = store_open(&report);
	for (i = 0; right && i < PLACES; i++) {
		unsigned long errors = read_errors;

		right = block_read_right(i) && read_errors == errors;
	}
	intact_restore();
	right = right && flips_seen() && old_seals_seen(had);
	for (i = 0; right && i < INSTANTS; i++) {
		image_at(image, before, i ? random_below(had) : 0);
		right = stales_seen(image, scanned);
	}
	memcpy(pages, scanned, sizeof(pages));
	nr_events = had;
	return right;
}
