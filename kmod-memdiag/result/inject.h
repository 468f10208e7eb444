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

extern const struct attribute_group emulation_group;

/* debugfs memdiag/injected */
void emulation_init(struct dentry *debugfs);
/* Forget all faults, and give back the pages that they had retired. May sleep. */
void emulation_exit(void);

DECLARE_STATIC_KEY_FALSE(emulation_key);

bool emulation_within(u64 address, size_t bytes);

/**
 * emulation_covers() - whether there is an emulated fault in a stretch of memory
 * @address: physical, of its first byte
 * @bytes: its size
 *
 * Costs nothing while there is none at all. Context: may sleep.
 */
static inline bool emulation_covers(u64 address, size_t bytes)
{
	return static_branch_unlikely(&emulation_key) &&
	       emulation_within(address, bytes);
}

/**
 * emulation_run() - do what engine_run() does, with the emulated faults
 * @test: a march test
 * @block: see engine_run()
 * @background: see engine_run()
 * @report: called for every failing read, of emulated faults and real ones
 * @context: for @report
 *
 * Word by word: slow, and each operation by itself, as the theory has it.
 *
 * Context: may sleep.
 */
void emulation_run(const struct engine_test *test,
		   const struct engine_block *block, unsigned int background,
		   march_report_fn *report, void *context);

/**
 * emulation_explains() - whether bits failed because of an emulated fault
 * @address: physical, of the word
 * @mask: the bits
 *
 * Context: may sleep, but from within @report of emulation_run() alone.
 * Return: true if an emulated fault is behind each of them.
 */
bool emulation_explains(u64 address, u64 mask);

#endif
