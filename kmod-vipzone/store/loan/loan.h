/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A range of PRAM that is lent to the kernel as memory, unit by unit. It stays
 * when a table is replaced, and until the kernel gives all of it back.
 */
#ifndef VSTORE_LOAN_LOAN_H
#define VSTORE_LOAN_LOAN_H

#include <linux/types.h>

struct vstore_loan;

struct vstore_loan *vstore_loan_get(u64 start, u64 size, const char **why);
void vstore_loan_put(struct vstore_loan *loan);
void *vstore_loan_base(const struct vstore_loan *loan);
bool vstore_loan_lendable(const struct vstore_loan *loan, u32 unit);
bool vstore_loan_online(const struct vstore_loan *loan, u32 unit);
bool vstore_loan_lent(const struct vstore_loan *loan, u32 unit);
void vstore_loan_offer(struct vstore_loan *loan, u32 unit);
int vstore_loan_lend(struct vstore_loan *loan, u32 unit);
int vstore_loan_claim(struct vstore_loan *loan, u32 unit);

#endif
