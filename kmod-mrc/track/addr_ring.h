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
#define MRC_TRAIL	16384

enum mrc_trail_source {
	MRC_TRAIL_FAULTS,
	MRC_TRAIL_SAMPLES,
};

/**
 * struct mrc_trail - addresses that were touched, in order
 * @link: in the table of address spaces that are followed
 * @mm: the address space
 * @source: who takes them down
 * @head: how many were
 * @tail: how many of them were read
 * @lost: how many found no room
 * @addr: the pages; 0: not yet written
 */
struct mrc_trail {
	struct hlist_node link;
	struct mm_struct *mm;
	enum mrc_trail_source source;
	atomic_t head;
	u32 tail;
	atomic_t lost;
	unsigned long addr[MRC_TRAIL];
};

void mrc_trail_open(struct mrc_trail *trail, enum mrc_trail_source source,
		    struct mm_struct *mm);
void mrc_trail_close(struct mrc_trail *trail);
void mrc_trail_note(enum mrc_trail_source source, const struct mm_struct *mm,
		    unsigned long addr);
unsigned long mrc_trail_next(struct mrc_trail *trail);

#endif
