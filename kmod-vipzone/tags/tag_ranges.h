/* SPDX-License-Identifier: GPL-2.0-only */
/* The tagged ranges of an address space. */
#ifndef VIPZONE_TAGSET_H
#define VIPZONE_TAGSET_H

#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/**
 * struct tag - a range and its flags
 * @node: in the set, by @start; ranges do not overlap
 * @start: first address
 * @end: first address behind
 * @flags: _VIP_TYP_* | _VIP_UTIL_*
 * @next: the next of those that are moved
 * @rcu: frees it after a grace period
 */
struct tag {
	struct rb_node node;
	unsigned long start;
	unsigned long end;
	u32 flags;
	union {
		struct tag *next;
		struct rcu_head rcu;
	};
};

/**
 * struct tagset - the tagged ranges of an address space
 * @lock: held to change it, and to call the functions below
 * @changes: by which readers notice changes
 * @root: the tags
 * @nr: how many
 */
struct tagset {
	spinlock_t lock;		/* of the tree; see above */
	seqcount_spinlock_t changes;
	struct rb_root root;
	unsigned int nr;
};

void tagset_init(struct tagset *set);

/* Frees all tags. Nobody reads the set any more. */
void tagset_clear(struct tagset *set);

/**
 * tagset_tag() - tag a range, in place of the tags that it has
 * @set: the set
 * @start: first address
 * @end: first address behind
 * @flags: of the tag
 * @fresh: two tags that were allocated; those used are set to NULL
 *
 * Return: 0; -ENOSPC: there are too many, and nothing was changed.
 */
int tagset_tag(struct tagset *set, unsigned long start, unsigned long end,
	       u32 flags, struct tag **fresh);

/* Whether untagging the range leaves two tags of one. */
bool tagset_splits(const struct tagset *set, unsigned long start,
		   unsigned long end);

/**
 * tagset_untag() - take the tags of a range away
 * @set: the set
 * @start: first address
 * @end: first address behind
 * @fresh: a tag that was allocated; NULL if it was used
 *
 * Return: false if a tag was to be split without @fresh: the part behind the
 * range is untagged too.
 */
bool tagset_untag(struct tagset *set, unsigned long start, unsigned long end,
		  struct tag **fresh);

/* The same where nobody can wait for memory: it is taken if there is some. */
bool tagset_unmap(struct tagset *set, unsigned long start, unsigned long end);

/**
 * tagset_move() - move the tags of a range, in place of those where it goes
 * @set: the set
 * @from: first address
 * @to: where that goes; the ranges do not overlap
 * @length: bytes
 *
 * Return: how many pieces have lost their tag for want of memory.
 */
unsigned int tagset_move(struct tagset *set, unsigned long from,
			 unsigned long to, unsigned long length);

/* The tag of an address, or NULL. */
const struct tag *tagset_at(const struct tagset *set, unsigned long address);

/**
 * tagset_find() - the flags of an address
 * @set: the set
 * @address: the address
 * @flags: set if it is tagged
 *
 * Context: any in which RCU protects; takes no lock. Waits for a change that
 * another CPU is making.
 */
bool tagset_find(const struct tagset *set, unsigned long address, u32 *flags);

/**
 * tagset_copy() - copy a set
 * @to: an empty set, which nobody else knows
 * @from: the set
 *
 * Return: how many tags were not copied for want of memory.
 */
unsigned int tagset_copy(struct tagset *to, const struct tagset *from);

#endif
