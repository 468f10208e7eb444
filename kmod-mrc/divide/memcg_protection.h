/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MRC_DIVIDE_MEMCG_PROTECTION_H
#define MRC_DIVIDE_MEMCG_PROTECTION_H

#include <linux/types.h>

struct mm_struct;
struct page;

u64 mrc_memcg_slack(struct mm_struct *mm);
bool mrc_memcg_keeps(struct mm_struct *mm, struct page *page);
u64 mrc_memcg_limit(struct mm_struct *mm, u64 *whose);
bool mrc_memcg_may_swap(struct mm_struct *mm);

#endif
