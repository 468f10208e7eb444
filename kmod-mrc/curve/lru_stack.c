// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each page has a slot, and slots are in the order of touches: the page on top has
 * the highest one. A page that is raised leaves its slot for a new one above all
 * others, so no page needs to move (Bennett and Kruskal; Olken). Its distance is the
 * number of slots in use above its own, from a bitmap and a Fenwick tree over the words
 * of that. There are twice as many slots as pages: where they run out, all pages
 * are numbered anew in one pass, once for as many touches as there is room for pages.
 */

#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>

#include "curve/lru_stack.h"

#define NIL	MRC_LRU_NIL
/* Pages that are numbered before others get the processor. */
#define RENUMBER_BATCH	4096

static u32 groups_for(u32 capacity, u32 group_pages)
{
	return capacity / group_pages + 1;
}

static u32 hash_bits_for(u32 capacity)
{
	return max(ilog2(capacity) + 1, 4);
}

/* Words of slots: there is room for all pages below those that there are, and above. */
static u32 words_for(u32 capacity)
{
	return BITS_TO_LONGS(2 * capacity);
}

static u32 slots_of(const struct mrc_lru_stack *s)
{
	return s->words * BITS_PER_LONG;
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
	size_t words = words_for(capacity);

	return groups_for(capacity, group_pages) * sizeof(u64) +
	       capacity * sizeof(struct mrc_lru_node) +
	       words * (sizeof(unsigned long) + (BITS_PER_LONG + 1) * sizeof(u32)) +
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
		.low = capacity,
		.high = capacity,
		.words = words_for(capacity),
		.free = NIL,
		.hash_bits = hash_bits_for(capacity),
		.hits = memory,
	};
	s->node = (void *)(s->hits + groups);
	s->taken = (void *)(s->node + capacity);
	s->page = (void *)(s->taken + s->words);
	s->tree = s->page + slots_of(s);
	s->hash = s->tree + s->words;
	memset(s->hits, 0, groups * sizeof(*s->hits));
	memset(s->taken, 0, s->words * sizeof(*s->taken));
	memset(s->tree, 0, s->words * sizeof(*s->tree));
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
		s->free = s->node[i].chain;
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
	s->node[i].chain = s->free;
	s->free = i;
	s->n--;
}

/* The node of the tree at @w has the pages of the words of as many as its lowest bit. */
static void tree_add(struct mrc_lru_stack *s, u32 word, int pages)
{
	u32 w;

	for (w = word + 1; w <= s->words; w += w & -w)
		s->tree[w - 1] += pages;
}

static u32 tree_below(const struct mrc_lru_stack *s, u32 word)
{
	u32 sum = 0, w;

	for (w = word; w; w &= w - 1)
		sum += s->tree[w - 1];
	return sum;
}

static void slot_take(struct mrc_lru_stack *s, u32 slot, u32 i)
{
	s->page[slot] = i;
	s->node[i].slot = slot;
	s->taken[slot / BITS_PER_LONG] |= BIT(slot % BITS_PER_LONG);
	tree_add(s, slot / BITS_PER_LONG, 1);
}

static void slot_leave(struct mrc_lru_stack *s, u32 i)
{
	u32 slot = s->node[i].slot;

	s->taken[slot / BITS_PER_LONG] &= ~BIT(slot % BITS_PER_LONG);
	tree_add(s, slot / BITS_PER_LONG, -1);
}

/* The first slot in use from @slot on, upwards; or the end. */
static u32 slot_from(const struct mrc_lru_stack *s, u32 slot)
{
	u32 w = slot / BITS_PER_LONG;
	unsigned long word;

	if (w >= s->words)
		return slots_of(s);
	word = s->taken[w] >> slot % BITS_PER_LONG << slot % BITS_PER_LONG;
	while (!word && ++w < s->words)
		word = s->taken[w];
	return word ? w * BITS_PER_LONG + __ffs(word) : slots_of(s);
}

/* Move all pages down to the lowest slots. */
static void pages_compact(struct mrc_lru_stack *s)
{
	u32 from, to = 0;

	for (from = slot_from(s, s->low); to < s->n; from = slot_from(s, from + 1)) {
		s->page[to++] = s->page[from];
		if (to % RENUMBER_BATCH == 0)
			cond_resched();
	}
}

static void tree_build(struct mrc_lru_stack *s)
{
	u32 w, up;

	for (w = 0; w < s->words; w++)
		s->tree[w] = hweight_long(s->taken[w]);
	for (w = 1; w <= s->words; w++) {
		up = w + (w & -w);
		if (up <= s->words)
			s->tree[up - 1] += s->tree[w - 1];
	}
}

