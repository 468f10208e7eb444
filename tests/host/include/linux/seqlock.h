/* SPDX-License-Identifier: GPL-2.0-only */
/* Here there is one thread. */
#ifndef HOST_LINUX_SEQLOCK_H
#define HOST_LINUX_SEQLOCK_H

typedef struct {
	unsigned int sequence;
} seqcount_spinlock_t;

#define seqcount_spinlock_init(s, lock)	((s)->sequence = 0)
#define write_seqcount_begin(s)		((s)->sequence++)
#define write_seqcount_end(s)		((s)->sequence++)
#define raw_read_seqcount_begin(s)	((s)->sequence)
#define read_seqcount_retry(s, was)	((s)->sequence != (was))

#endif
