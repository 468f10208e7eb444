// SPDX-License-Identifier: GPL-2.0-only
/* How a file is known; file_identity.h. */

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/namei.h>

#include "policy/file_identity.h"

static enum vipzone_file_kind kind_of(const struct super_block *sb)
{
	switch (sb->s_magic) {
	case TMPFS_MAGIC:
		return VIPZONE_FILE_SHMEM;
	case HUGETLBFS_MAGIC:
		return VIPZONE_FILE_HUGETLB;
	default:
		return VIPZONE_FILE_CACHE;
	}
}

/* Of what an overlay shows, the file below it has the pages, and no file system has them all. */
static bool is_root(const struct dentry *dentry)
{
	return IS_ROOT(dentry) && d_is_dir(dentry) && !(dentry->d_flags & DCACHE_OP_REAL);
}

int vipzone_file_find(const char *name, struct path *path, struct vipzone_file *file)
{
	const struct inode *inode;
	int err = kern_path(name, LOOKUP_FOLLOW, path);

	if (err)
		return err;
	inode = d_real_inode(path->dentry);
	*file = vipzone_file_of(inode);
	file->kind = kind_of(inode->i_sb);
	file->all = is_root(path->dentry);
	if (file->all || S_ISREG(inode->i_mode))
		return 0;
	path_put(path);
	return -EINVAL;
}
