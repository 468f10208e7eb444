/* SPDX-License-Identifier: GPL-2.0-only */
/* Page faults of an address space, as they happen. */
#ifndef MRC_TRACK_FAULTS_H
#define MRC_TRACK_FAULTS_H

struct mm_struct;
struct mrc_addr_ring;

int mrc_faults_watch(struct mrc_addr_ring *ring, struct mm_struct *mm);
void mrc_faults_unwatch(struct mrc_addr_ring *ring);

#endif
