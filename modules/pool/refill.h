/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_POOL_REFILL_H
#define MEMSUITE_POOL_REFILL_H

struct memsuite_pool;

/**
 * memsuite_refill_run() - fill a pool until the thread is to stop
 * @data: the pool
 *
 * Context: a thread.
 * Return: 0.
 */
int memsuite_refill_run(void *data);

/**
 * memsuite_refill_empty() - give back what the refill thread has at hand
 * @pool: the pool, whose refill thread does not run, or is the caller
 *
 * Context: may sleep; between memsuite_hold_begin() and memsuite_hold_end().
 */
void memsuite_refill_empty(struct memsuite_pool *pool);

#endif
