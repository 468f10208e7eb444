/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pools: page frames of one region, cleared beforehand and handed out by the
 * fault path without a lock.
 *
 * Each CPU has a cache, a chain of pages that only it touches. Behind the
 * caches lies a depot of slots, each holding a whole batch; a cache that is
 * empty exchanges a slot for its batch. A thread fills the slots. When the
 * depot is empty too, the CPU takes a free block of the region by itself, under
 * the zone's lock, as the kernel refills the lists of a CPU.
 */
#ifndef MEMSUITE_POOL_H
#define MEMSUITE_POOL_H

#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/mm_types.h>
#include <linux/preempt.h>

struct memsuite_pool;

/* Page frames that are looked at in a fault, at most; and in one stretch without preemption. */
#define MEMSUITE_POOL_LOOKS		2048UL
#define MEMSUITE_POOL_LOOKS_AT_ONCE	512UL

/* Whether a kernel that preempts itself cannot do so now, as in a callback of ftrace. */
static inline bool memsuite_pool_is_in_stretch(void)
{
	return IS_ENABLED(CONFIG_PREEMPTION) && preempt_count();
}

/* How many of them a fault handler has. */
static inline unsigned long memsuite_pool_looks(void)
{
	return memsuite_pool_is_in_stretch() ? MEMSUITE_POOL_LOOKS_AT_ONCE : MEMSUITE_POOL_LOOKS;
}

/**
 * memsuite_pool_pop() - take one page out of a pool
 * @pool: the pool
 * @gfp: flags of the request; only __GFP_ZERO matters
 * @looks: memsuite_pool_looks() for the first pool that is asked in a fault; made what is
 *	left of them for the next
 *
 * Context: a fault handler; takes the zone's lock if the depot is empty, or for
 * a page that need not be cleared.
 * Return: a page with a reference count of 1, cleared if asked for, or NULL.
 */
struct page *memsuite_pool_pop(struct memsuite_pool *pool, gfp_t gfp, unsigned long *looks);

/* In place of a page: there is none in the whole region, or was not a moment ago. */
#define MEMSUITE_POOL_DRY	((struct page *)ERR_PTR(-ENOENT))

/**
 * memsuite_pool_pop_at_hand() - take one cleared page that this CPU has at hand
 * @pool: the pool
 * @only: there is no other that may have one, and so no use to ask memsuite_pool_pop() in vain
 *
 * The quick half of memsuite_pool_pop(), for who wants a cleared page.
 *
 * Context: a fault handler, with interrupts on; takes no lock.
 * Return: a page with a reference count of 1, cleared; NULL: memsuite_pool_pop() may have one;
 *	with @only MEMSUITE_POOL_DRY: it would find none, and the request counts as one in vain.
 */
struct page *memsuite_pool_pop_at_hand(struct memsuite_pool *pool, bool only);

/**
 * memsuite_pool_pop_large() - take a large folio out of a pool's region
 * @pool: the pool
 * @order: of it, more than 0
 * @gfp: flags of the request; only __GFP_ZERO matters
 *
 * It is a free block of the region.
 *
 * Context: with preemption on, for it takes long; takes the zone's lock.
 * Return: a folio with a reference count of 1, cleared if asked for; or NULL, as
 * always for some banks, of which a large folio has all.
 */
struct page *memsuite_pool_pop_large(struct memsuite_pool *pool, unsigned int order,
				     gfp_t gfp);

/**
 * memsuite_pool_take_large() - the first half of that, which does not take long
 * @pool: the pool; is not destroyed before the second half has ended
 * @order: of the folio, more than 0
 * @gfp: flags of the request; only __GFP_ZERO matters
 * @looks: as for memsuite_pool_pop()
 *
 * Context: a fault handler; takes the zone's lock.
 * Return: what memsuite_pool_finish_large() has to be called with, or NULL.
 */
struct page *memsuite_pool_take_large(struct memsuite_pool *pool, unsigned int order,
				      gfp_t gfp, unsigned long *looks);

/**
 * memsuite_pool_take_ready_large() - the same, of those that are ready: clear, and inspected
 * @pool: as above
 * @order: as above
 *
 * The kernel, which clears a large folio for a page fault itself, leaves these as they are, if
 * MEMSUITE_HOOK_POINT_FAULT_CLEAR is armed. The refill thread makes folios of that order ready
 * from now on, as part of what the pool is to hold.
 *
 * Context: a fault handler; takes no lock.
 * Return: as above.
 */
struct page *memsuite_pool_take_ready_large(struct memsuite_pool *pool, unsigned int order);

/**
 * memsuite_pool_finish_large() - the second half: clears it, and has it inspected
 * @page: what memsuite_pool_take_large() has returned
 *
 * For &memsuite_hook.finish. Context: with preemption on; does not sleep.
 * Return: the folio, or another one if it is bad, or NULL if there is none.
 */
struct page *memsuite_pool_finish_large(struct page *page);

#endif
