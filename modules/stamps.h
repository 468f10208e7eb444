/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stamps: 4 bytes for each page frame, kept while somebody asks for them.
 * What they mean is demand.c's.
 */
#ifndef MEMSUITE_STAMPS_H
#define MEMSUITE_STAMPS_H

#include <linux/types.h>

/* Make a stamp, zero, for every page online. May sleep. */
int ms_stamps_alloc(void);

/* Waits for those who look at one. May sleep. */
void ms_stamps_free(void);

/* Make stamps for memory that is about to come online. May sleep. */
void ms_stamps_extend(unsigned long pfn, unsigned long nr);

/*
 * The stamp of a frame, or NULL if it has none; good until the end of the RCU
 * read section, or with preemption off. The stamps of an aligned block of up
 * to the largest order lie side by side.
 */
u32 *ms_stamp(unsigned long pfn);

size_t ms_stamps_bytes(void);

#endif
