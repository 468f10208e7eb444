/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of an LRU stack. */
#ifndef MRC_CURVE_LRU_STACK_ALLOC_H
#define MRC_CURVE_LRU_STACK_ALLOC_H

#include <linux/types.h>

struct mrc_lru_stack;

int mrc_lru_stack_alloc(struct mrc_lru_stack *s, void **memory, u64 capacity, u32 group_pages);

#endif
