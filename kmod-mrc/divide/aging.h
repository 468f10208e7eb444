/* SPDX-License-Identifier: GPL-2.0-only */
/* How much each page of a target is used, kept while memory is divided. */
#ifndef MRC_DIVIDE_AGING_H
#define MRC_DIVIDE_AGING_H

#include <linux/types.h>

struct mm_struct;
struct mrc_target;

void mrc_aging_go_on(struct mrc_target *t, struct mm_struct *mm, u64 most);
bool mrc_aging_knows(const struct mrc_target *t, const struct mm_struct *mm);
void mrc_aging_forget(struct mrc_target *t);

#endif
