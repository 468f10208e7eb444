/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Large folios that are ready: cleared and inspected ahead of demand, of each order that
 * faults have asked for lately. They take up to half of what the pool is to hold.
 */
#ifndef MEMSUITE_POOL_LARGE_DEPOT_H
#define MEMSUITE_POOL_LARGE_DEPOT_H

#include "pool/pool_private.h"

/**
 * memsuite_large_depot_take() - a fault asks for a cleared folio
 * @pool: the pool
 * @order: of it
 *
 * That it was asked for is noted: the refill thread sees to the next.
 *
 * Context: a fault handler.
 * Return: what memsuite_large_depot_open() has to be called with, or NULL.
 */
struct page *memsuite_large_depot_take(struct memsuite_pool *pool, unsigned int order);

/**
 * memsuite_large_depot_open() - make a folio of what was taken
 * @pool: the pool
 * @page: what was taken
 * @order: of it
 *
 * Context: with preemption on, for it takes long; does not sleep.
 * Return: the folio, with a reference count of 1; NULL: it was found bad meanwhile.
 */
struct page *memsuite_large_depot_open(struct memsuite_pool *pool, struct page *page,
				       unsigned int order);

/* How many pages it holds. Context: any. */
unsigned long memsuite_large_depot_pages(const struct memsuite_pool *pool);

/* Of how many orders folios were asked for lately. Context: any. */
unsigned int memsuite_large_depot_count_wanted(const struct memsuite_pool *pool);

/* The largest order of which some are to be made ready, or 0. Context: any. */
unsigned int memsuite_large_depot_lacks(const struct memsuite_pool *pool);

/* One of which there are folios that nobody has asked for lately, or 0. Context: any. */
unsigned int memsuite_large_depot_unasked(const struct memsuite_pool *pool);

/*
 * Puts a folio there, or gives it back: 2^@order pages that were prepared as one, clear and
 * inspected. Context: the refill thread.
 */
void memsuite_large_depot_put(struct memsuite_pool *pool, struct page *page, unsigned int order);

/* Gives back @pages of that order, or some more, or all; returns how many. Context: any. */
unsigned long memsuite_large_depot_drop(struct memsuite_pool *pool, unsigned int order,
					unsigned long pages);

/* Gives back the folio that this page is of, if it is there; returns whether. Context: any. */
bool memsuite_large_depot_give_back(struct memsuite_pool *pool, struct page *page);

/* Gives back what is more than it is to hold. Context: any. */
void memsuite_large_depot_trim(struct memsuite_pool *pool);

/* As memsuite_large_depot_drop(), of all orders. */
unsigned long memsuite_large_depot_drain(struct memsuite_pool *pool, unsigned long pages);

/*
 * Gives back 2^@order pages that were prepared as one. Those in @bad are retired by the
 * refill thread; what the kernel itself has found bad it keeps. Context: any.
 */
void memsuite_large_give_back(struct memsuite_pool *pool, struct page *page, unsigned int order,
			      const unsigned long *bad);

#endif
