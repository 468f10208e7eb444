/* SPDX-License-Identifier: GPL-2.0-only */
/* The tagged ranges of an address space. */
#ifndef VIPZONE_TAGS_TAG_RANGES_H
#define VIPZONE_TAGS_TAG_RANGES_H

#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/**
 * struct vipzone_tag - a range and its flags
 * @node: in the set, by @start; ranges do not overlap
 * @start: first address
 * @end: first address behind
 * @flags: _VIP_TYP_* | _VIP_UTIL_*
 * @next: the next of those that are moved
 * @rcu: frees it after a grace period
 */
struct vipzone_tag {
	struct rb_node node;
	unsigned long start;
	unsigned long end;
	u32 flags;
	union {
		struct vipzone_tag *next;
		struct rcu_head rcu;
	};
};

/**
 * struct vipzone_tag_ranges - the tagged ranges of an address space
 * @lock: held to change it, and to call the functions below
 * @changes: by which readers notice changes
 * @root: the tags
 * @nr: how many
 */
struct vipzone_tag_ranges {
	spinlock_t lock;		/* of the tree; see above */
	seqcount_spinlock_t changes;
	struct rb_root root;
	unsigned int nr;
};

/**
 * struct vipzone_tag_move - what is left of a move
 * @from: first address
 * @to: where that goes; the ranges do not overlap
 * @length: bytes; 0: nothing
 */
struct vipzone_tag_move {
	unsigned long from;
	unsigned long to;
	unsigned long length;
};

void vipzone_tag_ranges_init(struct vipzone_tag_ranges *set);

/* Frees all tags. Nobody reads the set any more, since a grace period. May sleep. */
void vipzone_tag_ranges_exit(struct vipzone_tag_ranges *set);

/**
 * vipzone_tag_ranges_tag() - tag a piece of a range, in place of the tags that it has
 * @set: the set
 * @start: first address; moved behind the piece
 * @end: first address behind the range: call again until that is @start
 * @flags: of the tag
 * @fresh: two tags that were allocated; those used are set to NULL. The pieces after
 *	the first one need none, unless the set was changed in between.
 *
 * Changes of a set come in pieces, so that its lock can be released in between.
 *
 * Return: 0; -ENOSPC: there are too many, -ENOMEM: it needs one of @fresh; nothing was
 * changed.
 */
int vipzone_tag_ranges_tag(struct vipzone_tag_ranges *set, unsigned long *start, unsigned long end,
			   u32 flags, struct vipzone_tag **fresh);

/* Whether anything of a range is tagged. */
bool vipzone_tag_ranges_has_any(const struct vipzone_tag_ranges *set, unsigned long start,
				unsigned long end);

/* Whether untagging the range leaves two tags of one. */
bool vipzone_tag_ranges_splits(const struct vipzone_tag_ranges *set, unsigned long start,
			       unsigned long end);

/**
 * vipzone_tag_ranges_untag() - take the tags of a piece of a range away
 * @set: the set
 * @start: first address; moved behind the piece
 * @end: first address behind the range: call again until that is @start
 * @fresh: a tag that was allocated; NULL if it was used
 *
 * Return: false if a tag was to be split without @fresh: the part behind the
 * range is untagged too.
 */
bool vipzone_tag_ranges_untag(struct vipzone_tag_ranges *set, unsigned long *start,
			      unsigned long end, struct vipzone_tag **fresh);

/* The same where nobody can wait for memory: it is taken if there is some. */
bool vipzone_tag_ranges_unmap(struct vipzone_tag_ranges *set, unsigned long *start,
			      unsigned long end);

/**
 * vipzone_tag_ranges_move() - move tags of a range, in place of those where it goes
 * @set: the set
 * @move: the move; made that of what is left: call again until that is nothing
 *
 * Return: how many parts have lost their tag for want of memory.
 */
unsigned int vipzone_tag_ranges_move(struct vipzone_tag_ranges *set, struct vipzone_tag_move *move);

/* The tag of an address, or NULL. */
const struct vipzone_tag *vipzone_tag_ranges_at(const struct vipzone_tag_ranges *set,
						unsigned long address);

/**
 * vipzone_tag_ranges_find() - the flags of an address
 * @set: the set
 * @address: the address
 * @flags: set if it is tagged
 *
 * Context: any in which RCU protects; takes no lock. Waits for a change that
 * another CPU is making.
 * Return: whether it is tagged.
 */
bool vipzone_tag_ranges_find(const struct vipzone_tag_ranges *set, unsigned long address,
			     u32 *flags);

/**
 * vipzone_tag_ranges_copy() - copy a set
 * @to: an empty set, which nobody else knows
 * @from: the set, which nobody changes: its lock need not be held
 *
 * Context: may sleep, but not wait for memory.
 * Return: how many tags were not copied for want of memory.
 */
unsigned int vipzone_tag_ranges_copy(struct vipzone_tag_ranges *to,
				     const struct vipzone_tag_ranges *from);

#endif
