/* SPDX-License-Identifier: GPL-2.0-only */
/* How a file is known that nobody keeps open. */
#ifndef VIPZONE_POLICY_FILE_IDENTITY_H
#define VIPZONE_POLICY_FILE_IDENTITY_H

#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/path.h>
#include <linux/types.h>

/**
 * enum vipzone_file_kind - what kind of memory a file is
 * @VIPZONE_FILE_SHMEM: shared memory: tmpfs, memfd
 * @VIPZONE_FILE_HUGETLB: huge pages of hugetlbfs
 * @VIPZONE_FILE_CACHE: page cache
 */
enum vipzone_file_kind {
	VIPZONE_FILE_SHMEM,
	VIPZONE_FILE_HUGETLB,
	VIPZONE_FILE_CACHE,
};

/**
 * struct vipzone_file - a file, or all files of a file system
 * @kind: of memory
 * @dev: its file system
 * @all: all files of that, of which this is the root
 * @ino: its number in there
 * @generation: a number that is used again gets another one, on most file systems
 *
 * By these it is known, and not kept: it may be closed, removed and unmounted at any time. The
 * number of a device without a disk is soon used again, the root's generation seldom.
 */
struct vipzone_file {
	enum vipzone_file_kind kind;
	dev_t dev;
	bool all;
	u64 ino;
	u32 generation;
};

static inline bool vipzone_file_is(const struct vipzone_file *a, const struct vipzone_file *b)
{
	return a->ino == b->ino && a->dev == b->dev && a->generation == b->generation &&
	       a->all == b->all;
}

/* For a hash. */
static inline u64 vipzone_file_key(const struct vipzone_file *file)
{
	return file->dev + file->ino * GOLDEN_RATIO_64;
}

/* Of an inode, but for its kind. Context: any; the inode stays. */
static inline struct vipzone_file vipzone_file_of(const struct inode *inode)
{
	return (struct vipzone_file) {
		.dev = inode->i_sb->s_dev,
		.ino = inode->i_ino,
		.generation = inode->i_generation,
	};
}

/**
 * vipzone_file_find() - look up what a policy is to be for
 * @name: of a regular file; of the root of a file system: all files there. As the caller sees it:
 *	/proc/PID/fd/NUMBER and /proc/PID/map_files/START-END lead to what has no name
 * @path: result, to be put
 * @file: result
 *
 * Context: may sleep.
 * Return: 0, -EINVAL (neither a file nor the root of a file system), or why it cannot be reached.
 */
int vipzone_file_find(const char *name, struct path *path, struct vipzone_file *file);

#endif
