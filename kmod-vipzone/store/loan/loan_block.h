/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory blocks of a loan, which the kernel adds, brings online, and removes. */
#ifndef VSTORE_LOAN_LOAN_BLOCK_H
#define VSTORE_LOAN_LOAN_BLOCK_H

#include <linux/types.h>

struct vstore_loan;

void vstore_loan_blocks_begin(struct vstore_loan *loan);
bool vstore_loan_blocks_missing(const struct vstore_loan *loan);
void vstore_loan_blocks_retry(struct vstore_loan *loan);
void vstore_loan_block_remove(struct vstore_loan *loan, unsigned long block);

#endif