/* Slots have run out at an end. */
static void stack_renumber(struct mrc_lru_stack *s)
{
	u32 slot;

	pages_compact(s);
	s->low = s->capacity - s->n;
	s->high = s->capacity;
	memmove(s->page + s->low, s->page, s->n * sizeof(*s->page));
	memset(s->taken, 0, s->words * sizeof(*s->taken));
	for (slot = s->low; slot < s->high; slot++) {
		s->node[s->page[slot]].slot = slot;
		s->taken[slot / BITS_PER_LONG] |= BIT(slot % BITS_PER_LONG);
		if (slot % RENUMBER_BATCH == 0)
			cond_resched();
	}
	tree_build(s);
}

/* Give a page that has no slot the highest one. */
static void page_put_on_top(struct mrc_lru_stack *s, u32 i)
{
	slot_take(s, s->high++, i);
}

static void room_make_above(struct mrc_lru_stack *s)
{
	if (s->high == slots_of(s))
		stack_renumber(s);
}

/**
 * mrc_lru_stack_at() - the page at a place
 * @s: the stack
 * @place: how many pages are above it
 *
 * Return: its node, or MRC_LRU_NIL if there are no more than @place pages.
 */
u32 mrc_lru_stack_at(const struct mrc_lru_stack *s, u32 place)
{
	u32 left, word = 0, step;
	unsigned long taken;

	if (place >= s->n)
		return NIL;
	left = s->n - 1 - place;
	for (step = 1U << ilog2(s->words); step; step /= 2)
		if (word + step <= s->words && s->tree[word + step - 1] <= left) {
			word += step;
			left -= s->tree[word - 1];
		}
	for (taken = s->taken[word]; left; left--)
		taken &= taken - 1;
	return s->page[word * BITS_PER_LONG + __ffs(taken)];
}

/**
 * mrc_lru_stack_place() - how deep a page lies
 * @s: the stack
 * @i: its node
 *
 * Return: how many pages are above it.
 */
u32 mrc_lru_stack_place(const struct mrc_lru_stack *s, u32 i)
{
	u32 slot = s->node[i].slot, word = slot / BITS_PER_LONG;
	unsigned long lower = s->taken[word] << (BITS_PER_LONG - 1 - slot % BITS_PER_LONG);

	return s->n - tree_below(s, word) - hweight_long(lower);
}

/**
 * mrc_lru_stack_above() - the next page towards the top
 * @s: the stack
 * @i: a node
 *
 * Return: its node, or MRC_LRU_NIL.
 */
u32 mrc_lru_stack_above(const struct mrc_lru_stack *s, u32 i)
{
	u32 slot = slot_from(s, s->node[i].slot + 1);

	return slot < slots_of(s) ? s->page[slot] : NIL;
}

/**
 * mrc_lru_stack_below() - the next page towards the bottom
 * @s: the stack
 * @i: a node
 *
 * Return: its node, or MRC_LRU_NIL.
 */
u32 mrc_lru_stack_below(const struct mrc_lru_stack *s, u32 i)
{
	u32 slot = s->node[i].slot, w = slot / BITS_PER_LONG;
	unsigned long word = s->taken[w] & (BIT(slot % BITS_PER_LONG) - 1);

	while (!word && w--)
		word = s->taken[w];
	return word ? s->page[w * BITS_PER_LONG + __fls(word)] : NIL;
}

/**
 * mrc_lru_stack_raise() - move a page to the top
 * @s: the stack
 * @i: its node
 *
 * Context: may sleep, as all that changes the stack.
 * Return: the group that it was in.
 */
u32 mrc_lru_stack_raise(struct mrc_lru_stack *s, u32 i)
{
	u32 place = mrc_lru_stack_place(s, i);

	if (!place)
		return 0;
	room_make_above(s);
	slot_leave(s, i);
	page_put_on_top(s, i);
	return place / s->group_pages;
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
		mrc_lru_stack_remove(s, mrc_lru_stack_bottom(s));
	room_make_above(s);
	i = node_new(s, addr);
	page_put_on_top(s, i);
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
	u32 i;

	if (s->n == s->capacity)
		return NIL;
	if (!s->low)
		stack_renumber(s);
	i = node_new(s, addr);
	slot_take(s, --s->low, i);
	return i;
}

/**
 * mrc_lru_stack_remove() - drop a page
 * @s: the stack
 * @i: its node
 */
void mrc_lru_stack_remove(struct mrc_lru_stack *s, u32 i)
{
	slot_leave(s, i);
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

	for (i = mrc_lru_stack_at(from, 0); i != NIL; i = mrc_lru_stack_below(from, i)) {
		k = mrc_lru_stack_append(to, from->node[i].addr);
		if (k == NIL)
			return;
		to->node[k].flags = from->node[i].flags;
		if (to->n % RENUMBER_BATCH == 0)
			cond_resched();
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
