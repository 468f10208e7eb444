// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses in order; addr_ring.h. Interrupts do no more than write them down: the
 * reader brings its stack up to date.
 */

#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>

#include "track/addr_ring.h"

static DEFINE_HASHTABLE(followed, 6);
static DEFINE_MUTEX(followed_lock);

/**
 * mrc_addr_ring_open() - begin to take down what an address space touches
 * @ring: zeroed
 * @source: who does
 * @mm: the address space, which may go away
 *
 * Context: may sleep.
 */
void mrc_addr_ring_open(struct mrc_addr_ring *ring, enum mrc_addr_source source,
			struct mm_struct *mm)
{
	ring->source = source;
	ring->mm = mm;
	mutex_lock(&followed_lock);
	hash_add_rcu(followed, &ring->link, (unsigned long)mm);
	mutex_unlock(&followed_lock);
}

/**
 * mrc_addr_ring_close() - end it; @ring may be freed then
 * @ring: of mrc_addr_ring_open()
 *
 * Context: may sleep.
 */
void mrc_addr_ring_close(struct mrc_addr_ring *ring)
{
	mutex_lock(&followed_lock);
	hash_del_rcu(&ring->link);
	mutex_unlock(&followed_lock);
	synchronize_rcu();
}

static void ring_put(struct mrc_addr_ring *ring, unsigned long addr)
{
	int at = atomic_read(&ring->head);

	do {
		if ((u32)at - READ_ONCE(ring->tail) >= MRC_ADDR_RING) {
			atomic_inc(&ring->lost);
			return;
		}
	} while (!atomic_try_cmpxchg(&ring->head, &at, at + 1));
	/* With mrc_addr_ring_next(). */
	smp_store_release(&ring->addr[at & (MRC_ADDR_RING - 1)], addr);
}

/**
 * mrc_addr_ring_add() - take an address down, if its address space is followed
 * @source: who does
 * @mm: the address space
 * @addr: the address, which is not in its first page
 *
 * Context: any, also where nothing can be masked.
 */
void mrc_addr_ring_add(enum mrc_addr_source source, const struct mm_struct *mm,
		       unsigned long addr)
{
	struct mrc_addr_ring *ring;

	rcu_read_lock();
	hash_for_each_possible_rcu(followed, ring, link, (unsigned long)mm)
		if (ring->mm == mm && ring->source == source)
			ring_put(ring, addr & PAGE_MASK);
	rcu_read_unlock();
}

/**
 * mrc_addr_ring_next() - the next address
 * @ring: of mrc_addr_ring_open()
 *
 * One reader at a time.
 *
 * Return: the address of the page, or 0: there is none yet.
 */
unsigned long mrc_addr_ring_next(struct mrc_addr_ring *ring)
{
	unsigned long *at = &ring->addr[ring->tail & (MRC_ADDR_RING - 1)];
	/* With ring_put(). */
	unsigned long addr = smp_load_acquire(at);

	if (!addr)
		return 0;
	WRITE_ONCE(*at, 0);
	/* The room is free once it is seen to be empty, by ring_put(). */
	smp_store_release(&ring->tail, ring->tail + 1);
	return addr;
}
