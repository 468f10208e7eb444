/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses that an address space touches, in order, as something that
 * interrupts the program takes them down: page faults, or samples of the
 * processor.
 */
#ifndef MRC_TRACK_ADDR_RING_H
#define MRC_TRACK_ADDR_RING_H

#include <linux/atomic.h>
#include <linux/types.h>

struct mm_struct;

/* What is remembered between two readings; a power of two. */
#define MRC_ADDR_RING	16384

enum mrc_addr_source {
	MRC_ADDR_FAULTS,
	MRC_ADDR_SAMPLES,
};

/**
 * struct mrc_addr_ring - addresses that were touched, in order
 * @link: in the table of address spaces that are followed
 * @mm: the address space
 * @source: who takes them down
 * @head: how many were
 * @tail: how many of them were read
 * @lost: how many found no room
 * @addr: the pages; 0: not yet written
 */
struct mrc_addr_ring {
	struct hlist_node link;
	struct mm_struct *mm;
	enum mrc_addr_source source;
	atomic_t head;
	u32 tail;
	atomic_t lost;
	unsigned long addr[MRC_ADDR_RING];
};

void mrc_addr_ring_open(struct mrc_addr_ring *ring, enum mrc_addr_source source,
			struct mm_struct *mm);
void mrc_addr_ring_close(struct mrc_addr_ring *ring);
void mrc_addr_ring_add(enum mrc_addr_source source, const struct mm_struct *mm,
		       unsigned long addr);
unsigned long mrc_addr_ring_next(struct mrc_addr_ring *ring);

#endif
