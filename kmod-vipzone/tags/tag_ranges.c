// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tagged ranges of an address space: tag_ranges.h.
 *
 * A tree by address, read without a lock: a reader who meets a change looks
 * again. Neighbours with the same flags are one tag. Pure logic: also built in
 * user space.
 */

#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include <memsuite/vipzone.h>

#include "tags/tag_ranges.h"

static struct tag *to_tag(struct rb_node *node)
{
	return rb_entry_safe(node, struct tag, node);
}

static struct tag *next_of(struct tag *tag)
{
	return to_tag(rb_next(&tag->node));
}

static struct tag *previous_of(struct tag *tag)
{
	return to_tag(rb_prev(&tag->node));
}

static struct tag *take(struct tag **fresh)
{
	struct tag *tag = *fresh;

	*fresh = NULL;
	return tag;
}

/* The first tag that ends behind an address. */
static struct tag *first_behind(const struct tagset *set, unsigned long address)
{
	struct rb_node *node = set->root.rb_node;
	struct tag *tag, *first = NULL;

	while (node) {
		tag = to_tag(node);
		if (tag->end > address) {
			first = tag;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return first;
}

static struct tag *first_in(const struct tagset *set, unsigned long start,
			    unsigned long end)
{
	struct tag *tag = first_behind(set, start);

	return tag && tag->start < end ? tag : NULL;
}

static void set_range(struct tag *tag, unsigned long start, unsigned long end)
{
	WRITE_ONCE(tag->start, start);
	WRITE_ONCE(tag->end, end);
}

/* Where no tag is. */
static void insert(struct tagset *set, struct tag *tag)
{
	struct rb_node **link = &set->root.rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		link = tag->start < to_tag(parent)->start ? &parent->rb_left :
							    &parent->rb_right;
	}
	rb_link_node_rcu(&tag->node, parent, link);
	rb_insert_color(&tag->node, &set->root);
	set->nr++;
}

static void erase(struct tagset *set, struct tag *tag)
{
	rb_erase(&tag->node, &set->root);
	set->nr--;
}

static void drop(struct tagset *set, struct tag *tag)
{
	erase(set, tag);
	kfree_rcu(tag, rcu);
}

static bool joins(const struct tag *tag, const struct tag *next)
{
	return tag && next && tag->end == next->start &&
	       tag->flags == next->flags;
}

/* Make one of a tag and those beside it, if they are alike. */
static void join(struct tagset *set, struct tag *tag)
{
	struct tag *previous = previous_of(tag), *next = next_of(tag);

	if (joins(tag, next)) {
		set_range(tag, tag->start, next->end);
		drop(set, next);
	}
	if (joins(previous, tag)) {
		set_range(previous, previous->start, tag->end);
		drop(set, tag);
	}
}

static void insert_and_join(struct tagset *set, struct tag *tag)
{
	insert(set, tag);
	join(set, tag);
}

/* Of a tag that reaches beyond both ends. */
static bool split(struct tagset *set, struct tag *tag, unsigned long start,
		  unsigned long end, struct tag **fresh)
{
	struct tag *rest = take(fresh);

	if (rest) {
		rest->flags = tag->flags;
		set_range(rest, end, tag->end);
	}
	set_range(tag, tag->start, start);
	if (rest)
		insert(set, rest);
	return rest;
}

/* Inside of a change. */
static bool untag(struct tagset *set, unsigned long start, unsigned long end,
		  struct tag **fresh)
{
	struct tag *tag = first_in(set, start, end), *next;

	if (tag && tag->start < start && tag->end > end)
		return split(set, tag, start, end, fresh);
	for (; tag && tag->start < end; tag = next) {
		next = next_of(tag);
		if (tag->start < start)
			set_range(tag, tag->start, start);
		else if (tag->end > end)
			set_range(tag, end, tag->end);
		else
			drop(set, tag);
	}
	return true;
}

static struct tag *allocate(void)
{
	return kmalloc(sizeof(struct tag),
		       GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN);
}

/* The same where nobody can wait for memory. */
static bool untag_now(struct tagset *set, unsigned long start,
		      unsigned long end)
{
	struct tag *fresh = NULL;

	if (tagset_splits(set, start, end) && set->nr < VIPZONE_MAX_RANGES)
		fresh = allocate();
	return untag(set, start, end, &fresh);
}

static bool has_already(const struct tagset *set, unsigned long start,
			unsigned long end, u32 flags)
{
	const struct tag *tag = first_in(set, start, end);

	return tag && tag->start <= start && tag->end >= end &&
	       tag->flags == flags;
}

/* How many tags more there are once a range is tagged, at most. */
static unsigned int growth(const struct tagset *set, unsigned long start,
			   unsigned long end)
{
	struct tag *tag = first_in(set, start, end);

	if (tag && tag->start < start && tag->end > end)
		return 2;
	if (tag && tag->start < start)
		tag = next_of(tag);
	/* The first that lies in the range is replaced. */
	return tag && tag->end <= end ? 0 : 1;
}

int tagset_tag(struct tagset *set, unsigned long start, unsigned long end,
	       u32 flags, struct tag **fresh)
{
	struct tag *tag;

	if (has_already(set, start, end, flags))
		return 0;
	if (set->nr + growth(set, start, end) > VIPZONE_MAX_RANGES)
		return -ENOSPC;
	tag = take(&fresh[0]);
	tag->flags = flags;
	set_range(tag, start, end);
	write_seqcount_begin(&set->changes);
	untag(set, start, end, &fresh[1]);
	insert_and_join(set, tag);
	write_seqcount_end(&set->changes);
	return 0;
}

bool tagset_splits(const struct tagset *set, unsigned long start,
		   unsigned long end)
{
	const struct tag *tag = first_in(set, start, end);

	return tag && tag->start < start && tag->end > end;
}

bool tagset_untag(struct tagset *set, unsigned long start, unsigned long end,
		  struct tag **fresh)
{
	bool whole;

