// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stack is a doubly linked list through an array of nodes, by index; each
 * group's topmost page is known, and so, one above the next group's, its last.
 * All groups but the last one are full, so that a page that comes or goes shifts
 * one page over each border from there on, and nothing else.
 */

#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>

#include "curve/lru_stack.h"

#define NIL	MRC_LRU_NIL

static u32 groups_for(u32 capacity, u32 group_pages)
{
	return capacity / group_pages + 1;
}

static u32 hash_bits_for(u32 capacity)
{
	return max(ilog2(capacity) + 1, 4);
}

/**
 * mrc_lru_stack_size() - memory that a stack takes
 * @capacity: pages that it is to have room for; not 0
 * @group_pages: pages in a group; not 0
 *
 * Return: bytes.
 */
size_t mrc_lru_stack_size(u32 capacity, u32 group_pages)
{
	size_t groups = groups_for(capacity, group_pages);

	return groups * (sizeof(u64) + sizeof(u32)) +
	       capacity * sizeof(struct mrc_lru_node) +
	       (sizeof(u32) << hash_bits_for(capacity));
}

/**
 * mrc_lru_stack_init() - make an empty stack
 * @s: the stack
 * @memory: mrc_lru_stack_size() bytes, aligned to 8, which are its own from now on
 * @capacity: as for mrc_lru_stack_size()
 * @group_pages: as for mrc_lru_stack_size()
 */
void mrc_lru_stack_init(struct mrc_lru_stack *s, void *memory, u32 capacity,
			u32 group_pages)
{
	u32 groups = groups_for(capacity, group_pages);

	*s = (struct mrc_lru_stack){
		.group_pages = group_pages,
		.capacity = capacity,
		.top = NIL,
		.bottom = NIL,
		.free = NIL,
		.hash_bits = hash_bits_for(capacity),
		.hits = memory,
	};
	s->node = (void *)(s->hits + groups);
	s->head = (void *)(s->node + capacity);
	s->hash = s->head + groups;
	memset(s->hits, 0, groups * sizeof(*s->hits));
	memset(s->head, 0xff, groups * sizeof(*s->head));
	memset(s->hash, 0xff, sizeof(*s->hash) << s->hash_bits);
}

static u32 *chain_of(const struct mrc_lru_stack *s, unsigned long addr)
{
	return &s->hash[hash_64(addr, s->hash_bits)];
}

/**
 * mrc_lru_stack_find() - look up a page
 * @s: the stack
 * @addr: its address
 *
 * Return: its node, or MRC_LRU_NIL.
 */
u32 mrc_lru_stack_find(const struct mrc_lru_stack *s, unsigned long addr)
{
	u32 i = *chain_of(s, addr);

	while (i != NIL && s->node[i].addr != addr)
		i = s->node[i].chain;
	return i;
}

/**
 * mrc_lru_stack_groups() - number of groups
 * @s: the stack
 *
 * Return: groups that have a page.
 */
u32 mrc_lru_stack_groups(const struct mrc_lru_stack *s)
{
	return DIV_ROUND_UP(s->n, s->group_pages);
}

static u32 node_new(struct mrc_lru_stack *s, unsigned long addr)
{
	u32 *chain = chain_of(s, addr), i;

	if (s->free != NIL) {
		i = s->free;
		s->free = s->node[i].next;
	} else {
		i = s->used++;
	}
	s->node[i] = (struct mrc_lru_node){ .addr = addr, .chain = *chain };
	*chain = i;
	s->n++;
	return i;
}

static void node_free(struct mrc_lru_stack *s, u32 i)
{
	u32 *chain = chain_of(s, s->node[i].addr);

	while (*chain != i)
		chain = &s->node[*chain].chain;
	*chain = s->node[i].chain;
	s->node[i].addr = 0;
	s->node[i].flags = 0;
	s->node[i].next = s->free;
	s->free = i;
	s->n--;
}

static void node_unlink(struct mrc_lru_stack *s, u32 i)
{
	struct mrc_lru_node *node = &s->node[i];

	if (s->head[node->group] == i)
		s->head[node->group] = node->next;
	if (node->prev != NIL)
		s->node[node->prev].next = node->next;
	else
		s->top = node->next;
	if (node->next != NIL)
		s->node[node->next].prev = node->prev;
	else
		s->bottom = node->prev;
}

static void node_link_top(struct mrc_lru_stack *s, u32 i)
{
	s->node[i].prev = NIL;
	s->node[i].next = s->top;
	s->node[i].group = 0;
	if (s->top != NIL)
		s->node[s->top].prev = i;
	else
		s->bottom = i;
	s->top = i;
	s->head[0] = i;
}

