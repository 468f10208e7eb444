/* SPDX-License-Identifier: GPL-2.0-only */
/* Emulated faults as text. */
#ifndef MEMDIAG_RESULT_INJECT_PARSE_H
#define MEMDIAG_RESULT_INJECT_PARSE_H

#include "march/fault_model.h"

#define MEMDIAG_INJECT_ANY_CPU	(~0U)

/**
 * struct memdiag_inject_bit - a bit of memory
 * @address: physical, of its word of 8 bytes
 * @bit: 0 to 63
 */
struct memdiag_inject_bit {
	u64 address;
	unsigned int bit;
};

/**
 * struct memdiag_inject_spec - an emulated fault
 * @kind: what kind it is of
 * @variant: see memdiag_fault_variants
 * @victim: the bit that suffers
 * @aggressor: the other one, of a fault that takes two; else all 0
 * @cpu: it shows on that CPU only; MEMDIAG_INJECT_ANY_CPU: on all
 */
struct memdiag_inject_spec {
	enum memdiag_fault_kind kind;
	unsigned int variant;
	struct memdiag_inject_bit victim;
	struct memdiag_inject_bit aggressor;
	unsigned int cpu;
};

/**
 * memdiag_inject_parse() - parse an emulated fault
 * @text: "ADDRESS:BIT:KIND[/VARIANT][@ADDRESS:BIT][ cpu=CPU]", BIT 0 to 7 of the byte
 *	at ADDRESS; KIND is sa0, sa1 or one of memdiag_fault_kind_name[]
 * @spec: result
 *
 * Pure.
 *
 * Return: 0, -EINVAL (malformed, unknown, no aggressor where one is
 * needed or one where none is), -ERANGE (of a number).
 */
int memdiag_inject_parse(char *text, struct memdiag_inject_spec *spec);

#endif
