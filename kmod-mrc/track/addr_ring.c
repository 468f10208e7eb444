// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses in order; addr_ring.h. Where they are taken down nothing else is done:
 * a stack is brought up to date by who reads them.
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
 * mrc_trail_open() - begin to take down what an address space touches
 * @trail: zeroed
 * @source: who does
 * @mm: the address space, which may go away
 *
 * Context: may sleep.
 */
void mrc_trail_open(struct mrc_trail *trail, enum mrc_trail_source source,
		    struct mm_struct *mm)
{
	trail->source = source;
	trail->mm = mm;
	mutex_lock(&followed_lock);
	hash_add_rcu(followed, &trail->link, (unsigned long)mm);
	mutex_unlock(&followed_lock);
}

/**
 * mrc_trail_close() - end it; @trail may be freed then
 * @trail: of mrc_trail_open()
 *
 * Context: may sleep.
 */
void mrc_trail_close(struct mrc_trail *trail)
{
	mutex_lock(&followed_lock);
	hash_del_rcu(&trail->link);
	mutex_unlock(&followed_lock);
	synchronize_rcu();
}

static void take_down(struct mrc_trail *trail, unsigned long addr)
{
	int at = atomic_read(&trail->head);

	do {
		if ((u32)at - READ_ONCE(trail->tail) >= MRC_TRAIL) {
			atomic_inc(&trail->lost);
			return;
		}
	} while (!atomic_try_cmpxchg(&trail->head, &at, at + 1));
	/* With mrc_trail_next(). */
	smp_store_release(&trail->addr[at & (MRC_TRAIL - 1)], addr);
}

/**
 * mrc_trail_note() - take an address down, if its address space is followed
 * @source: who does
 * @mm: the address space
 * @addr: the address, which is not in its first page
 *
 * Context: any, also where nothing can be masked.
 */
void mrc_trail_note(enum mrc_trail_source source, const struct mm_struct *mm,
		    unsigned long addr)
{
	struct mrc_trail *trail;

	rcu_read_lock();
	hash_for_each_possible_rcu(followed, trail, link, (unsigned long)mm)
		if (trail->mm == mm && trail->source == source)
			take_down(trail, addr & PAGE_MASK);
	rcu_read_unlock();
}

/**
 * mrc_trail_next() - the next address
 * @trail: of mrc_trail_open()
 *
 * One reader at a time.
 *
 * Return: the address of the page, or 0: there is none yet.
 */
unsigned long mrc_trail_next(struct mrc_trail *trail)
{
	unsigned long *at = &trail->addr[trail->tail & (MRC_TRAIL - 1)];
	/* With take_down(). */
	unsigned long addr = smp_load_acquire(at);

	if (!addr)
		return 0;
	WRITE_ONCE(*at, 0);
	/* The room is free once it is seen to be empty, by take_down(). */
	smp_store_release(&trail->tail, trail->tail + 1);
	return addr;
}