/* A page has come on top: the last page of each group up to @last moves on. */
static void groups_push_down(struct mrc_lru_stack *s, u32 last)
{
	u32 g;

	for (g = 1; g <= last; g++) {
		u32 i = s->head[g] == NIL ? s->bottom :
			s->node[s->head[g]].prev;

		s->head[g] = i;
		s->node[i].group = g;
	}
}

/**
 * mrc_lru_stack_raise() - move a page to the top
 * @s: the stack
 * @i: its node
 *
 * Return: the group that it was in.
 */
u32 mrc_lru_stack_raise(struct mrc_lru_stack *s, u32 i)
{
	u32 group = s->node[i].group;

	if (s->top == i)
		return 0;
	node_unlink(s, i);
	node_link_top(s, i);
	groups_push_down(s, group);
	return group;
}

/**
 * mrc_lru_stack_touch() - a page is touched that may not be in the stack
 * @s: the stack
 * @addr: its address
 *
 * If the stack is full, the page at the bottom is dropped. Nothing is counted.
 *
 * Return: its node, which is on top if it is new.
 */
u32 mrc_lru_stack_touch(struct mrc_lru_stack *s, unsigned long addr)
{
	u32 i = mrc_lru_stack_find(s, addr);

	if (i != NIL)
		return i;
	if (s->n == s->capacity)
		mrc_lru_stack_remove(s, s->bottom);
	i = node_new(s, addr);
	node_link_top(s, i);
	groups_push_down(s, mrc_lru_stack_groups(s) - 1);
	return i;
}

/**
 * mrc_lru_stack_append() - add a page at the bottom, of which no touch was seen
 * @s: the stack, which does not have it
 * @addr: its address
 *
 * Return: its node, or MRC_LRU_NIL if the stack is full.
 */
u32 mrc_lru_stack_append(struct mrc_lru_stack *s, unsigned long addr)
{
	struct mrc_lru_node *node;
	u32 i;

	if (s->n == s->capacity)
		return NIL;
	i = node_new(s, addr);
	node = &s->node[i];
	node->next = NIL;
	node->prev = s->bottom;
	node->group = mrc_lru_stack_groups(s) - 1;
	if (s->bottom != NIL)
		s->node[s->bottom].next = i;
	else
		s->top = i;
	s->bottom = i;
	if (s->head[node->group] == NIL)
		s->head[node->group] = i;
	return i;
}

/**
 * mrc_lru_stack_remove() - drop a page
 * @s: the stack
 * @i: its node
 */
void mrc_lru_stack_remove(struct mrc_lru_stack *s, u32 i)
{
	u32 groups = mrc_lru_stack_groups(s), g;

	node_unlink(s, i);
	for (g = s->node[i].group + 1; g < groups; g++) {
		u32 first = s->head[g];

		if (s->head[g - 1] == NIL)
			s->head[g - 1] = first;
		s->node[first].group = g - 1;
		s->head[g] = s->node[first].next;
	}
	node_free(s, i);
}

/**
 * mrc_lru_stack_copy() - copy the pages of a stack, not what it has counted
 * @to: an empty stack; what it has no room for is left out, at the bottom
 * @from: the stack
 */
void mrc_lru_stack_copy(struct mrc_lru_stack *to, const struct mrc_lru_stack *from)
{
	u32 i, k;

	for (i = from->top; i != NIL; i = from->node[i].next) {
		k = mrc_lru_stack_append(to, from->node[i].addr);
		if (k == NIL)
			return;
		to->node[k].flags = from->node[i].flags;
	}
}

/**
 * mrc_lru_stack_forget_hits() - begin to count anew
 * @s: the stack
 */
void mrc_lru_stack_forget_hits(struct mrc_lru_stack *s)
{
	memset(s->hits, 0, groups_for(s->capacity, s->group_pages) *
			   sizeof(*s->hits));
	s->cold = 0;
}

/**
 * mrc_lru_stack_touches() - all touches that were counted
 * @s: the stack
 *
 * Return: their number.
 */
u64 mrc_lru_stack_touches(const struct mrc_lru_stack *s)
{
	u64 sum = s->cold;
	u32 g;

	for (g = 0; g < groups_for(s->capacity, s->group_pages); g++)
		sum += s->hits[g];
	return sum;
}

/**
 * mrc_lru_stack_misses() - misses by size of memory (equation 1 of the paper)
 * @s: the stack
 * @pages: sizes, ascending
 * @misses: result, one for each
 * @n: how many
 */
void mrc_lru_stack_misses(const struct mrc_lru_stack *s, const u64 *pages, u64 *misses,
			  unsigned int n)
{
	u64 left = mrc_lru_stack_touches(s), reach = s->group_pages;
	u32 g = 0, groups = groups_for(s->capacity, s->group_pages);
	unsigned int i;

	for (i = 0; i < n; i++) {
		for (; g < groups && reach <= pages[i]; g++) {
			left -= s->hits[g];
			reach += s->group_pages;
		}
		misses[i] = left;
	}
}
