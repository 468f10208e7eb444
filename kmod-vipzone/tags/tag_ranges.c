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
#include <linux/sched.h>
#include <linux/slab.h>

#include <memsuite/vipzone.h>

#include "tags/tag_ranges.h"

static struct vipzone_tag *to_tag(struct rb_node *node)
{
	return rb_entry_safe(node, struct vipzone_tag, node);
}

static struct vipzone_tag *tag_next(struct vipzone_tag *tag)
{
	return to_tag(rb_next(&tag->node));
}

static struct vipzone_tag *tag_previous(struct vipzone_tag *tag)
{
	return to_tag(rb_prev(&tag->node));
}

static struct vipzone_tag *tag_take(struct vipzone_tag **fresh)
{
	struct vipzone_tag *tag = *fresh;

	*fresh = NULL;
	return tag;
}

/*
 * Tags that are changed in one piece, at most: meanwhile preemption is off, and
 * readers wait.
 */
#define TAGS_AT_ONCE	32

/* The first tag that ends behind an address. */
static struct vipzone_tag *tag_first_behind(const struct vipzone_tag_ranges *set,
					    unsigned long address)
{
	struct rb_node *node = set->root.rb_node;
	struct vipzone_tag *tag, *first = NULL;

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

static struct vipzone_tag *tag_first_in(const struct vipzone_tag_ranges *set, unsigned long start,
					unsigned long end)
{
	struct vipzone_tag *tag = tag_first_behind(set, start);

	return tag && tag->start < end ? tag : NULL;
}

/* The last tag that begins before an address. */
static struct vipzone_tag *tag_last_before(const struct vipzone_tag_ranges *set,
					   unsigned long address)
{
	struct rb_node *node = set->root.rb_node;
	struct vipzone_tag *tag, *last = NULL;

	while (node) {
		tag = to_tag(node);
		if (tag->start < address) {
			last = tag;
			node = node->rb_right;
		} else {
			node = node->rb_left;
		}
	}
	return last;
}

/* How far a change of a range gets in one piece. */
static unsigned long piece_end(const struct vipzone_tag_ranges *set, unsigned long start,
			       unsigned long end)
{
	struct vipzone_tag *tag = tag_first_in(set, start, end);
	int more = TAGS_AT_ONCE;

	while (tag && --more)
		tag = tag_next(tag);
	return tag ? min(tag->end, end) : end;
}

/* The same of one that begins at the end. */
static unsigned long piece_start(const struct vipzone_tag_ranges *set, unsigned long start,
				 unsigned long end)
{
	struct vipzone_tag *tag = tag_last_before(set, end);
	int more = TAGS_AT_ONCE;

	while (tag && --more)
		tag = tag_previous(tag);
	return tag ? clamp(tag->start, start, end) : start;
}

static void tag_set_range(struct vipzone_tag *tag, unsigned long start, unsigned long end)
{
	WRITE_ONCE(tag->start, start);
	WRITE_ONCE(tag->end, end);
}

/* Where no tag is. */
static void tag_insert(struct vipzone_tag_ranges *set, struct vipzone_tag *tag)
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

static void tag_erase(struct vipzone_tag_ranges *set, struct vipzone_tag *tag)
{
	rb_erase(&tag->node, &set->root);
	set->nr--;
}

static void tag_drop(struct vipzone_tag_ranges *set, struct vipzone_tag *tag)
{
	tag_erase(set, tag);
	kfree_rcu(tag, rcu);
}

static bool tags_join(const struct vipzone_tag *tag, const struct vipzone_tag *next)
{
	return tag && next && tag->end == next->start &&
	       tag->flags == next->flags;
}

/* Make one of a tag and those beside it, if they are alike. */
static void tag_join(struct vipzone_tag_ranges *set, struct vipzone_tag *tag)
{
	struct vipzone_tag *previous = tag_previous(tag), *next = tag_next(tag);

	if (tags_join(tag, next)) {
		tag_set_range(tag, tag->start, next->end);
		tag_drop(set, next);
	}
	if (tags_join(previous, tag)) {
		tag_set_range(previous, previous->start, tag->end);
		tag_drop(set, tag);
	}
}

static void tag_insert_and_join(struct vipzone_tag_ranges *set, struct vipzone_tag *tag)
{
	tag_insert(set, tag);
	tag_join(set, tag);
}

/* Of a tag that reaches beyond both ends. */
static bool tag_split(struct vipzone_tag_ranges *set, struct vipzone_tag *tag, unsigned long start,
		      unsigned long end, struct vipzone_tag **fresh)
{
	struct vipzone_tag *rest = tag_take(fresh);

	if (rest) {
		rest->flags = tag->flags;
		tag_set_range(rest, end, tag->end);
	}
	tag_set_range(tag, tag->start, start);
	if (rest)
		tag_insert(set, rest);
	return rest;
}

/* Inside of a change. */
static bool untag_range(struct vipzone_tag_ranges *set, unsigned long start, unsigned long end,
			struct vipzone_tag **fresh)
{
	struct vipzone_tag *tag = tag_first_in(set, start, end), *next;

	if (tag && tag->start < start && tag->end > end)
		return tag_split(set, tag, start, end, fresh);
	for (; tag && tag->start < end; tag = next) {
		next = tag_next(tag);
		if (tag->start < start)
			tag_set_range(tag, tag->start, start);
		else if (tag->end > end)
			tag_set_range(tag, end, tag->end);
		else
			tag_drop(set, tag);
	}
	return true;
}

static struct vipzone_tag *tag_alloc_now(void)
{
	return kmalloc(sizeof(struct vipzone_tag),
		       GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN);
}

/* The same where nobody can wait for memory. */
static bool untag_range_now(struct vipzone_tag_ranges *set, unsigned long start,
			    unsigned long end)
{
	struct vipzone_tag *fresh = NULL;

	if (vipzone_tag_ranges_splits(set, start, end) && set->nr < VIPZONE_MAX_RANGES)
		fresh = tag_alloc_now();
	return untag_range(set, start, end, &fresh);
}

static bool range_has(const struct vipzone_tag_ranges *set, unsigned long start,
		      unsigned long end, u32 flags)
{
	const struct vipzone_tag *tag = tag_first_in(set, start, end);

	return tag && tag->start <= start && tag->end >= end &&
	       tag->flags == flags;
}

/* How many tags more there are once a range is tagged, at most. */
static unsigned int tag_growth(const struct vipzone_tag_ranges *set, unsigned long start,
			       unsigned long end)
{
	struct vipzone_tag *tag = tag_first_in(set, start, end);

	if (tag && tag->start < start && tag->end > end)
		return 2;
	if (tag && tag->start < start)
		tag = tag_next(tag);
	/* The first that lies in the range is replaced. */
	return tag && tag->end <= end ? 0 : 1;
}

/* Inside of a change: the tag before the range is like it, as after a first piece. */
static void tag_extend(struct vipzone_tag_ranges *set, struct vipzone_tag *tag, unsigned long end)
{
	untag_range(set, tag->end, end, NULL);
	tag_set_range(tag, tag->start, end);
	tag_join(set, tag);
}

/* Likewise: a tag of its own. */
static void range_tag_anew(struct vipzone_tag_ranges *set, struct vipzone_tag *tag,
			   struct vipzone_tag **fresh)
{
	untag_range(set, tag->start, tag->end, fresh);
	tag_insert_and_join(set, tag);
}

int vipzone_tag_ranges_tag(struct vipzone_tag_ranges *set, unsigned long *start, unsigned long end,
			   u32 flags, struct vipzone_tag **fresh)
{
	struct vipzone_tag *before, *tag = NULL;
	unsigned long stop;

	if (range_has(set, *start, end, flags)) {
		*start = end;
		return 0;
	}
	before = tag_last_before(set, *start);
	if (!before || before->end != *start || before->flags != flags) {
		if (set->nr + tag_growth(set, *start, end) > VIPZONE_MAX_RANGES)
			return -ENOSPC;
		tag = tag_take(&fresh[0]);
		if (!tag)
			return -ENOMEM;
	}
	stop = piece_end(set, *start, end);
	write_seqcount_begin(&set->changes);
	if (tag) {
		tag->flags = flags;
		tag_set_range(tag, *start, stop);
		range_tag_anew(set, tag, &fresh[1]);
	} else {
		tag_extend(set, before, stop);
	}
	write_seqcount_end(&set->changes);
	*start = stop;
	return 0;
}

bool vipzone_tag_ranges_splits(const struct vipzone_tag_ranges *set, unsigned long start,
			       unsigned long end)
{
	const struct vipzone_tag *tag = tag_first_in(set, start, end);

	return tag && tag->start < start && tag->end > end;
}

bool vipzone_tag_ranges_has_any(const struct vipzone_tag_ranges *set, unsigned long start,
				unsigned long end)
{
	return tag_first_in(set, start, end);
}

bool vipzone_tag_ranges_untag(struct vipzone_tag_ranges *set, unsigned long *start,
			      unsigned long end, struct vipzone_tag **fresh)
{
	unsigned long stop = piece_end(set, *start, end);
	bool whole;

	write_seqcount_begin(&set->changes);
	whole = untag_range(set, *start, stop, fresh);
	write_seqcount_end(&set->changes);
	*start = stop;
	return whole;
}

bool vipzone_tag_ranges_unmap(struct vipzone_tag_ranges *set, unsigned long *start,
			      unsigned long end)
{
	unsigned long stop = piece_end(set, *start, end);
	bool whole;

	write_seqcount_begin(&set->changes);
	whole = untag_range_now(set, *start, stop);
	write_seqcount_end(&set->changes);
	*start = stop;
	return whole;
}

static bool tag_cuts(const struct vipzone_tag_ranges *set, unsigned long address)
{
	const struct vipzone_tag *tag = tag_first_behind(set, address);

	return tag && tag->start < address;
}

/*
 * Where tags stay in their order, as they do if no other ones lie between, only
 * addresses change. Nothing is tagged where they go.
 */
static bool tags_shift(struct vipzone_tag_ranges *set, unsigned long from, unsigned long to,
		       unsigned long length)
{
	struct vipzone_tag *first = tag_first_in(set, from, from + length), *last, *tag;
	struct vipzone_tag *previous, *next;

	if (!first || tag_cuts(set, from) || tag_cuts(set, from + length))
		return !first;
	previous = tag_previous(first);
	next = tag_first_behind(set, from + length);
	if ((previous && previous->start > to) || (next && next->start < to))
		return false;
	for (tag = last = first; tag != next; tag = tag_next(tag)) {
		tag_set_range(tag, tag->start - from + to, tag->end - from + to);
		last = tag;
	}
	if (last != first)
		tag_join(set, last);
	tag_join(set, first);
	return true;
}

/*
 * The part of a tag that lies in a range, taken out of the set; NULL for want
 * of memory.
 */
static struct vipzone_tag *tag_take_part(struct vipzone_tag_ranges *set, struct vipzone_tag *tag,
					 unsigned long start, unsigned long end,
					 unsigned int *lost)
{
	struct vipzone_tag *part;

	if (tag->start >= start && tag->end <= end) {
		tag_erase(set, tag);
		return tag;
	}
	start = max(start, tag->start);
	end = min(end, tag->end);
	part = tag_alloc_now();
	if (part) {
		part->flags = tag->flags;
		tag_set_range(part, start, end);
	} else {
		(*lost)++;
	}
	*lost += !untag_range_now(set, start, end);
	return part;
}

/* Inside of a change, to where nothing is tagged. */
static unsigned int tags_move(struct vipzone_tag_ranges *set, unsigned long from,
			      unsigned long to, unsigned long length)
{
	struct vipzone_tag *tag, *part, *parts = NULL;
	unsigned int lost = 0;

	if (tags_shift(set, from, to, length))
		return 0;
	while ((tag = tag_first_in(set, from, from + length))) {
		part = tag_take_part(set, tag, from, from + length, &lost);
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
		tag_set_range(part, part->start - from + to, part->end - from + to);
		tag_insert_and_join(set, part);
	}
	return lost;
}

/* Upwards from the end, so that no tag comes to lie behind one that is to follow. */
static unsigned int tags_move_piece(struct vipzone_tag_ranges *set, struct vipzone_tag_move *move)
{
	unsigned long end = move->from + move->length, from = move->from, to = move->to, part;

	if (to > from) {
		part = end - piece_start(set, from, end);
		from = end - part;
		to += move->length - part;
	} else {
		part = piece_end(set, from, end) - from;
		move->from += part;
		move->to += part;
	}
	move->length -= part;
	return tags_move(set, from, to, part);
}

unsigned int vipzone_tag_ranges_move(struct vipzone_tag_ranges *set, struct vipzone_tag_move *move)
{
	unsigned long to = move->to, end = to + move->length;
	unsigned int lost;

	if (vipzone_tag_ranges_has_any(set, to, end))
		return !vipzone_tag_ranges_unmap(set, &to, end);
	write_seqcount_begin(&set->changes);
	lost = tags_move_piece(set, move);
	write_seqcount_end(&set->changes);
	return lost;
}

const struct vipzone_tag *vipzone_tag_ranges_at(const struct vipzone_tag_ranges *set,
						unsigned long address)
{
	return tag_first_in(set, address, address + 1);
}

/* Whatever it meets while the tree is changed, it comes to an end. */
static bool tag_look(const struct vipzone_tag_ranges *set, unsigned long address, u32 *flags)
{
	struct rb_node *node = READ_ONCE(set->root.rb_node);
	struct vipzone_tag *tag;

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

bool vipzone_tag_ranges_find(const struct vipzone_tag_ranges *set, unsigned long address,
			     u32 *flags)
{
	unsigned int changes;
	bool found;

	do {
		changes = raw_read_seqcount_begin(&set->changes);
		found = tag_look(set, address, flags);
	} while (read_seqcount_retry(&set->changes, changes));
	return found;
}

/* Behind the last one. */
static void tag_append(struct vipzone_tag_ranges *set, struct vipzone_tag *tag,
		       struct vipzone_tag *last)
{
	rb_link_node_rcu(&tag->node, last ? &last->node : NULL,
			 last ? &last->node.rb_right : &set->root.rb_node);
	rb_insert_color(&tag->node, &set->root);
	set->nr++;
}

unsigned int vipzone_tag_ranges_copy(struct vipzone_tag_ranges *to,
				     const struct vipzone_tag_ranges *from)
{
	struct vipzone_tag *tag, *copy, *last = NULL;
	unsigned int lost = 0;

	for (tag = tag_first_behind(from, 0); tag; tag = tag_next(tag)) {
		cond_resched();
		copy = tag_alloc_now();
		if (!copy) {
			lost++;
			continue;
		}
		copy->flags = tag->flags;
		tag_set_range(copy, tag->start, tag->end);
		tag_append(to, copy, last);
		last = copy;
	}
	return lost;
}

void vipzone_tag_ranges_init(struct vipzone_tag_ranges *set)
{
	spin_lock_init(&set->lock);
	seqcount_spinlock_init(&set->changes, &set->lock);
	set->root = RB_ROOT;
	set->nr = 0;
}

void vipzone_tag_ranges_exit(struct vipzone_tag_ranges *set)
{
	struct vipzone_tag *tag, *next;

	rbtree_postorder_for_each_entry_safe(tag, next, &set->root, node) {
		kfree(tag);
		cond_resched();
	}
	WRITE_ONCE(set->root.rb_node, NULL);
	set->nr = 0;
}
