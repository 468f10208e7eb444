/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A range of PRAM that is lent to the kernel as memory, unit by unit. It stays
 * when a table is replaced, and until the kernel gives all of it back.
 */
#ifndef STORE_LOAN_H
#define STORE_LOAN_H

#include <linux/types.h>

struct store_loan;

struct store_loan *store_loan_get(u64 start, u64 size, const char **why);
void store_loan_put(struct store_loan *loan);
void *store_loan_base(const struct store_loan *loan);
bool store_loan_lendable(const struct store_loan *loan, u32 unit);
bool store_loan_online(const struct store_loan *loan, u32 unit);
bool store_loan_lent(const struct store_loan *loan, u32 unit);
void store_loan_offer(struct store_loan *loan, u32 unit);
void store_loan_begin(struct store_loan *loan);
bool store_loan_waits(const struct store_loan *loan);
void store_loan_retry(struct store_loan *loan);
int store_loan_lend(struct store_loan *loan, u32 unit);
int store_loan_claim(struct store_loan *loan, u32 unit);

#endif
