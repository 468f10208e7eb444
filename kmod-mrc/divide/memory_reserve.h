/* SPDX-License-Identifier: GPL-2.0-only */
/* How much memory is available, and how much of it is to stay so. */
#ifndef MRC_DIVIDE_MEMORY_RESERVE_H
#define MRC_DIVIDE_MEMORY_RESERVE_H

#include <linux/types.h>

extern u64 mrc_reserve_kept;

void mrc_reserve_begin(void);
u64 mrc_reserve_available(void);
bool mrc_reserve_is_scarce(void);
u64 mrc_reserve_pages(u64 used, unsigned int targets);
void mrc_reserve_see(bool is_short);

#endif
