/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stamps: a number of 31 bits for each page frame, 0 at first, kept while
 * somebody asks for them. What they mean is alloc_stats.c's, but that a larger one
 * is better: where there is no memory for a stamp, it is 0.
 */
#ifndef MEMSUITE_FRAME_TEST_AGE_H
#define MEMSUITE_FRAME_TEST_AGE_H

#include <linux/types.h>

/* Make stamps for all memory online. May sleep. */
int memsuite_test_age_alloc(void);

/* Waits for those who look at one. May sleep. */
void memsuite_test_age_free(void);

/* Make stamps for memory that is about to come online. May sleep. */
void memsuite_test_age_extend(unsigned long pfn, unsigned long nr);

/* The smallest stamp of @nr frames from @pfn on. Context: any. */
u32 memsuite_test_age_least(unsigned long pfn, unsigned long nr);

/*
 * The smallest stamp above @above in the block of 2 MiB that @pfn lies in, or U32_MAX.
 * Context: any.
 */
u32 memsuite_test_age_least_above(unsigned long pfn, u32 above);

/* Whether all frames of the block of 2 MiB that @pfn lies in have the same stamp. Context: any. */
bool memsuite_test_age_uniform(unsigned long pfn);

/*
 * Stamp @nr frames from @pfn on, which are the caller's. Costs least for whole
 * aligned blocks of 2 MiB. Context: any.
 */
void memsuite_test_age_set(unsigned long pfn, unsigned long nr, u32 stamp);

size_t memsuite_test_age_bytes(void);

#endif
