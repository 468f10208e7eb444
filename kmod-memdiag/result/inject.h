/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Emulated memory faults (StealthWorks, Asteroid section 5.1): bits of good
 * memory that look faulty to the tests, on any machine, without harm.
 */
#ifndef MEMDIAG_EMULATION_H
#define MEMDIAG_EMULATION_H

#include <linux/jump_label.h>

#include "march/engine.h"
#include "march/fault_model.h"

#define EMULATION_MAX	32

/**
 * struct emulation_bit - a bit of memory
 * @address: physical, of its word of 8 bytes
 * @bit: 0 to 63
 */
struct emulation_bit {
	u64 address;
	unsigned int bit;
};

/**
 * struct emulation_spec - an emulated fault
 * @kind: what kind it is of
 * @variant: see fault_variants
 * @victim: the bit that suffers
 * @aggressor: the other one, of a fault that takes two; else all 0
 */
struct emulation_spec {
	enum fault_kind kind;
	unsigned int variant;
	struct emulation_bit victim;
	struct emulation_bit aggressor;
};

/**
 * emulation_parse() - parse an emulated fault
 * @text: "ADDRESS:BIT:KIND[/VARIANT][@ADDRESS:BIT]", BIT 0 to 7 of the byte at
 *	ADDRESS; KIND is sa0, sa1 or one of fault_kind_name[]
 * @spec: result
 *
 * Pure. Return: 0, -EINVAL (malformed, unknown, no aggressor where one is
 * needed or one where none is), -ERANGE (of a number).
 */
int emulation_parse(char *text, struct emulation_spec *spec);

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
