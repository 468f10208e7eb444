/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of shared memory. */
#ifndef MEMSUITE_COMPAT_SHMEM_H
#define MEMSUITE_COMPAT_SHMEM_H

#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/rbtree.h>
#include <linux/shmem_fs.h>

/* Its flags are a bitmap of their own from 7.0 on. */
#if MEMSUITE_HAVE_SHMEM_VMA_FLAGS
#define memsuite_shmem_file(name, size)	\
	shmem_file_setup(name, size, mk_vma_flags(VMA_NORESERVE_BIT))
#else
#define memsuite_shmem_file(name, size)	shmem_file_setup(name, size, VM_NORESERVE)
#endif

/* What allocates a page of such a file: with an order from 6.11 on, and of folios from 5.16 on. */
#if MEMSUITE_HAVE_SHMEM_ORDERS
#define MEMSUITE_SHMEM_ALLOC_HAS_ORDER	1
#define MEMSUITE_SHMEM_ALLOC_ARGS	{ 0, 1, 2, 3 }
#define MEMSUITE_SHMEM_ALLOC_SYMBOL	"shmem_alloc_folio"
typedef struct folio *memsuite_shmem_alloc_fn(gfp_t gfp, int order, struct shmem_inode_info *info,
					      pgoff_t index);
#define MEMSUITE_SHMEM_ALLOC_VALUES(gfp, order, info, index)	gfp, order, info, index
#else
#define MEMSUITE_SHMEM_ALLOC_HAS_ORDER	0
#define MEMSUITE_SHMEM_ALLOC_ARGS	{ 0, MEMSUITE_HOOK_NO_ARG, 1, 2 }
#define MEMSUITE_SHMEM_ALLOC_VALUES(gfp, order, info, index)	gfp, info, index
#if MEMSUITE_HAVE_FOLIO
#define MEMSUITE_SHMEM_ALLOC_SYMBOL	"shmem_alloc_folio"
typedef struct folio *memsuite_shmem_alloc_fn(gfp_t gfp, struct shmem_inode_info *info,
					      pgoff_t index);
#else
#define MEMSUITE_SHMEM_ALLOC_SYMBOL	"shmem_alloc_page"
typedef struct page *memsuite_shmem_alloc_fn(gfp_t gfp, struct shmem_inode_info *info,
					     pgoff_t index);
#endif
#endif

/* mbind() of a shared mapping, or of the file system it is in. */
static inline bool memsuite_shmem_has_policy(const struct shmem_inode_info *info)
{
#ifdef CONFIG_NUMA
	return !RB_EMPTY_ROOT(&info->policy.root);
#else
	return false;
#endif
}

/*
 * The file of an area if its pages have no other place than memory and swap, else NULL. tmpfs,
 * memfd, and shared memory of all kinds are files of it. Context: the area stays.
 */
static inline const struct shmem_inode_info *memsuite_shmem_of(const struct vm_area_struct *vma)
{
	struct inode *inode = vma->vm_file ? file_inode(vma->vm_file) : NULL;

	if (!IS_ENABLED(CONFIG_SHMEM) || !inode || !S_ISREG(inode->i_mode) ||
	    inode->i_sb->s_magic != TMPFS_MAGIC)
		return NULL;
	return SHMEM_I(inode);
}

#endif
