// SPDX-License-Identifier: GPL-2.0-only
/*
 * image NVDIMM DISK LOG COUNT [lost] [OUT]: whether a store holds what storecheck was promised.
 *
 * NVDIMM is a file with a store somewhere in it, at a page; DISK and LOG are files. It
 * is recovered as activation would, on a private copy of the PRAM. Each of the COUNT
 * blocks must be as its last acknowledged write left it, or as the one under way
 * would; in PRAM it is whole, on the disk each of its sectors is. If the disk's cache
 * was lost, it may be older, but not than the last write acknowledged before the last
 * flush, or a FUA write since. OUT gets what the blocks hold.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/map/pages.c"
#include "store/map/tree.c"
#include "store/map/checksum.c"
#include "store/map/header.c"
#include "store/map/recovery.c"
#include "store/map/seal.c"

#define SECTOR_WORDS	64
#define BLOCK_WORDS	512

static void *map_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY);
	void *at;

	if (fd < 0)
		return NULL;
	*size = lseek(fd, 0, SEEK_END);
	at = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	return at == MAP_FAILED ? NULL : at;
}

static bool is_version(const u64 *words, u64 block, u32 version, unsigned int first, unsigned int nr)
{
	unsigned int i;

	for (i = first; i < first + nr; i++)
		if (words[i] != (version ? (u64)version << 32 | ((block << 9 | i) & U32_MAX) : 0))
			return false;
	return true;
}

/* A block's versions are numbers that others do not have: what is between is older than one, and newer than the other. */
static bool block_right(const u64 *words, u64 block, u32 oldest, u32 newest, bool whole)
{
	unsigned int i, part = whole ? BLOCK_WORDS : SECTOR_WORDS;

	for (i = 0; i < BLOCK_WORDS; i += part) {
		u32 version = words[i] >> 32;

		if (version < oldest || version > newest || !is_version(words, block, version, i, part))
			return false;
	}
	return true;
}

/*
 * What activation makes of a disk, by map/seal.h: of one that is whole, PRAM has nothing; what was on its way gets there;
 * a sealed one has its label. Returns false if it is none of these.
 */
static bool activate(char *pram, struct vstore_page *pages, size_t nr_pages, char *disk, u64 count,
		     struct vstore_map *map, struct vstore_report *report)
{
	struct vstore_seal seal;
	u64 block;

	if (vstore_header_check(pram, nr_pages, count, report))
		return false;
	if (vstore_seal_read(pram, &seal))
		return false;
	report->why = "a label on a disk that is whole";
	if (seal.state == VSTORE_DISK_WHOLE && vstore_label_is_there(disk))
		return false;
	if (seal.state == VSTORE_DISK_WHOLE)
		vstore_header_clear(pram, count);
	if (seal.state == VSTORE_DISK_SEALED && !vstore_label_is_right(pram, seal.generation, disk)) {
		report->why = "no label on the disk";
		return false;
	}
	if (vstore_map_open(map, pram, pages, nr_pages, count, true, report))
		return false;
	printf("%s, generation %u: ", seal.state == VSTORE_DISK_WHOLE ? "whole" :
	       seal.state == VSTORE_DISK_SEALED ? "sealed" : "moving", seal.generation);
	if (seal.state != VSTORE_DISK_MOVING)
		return true;
	for (block = 0; block < count; block++) {
		u32 page = vstore_tree_find(map, block);
		char *on_disk = disk + block * VSTORE_BLOCK_SIZE;

		if (!vstore_seal_touches(count, block, 1))
			continue;
		report->why = "the disk has neither label nor contents";
		if (!page || !vstore_seal_is_moved(pram, seal.generation, block, on_disk, vstore_page_data(map, page)))
			return false;
		memcpy(on_disk, vstore_page_data(map, page), VSTORE_BLOCK_SIZE);
	}
	vstore_header_clear(pram, count);
	return !vstore_map_open(map, pram, pages, nr_pages, count, true, report);
}

/* What storecheck has told; 0 of what it did not come to. */
static u32 told(const u32 *log, size_t size, u64 at)
{
	return 4 * at + 4 <= size ? log[at] : 0;
}

int main(int argc, char **argv)
{
	size_t nvdimm_size, disk_size, log_size, at;
	u32 nr_dirty = 0;
	u64 count = argc >= 5 ? strtoull(argv[4], NULL, 0) : 0, block, wrong = 0;
	bool lost = argc >= 6 && !strcmp(argv[5], "lost");
	FILE *out = argc == 6 + lost ? fopen(argv[5 + lost], "w") : NULL;
	struct vstore_report report = {};
	struct vstore_page *pages;
	struct vstore_map map;
	char *nvdimm, *disk;
	const u32 *log;

	if (!count || argc != 5 + lost + !!out)
		return 2;
	nvdimm = map_file(argv[1], &nvdimm_size);
	disk = map_file(argv[2], &disk_size);
	log = map_file(argv[3], &log_size);
	if (!nvdimm || !disk || !log || disk_size < count * VSTORE_BLOCK_SIZE)
		return 2;
	for (at = 0; at < nvdimm_size && *(u64 *)(nvdimm + at) != VSTORE_MAGIC; at += VSTORE_BLOCK_SIZE)
		;
	if (at == nvdimm_size)
		return 2;
	pages = calloc((nvdimm_size - at) / VSTORE_BLOCK_SIZE, sizeof(*pages));
	if (!activate(nvdimm + at, pages, (nvdimm_size - at) / VSTORE_BLOCK_SIZE, disk, count, &map, &report)) {
		printf("refused: %s (block %llu)\n", report.why, report.block);
		return 1;
	}
	for (block = 0; block < count; block++) {
		u32 page = vstore_tree_find(&map, block);
		const void *on_disk = disk + block * VSTORE_BLOCK_SIZE;
		const void *data = page ? vstore_page_data(&map, page) : on_disk;
		u32 newest = told(log, log_size, 2 * block);
		u32 oldest = told(log, log_size, lost ? 2 * count + block : 2 * block + 1);

		nr_dirty += page && !(map.pages[page].flags & VSTORE_CLEAN) && !vstore_seal_touches(count, block, 1);
		if (!block_right(data, block, oldest, newest, page)) {
			printf("block %llu, %s: not version %u to %u but %llu\n", block, page ? "PRAM" : "disk",
			       oldest, newest, *(u64 *)data >> 32);
			wrong++;
		}
		/* A clean block may be forgotten at any time. */
		if (page && map.pages[page].flags & VSTORE_CLEAN &&
		    memcmp(on_disk, vstore_page_data(&map, page), VSTORE_BLOCK_SIZE)) {
			printf("block %llu is clean, and the disk has something else\n", block);
			wrong++;
		}
		if (out && !fwrite(data, VSTORE_BLOCK_SIZE, 1, out))
			return 2;
	}
	printf("%u blocks dirty, %u clean, %u nodes, %u left empty, %u FUA writes\n", nr_dirty, report.clean,
	       map.nr_nodes, report.pruned, told(log, log_size, 3 * count));
	free(pages);
	if (out && fclose(out))
		return 2;
	return wrong ? 1 : 0;
}
