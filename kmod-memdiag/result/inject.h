/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Emulated memory faults (StealthWorks, Asteroid section 5.1): bits of good
 * memory that look faulty to the tests, on any machine, without harm.
 */
#ifndef MEMDIAG_RESULT_INJECT_H
#define MEMDIAG_RESULT_INJECT_H

#include <linux/jump_label.h>
#include <linux/types.h>

#include "march/engine_types.h"

struct attribute_group;
struct dentry;

extern const struct attribute_group memdiag_inject_group;

/* debugfs memdiag/injected */
void memdiag_inject_init(struct dentry *debugfs);
/* Forget all faults, and give back the pages that they had retired. May sleep. */
void memdiag_inject_exit(void);

DECLARE_STATIC_KEY_FALSE(memdiag_inject_key);

bool memdiag_inject_within(u64 address, size_t bytes);

/**
 * memdiag_inject_covers() - whether there is an emulated fault in a stretch of memory
 * @address: physical, of its first byte
 * @bytes: its size
 *
 * Costs nothing while there is no emulated fault at all.
 *
 * Context: may sleep.
 * Return: true if there is one.
 */
static inline bool memdiag_inject_covers(u64 address, size_t bytes)
{
	return static_branch_unlikely(&memdiag_inject_key) &&
	       memdiag_inject_within(address, bytes);
}

/**
 * memdiag_inject_run() - do what memdiag_engine_run() does, with the emulated faults
 * @test: a march test
 * @block: see memdiag_engine_run()
 * @background: see memdiag_engine_run()
 * @report: called for every failing read, of emulated faults and real ones
 * @context: for @report
 *
 * Word by word: slow, and each operation by itself, as the theory has it.
 *
 * Context: may sleep.
 */
void memdiag_inject_run(const struct memdiag_engine_test *test,
			const struct memdiag_engine_block *block, unsigned int background,
			memdiag_march_report_fn *report, void *context);

/**
 * memdiag_inject_explains() - whether bits failed because of an emulated fault
 * @address: physical, of the word
 * @mask: the bits
 *
 * Context: may sleep, but from within @report of memdiag_inject_run() alone.
 * Return: true if an emulated fault is behind each of them.
 */
bool memdiag_inject_explains(u64 address, u64 mask);

#endif