	write_seqcount_begin(&set->changes);
	whole = untag(set, start, end, fresh);
	write_seqcount_end(&set->changes);
	return whole;
}

bool tagset_unmap(struct tagset *set, unsigned long start, unsigned long end)
{
	bool whole;

	write_seqcount_begin(&set->changes);
	whole = untag_now(set, start, end);
	write_seqcount_end(&set->changes);
	return whole;
}

static bool cuts(const struct tagset *set, unsigned long address)
{
	const struct tag *tag = first_behind(set, address);

	return tag && tag->start < address;
}

/*
 * Where tags stay in their order, as they do if no other ones lie between, only
 * addresses change. Nothing is tagged where they go.
 */
static bool shift(struct tagset *set, unsigned long from, unsigned long to,
		  unsigned long length)
{
	struct tag *first = first_in(set, from, from + length), *last, *tag;
	struct tag *previous, *next;

	if (!first || cuts(set, from) || cuts(set, from + length))
		return !first;
	previous = previous_of(first);
	next = first_behind(set, from + length);
	if ((previous && previous->start > to) || (next && next->start < to))
		return false;
	for (tag = last = first; tag != next; tag = next_of(tag)) {
		set_range(tag, tag->start - from + to, tag->end - from + to);
		last = tag;
	}
	if (last != first)
		join(set, last);
	join(set, first);
	return true;
}

/*
 * The part of a tag that lies in a range, taken out of the set; NULL for want
 * of memory.
 */
static struct tag *take_part(struct tagset *set, struct tag *tag,
			     unsigned long start, unsigned long end,
			     unsigned int *lost)
{
	struct tag *part;

	if (tag->start >= start && tag->end <= end) {
		erase(set, tag);
		return tag;
	}
	start = max(start, tag->start);
	end = min(end, tag->end);
	part = allocate();
	if (part) {
		part->flags = tag->flags;
		set_range(part, start, end);
	} else {
		(*lost)++;
	}
	*lost += !untag_now(set, start, end);
	return part;
}

unsigned int tagset_move(struct tagset *set, unsigned long from,
			 unsigned long to, unsigned long length)
{
	struct tag *tag, *part, *parts = NULL;
	unsigned int lost = 0;

	if (!length)
		return 0;
	write_seqcount_begin(&set->changes);
	lost += !untag_now(set, to, to + length);
	if (shift(set, from, to, length))
		goto out;
	while ((tag = first_in(set, from, from + length))) {
		part = take_part(set, tag, from, from + length, &lost);
		if (part) {
			part->next = parts;
			parts = part;
		}
	}
	while ((part = parts)) {
		parts = part->next;
		if (set->nr >= VIPZONE_MAX_RANGES) {
			/* Readers may still be at it. */
			kfree_rcu(part, rcu);
			lost++;
			continue;
		}
		set_range(part, part->start - from + to, part->end - from + to);
		insert_and_join(set, part);
	}
out:
	write_seqcount_end(&set->changes);
	return lost;
}

const struct tag *tagset_at(const struct tagset *set, unsigned long address)
{
	return first_in(set, address, address + 1);
}

/* Whatever it meets while the tree is changed, it comes to an end. */
static bool look(const struct tagset *set, unsigned long address, u32 *flags)
{
	struct rb_node *node = READ_ONCE(set->root.rb_node);
	struct tag *tag;

	while (node) {
		tag = to_tag(node);
		if (address < READ_ONCE(tag->start)) {
			node = READ_ONCE(node->rb_left);
		} else if (address >= READ_ONCE(tag->end)) {
			node = READ_ONCE(node->rb_right);
		} else {
			*flags = READ_ONCE(tag->flags);
			return true;
		}
	}
	return false;
}

bool tagset_find(const struct tagset *set, unsigned long address, u32 *flags)
{
	unsigned int changes;
	bool found;

	do {
		changes = raw_read_seqcount_begin(&set->changes);
		found = look(set, address, flags);
	} while (read_seqcount_retry(&set->changes, changes));
	return found;
}

/* Behind the last one. */
static void append(struct tagset *set, struct tag *tag, struct tag *last)
{
	rb_link_node_rcu(&tag->node, last ? &last->node : NULL,
			 last ? &last->node.rb_right : &set->root.rb_node);
	rb_insert_color(&tag->node, &set->root);
	set->nr++;
}

unsigned int tagset_copy(struct tagset *to, const struct tagset *from)
{
	struct tag *tag, *copy, *last = NULL;
	unsigned int lost = 0;

	for (tag = first_behind(from, 0); tag; tag = next_of(tag)) {
		copy = allocate();
		if (!copy) {
			lost++;
			continue;
		}
		copy->flags = tag->flags;
		set_range(copy, tag->start, tag->end);
		append(to, copy, last);
		last = copy;
	}
	return lost;
}

void tagset_init(struct tagset *set)
{
	spin_lock_init(&set->lock);
	seqcount_spinlock_init(&set->changes, &set->lock);
	set->root = RB_ROOT;
	set->nr = 0;
}

void tagset_clear(struct tagset *set)
{
	struct tag *tag, *next;

	rbtree_postorder_for_each_entry_safe(tag, next, &set->root, node)
		kfree_rcu(tag, rcu);
	WRITE_ONCE(set->root.rb_node, NULL);
	set->nr = 0;
}
