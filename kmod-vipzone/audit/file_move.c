// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moving what a file has in memory; file_move.h. Some of its pages are looked up, in the order in
 * which they lie in it, what is misplaced is moved, and then the next ones.
 */

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include <compat/page.h>
#include <compat/shmem.h>

#include "audit/file_move.h"
#include "audit/page_migrate.h"
#include "policy/lookup.h"
#include "policy/spread.h"

/**
 * struct file_walk - the walk over the pages of a file
 * @policy: where they belong
 * @mover: moves them
 * @segment: that they are of
 * @place: of the page to go on with
 * @settled: pages that were touched lately can be moved
 */
struct file_walk {
	struct vipzone_policy *policy;
	struct vipzone_page_migrate *mover;
	enum vipzone_segment segment;
	unsigned long place;
	bool settled;
};

/* With a reference to its folio. */
static void file_walk_page(struct file_walk *walk, struct page *page, unsigned long place)
{
	const struct vipzone_order *order = &walk->policy->command.orders[walk->segment];

	order = vipzone_spread_away_to(walk->policy, walk->segment, order, page, place);
	if (order)
		vipzone_page_migrate_add(walk->mover, NULL, page, order, VIPZONE_MOVE_ASKED, NULL);
}

/* Returns whether there may be more. */
static bool file_walk_some(struct file_walk *walk, struct address_space *mapping)
{
	XA_STATE(xas, &mapping->i_pages, walk->place);
	unsigned int left = VIPZONE_PAGES_AT_ONCE;
	struct page *page;

	rcu_read_lock();
	xas_for_each(&xas, page, ULONG_MAX) {
		if (xas_retry(&xas, page))
			continue;
		walk->place = xas.xa_index + 1;
		/* What is in swap has left its place there. */
		if (!xa_is_value(page) && get_page_unless_zero(compound_head(page))) {
			if (xas_reload(&xas) == page)
				file_walk_page(walk, page, xas.xa_index);
			put_page(page);
		}
		if (!--left)
			break;
	}
	rcu_read_unlock();
	return page;
}

static bool has_numa_policy(struct inode *inode, enum vipzone_file_kind kind)
{
	return kind == VIPZONE_FILE_SHMEM && memsuite_shmem_has_policy(SHMEM_I(inode));
}

static bool is_under(const struct vipzone_policy *policy, const struct inode *inode)
{
	bool is;

	rcu_read_lock();
	is = vipzone_policy_of_inode(inode) == policy;
	rcu_read_unlock();
	return is;
}

static int move_inode(struct file_walk *walk, struct inode *inode)
{
	bool more = true;

	if (!S_ISREG(inode->i_mode) || has_numa_policy(inode, walk->policy->file.kind))
		return 0;
	walk->place = 0;
	while (more) {
		if (fatal_signal_pending(current))
			return -EINTR;
		more = file_walk_some(walk, inode->i_mapping);
		vipzone_page_migrate_flush_settled(walk->mover, &walk->settled);
		cond_resched();
	}
	return 0;
}

/* Whether to go on to the next inode: file systems have millions without a page. */
static bool inode_is_passed(struct inode *inode)
{
	return !READ_ONCE(inode->i_mapping->nrpages) && !need_resched();
}

/* The file system stays mounted. An inode that is kept keeps its place in the list. */
static int move_all_inodes(struct file_walk *walk, struct super_block *sb)
{
	struct inode *inode, *last = NULL;
	int err = 0;

	spin_lock(&sb->s_inode_list_lock);
	list_for_each_entry(inode, &sb->s_inodes, i_sb_list) {
		if (inode_is_passed(inode) || !igrab(inode))
			continue;
		spin_unlock(&sb->s_inode_list_lock);
		cond_resched();
		iput(last);
		last = inode;
		err = is_under(walk->policy, inode) ? move_inode(walk, inode) : 0;
		spin_lock(&sb->s_inode_list_lock);
		if (err)
			break;
	}
	spin_unlock(&sb->s_inode_list_lock);
	iput(last);
	return err;
}

int vipzone_file_move(const struct path *path, bool all, struct vipzone_policy *policy)
{
	struct file_walk walk = {
		.policy = policy,
		.segment = policy->file.kind == VIPZONE_FILE_CACHE ? VIPZONE_SEGMENT_CACHE :
								     VIPZONE_SEGMENT_SHARED,
	};
	u64 moves[VIPZONE_NR_MOVES] = {};
	int err;

	if (policy->file.kind == VIPZONE_FILE_HUGETLB || !policy->command.orders[walk.segment].nr)
		return 0;
	walk.mover = vipzone_page_migrate_open(NULL, policy, NULL);
	if (!walk.mover)
		return -ENOMEM;
	err = all ? move_all_inodes(&walk, path->dentry->d_sb) :
		    move_inode(&walk, d_real_inode(path->dentry));
	vipzone_page_migrate_close(walk.mover, moves);
	return err;
}
