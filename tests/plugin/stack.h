/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The MRC monitor of "Dynamic Tracking of Page Miss Ratio Curve for Memory Management" (ASPLOS 2004), section 3.1: an
 * LRU stack of pages in groups of the same size. With groups of one page it is Mattson's stack, distances exact.
 *
 * It also keeps what MRC-directed energy management needs, section 5.1: how many of the pages in the top groups each
 * chip holds.
 */
#ifndef STACK_H
#define STACK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define NO_PAGE UINT32_MAX

/* An entry of the paper's LRUArray. */
struct stack_page {
	uint32_t next, prev;	/* less, and more recently used */
	uint32_t group;		/* from 1 on; 0: not in the stack */
};

struct stack {
	uint32_t npages, group_size, ngroups, chip_size;
	struct stack_page *pages;
	uint32_t *heads;	/* GrpHdrs: of group g at [g]; of one that has no page NO_PAGE */
	uint64_t *hits;		/* HitCtrs: of this epoch, by group */
	uint64_t accesses;	/* of this epoch, and how many were to pages not in the stack */
	uint64_t misses;
	uint32_t used, first, last;	/* pages in the stack, and its ends */
	uint32_t top;		/* so many groups are N_mrc; all of them until there is a curve */
	uint32_t *chip_pages;	/* by chip: how many of its pages are in them */
	/* Operations since the start, for their energy: Table 1. */
	uint64_t array_accesses, header_accesses, counts;
};

/* False: no memory. */
static inline bool stack_init(struct stack *stack, uint32_t npages, uint32_t group_size, uint32_t chip_size)
{
	uint32_t ngroups = (npages + group_size - 1) / group_size;

	*stack = (struct stack){ .npages = npages, .group_size = group_size, .ngroups = ngroups,
				 .chip_size = chip_size,
				 .first = NO_PAGE, .last = NO_PAGE, .top = ngroups };
	stack->pages = calloc(npages, sizeof(*stack->pages));
	stack->heads = malloc((ngroups + 2) * sizeof(*stack->heads));
	stack->hits = calloc(ngroups + 1, sizeof(*stack->hits));
	stack->chip_pages = calloc(npages / chip_size + 1, sizeof(*stack->chip_pages));
	if (!stack->pages || !stack->heads || !stack->hits || !stack->chip_pages)
		return false;
	for (uint32_t g = 0; g < ngroups + 2; g++)
		stack->heads[g] = NO_PAGE;
	return true;
}

static inline void stack_free(struct stack *stack)
{
	free(stack->pages);
	free(stack->heads);
	free(stack->hits);
	free(stack->chip_pages);
}

/* To be changed: it takes a counter's energy. */
static inline uint32_t *stack_chip(struct stack *stack, uint32_t page)
{
	stack->counts++;
	return &stack->chip_pages[page / stack->chip_size];
}

static inline void stack_unlink(struct stack *stack, uint32_t page)
{
	struct stack_page *p = &stack->pages[page];

	if (stack->heads[p->group] == page)
		stack->heads[p->group] = p->next != NO_PAGE && stack->pages[p->next].group == p->group ? p->next : NO_PAGE;
	if (p->prev != NO_PAGE)
		stack->pages[p->prev].next = p->next;
	else
		stack->first = p->next;
	if (p->next != NO_PAGE)
		stack->pages[p->next].prev = p->prev;
	else
		stack->last = p->prev;
	stack->used--;
}

static inline void stack_push(struct stack *stack, uint32_t page)
{
	uint32_t next = stack->first;

	stack->pages[page] = (struct stack_page){ .next = next, .prev = NO_PAGE, .group = 1 };
	if (next != NO_PAGE)
		stack->pages[next].prev = page;
	else
		stack->last = page;
	stack->first = stack->heads[1] = page;
	stack->used++;
}

/* The last page of a group that has one too many. */
static inline uint32_t stack_overflow(const struct stack *stack, uint32_t group)
{
	uint32_t next = stack->heads[group + 1];

	/* The next one is empty if its only page went to the top. */
	if (next == NO_PAGE)
		next = stack->heads[group + 2];
	return next == NO_PAGE ? stack->last : stack->pages[next].prev;
}

/* One page of each group before @group goes to the next one. Returns the page that left the top, or NO_PAGE. */
static inline uint32_t stack_shift(struct stack *stack, uint32_t group)
{
	uint32_t left = NO_PAGE;

	for (uint32_t g = 1; g < group; g++) {
		uint32_t page = stack_overflow(stack, g);

		stack->pages[page].group = g + 1;
		stack->heads[g + 1] = page;
		if (g == stack->top)
			left = page;
	}
	return left;
}

/*
 * An access to @page. Returns the chip that holds none of the top pages any more because of it, or NO_PAGE; the chip
 * of @page holds one in any case.
 */
static inline uint32_t stack_access(struct stack *stack, uint32_t page)
{
	uint32_t group = stack->pages[page].group, left;
	bool was_top = group && group <= stack->top;

	stack->accesses++;
	stack->counts += 2;
	if (group) {
		stack->hits[group]++;
		stack_unlink(stack, page);
	} else {
		stack->misses++;
		/* It makes the stack longer: all groups that are full shift. */
		group = stack->used / stack->group_size + 1;
	}
	stack->array_accesses += 7 + 2 * group;
	stack->header_accesses += 2 * group;
	stack_push(stack, page);
	left = stack_shift(stack, group);
	if (!was_top)
		++*stack_chip(stack, page);
	if (left != NO_PAGE && !--*stack_chip(stack, left))
		return left / stack->chip_size;
	return NO_PAGE;
}

/* The smallest number of groups, at least one, that loses no more than @loss of the accesses against all of them. */
static inline uint32_t stack_needed(const struct stack *stack, double loss)
{
	uint64_t lost = 0;
	uint32_t group = stack->ngroups;

	while (group > 1 && lost + stack->hits[group] <= loss * stack->accesses)
		lost += stack->hits[group--];
	return group;
}

/* From now on so many groups are the top. */
static inline void stack_set_top(struct stack *stack, uint32_t top)
{
	bool more = top > stack->top;
	uint32_t low = more ? stack->top : top, high = more ? top : stack->top;

	for (uint32_t page = stack->heads[low + 1]; page != NO_PAGE && stack->pages[page].group <= high;
	     page = stack->pages[page].next) {
		*stack_chip(stack, page) += more ? 1 : -1;
		stack->array_accesses++;
	}
	stack->top = top;
}

/* The next epoch begins. */
static inline void stack_clear(struct stack *stack)
{
	for (uint32_t g = 0; g <= stack->ngroups; g++)
		stack->hits[g] = 0;
	stack->accesses = stack->misses = 0;
	/* Read for the curve, and cleared. */
	stack->counts += 2 * (stack->ngroups + 2);
}

#endif
