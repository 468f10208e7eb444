// SPDX-License-Identifier: GPL-2.0-only
/* The fault simulator. Pure logic: also built in user space. */

#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "simulator.h"

/**
 * struct fault - an instance of a fault
 * @kind: what kind it is of
 * @variant: which of its variants, as told at the kind below
 * @victim: the cell, or address, that suffers
 * @aggressor: the other one, of faults that take two
 */
struct fault {
	enum fault_kind kind;
	unsigned int variant;
	unsigned int victim;
	unsigned int aggressor;
};

/**
 * struct memory - a faulty memory of one-bit cells
 * @fault: what is wrong with it
 * @cells: a bit each
 * @sense: the sense amplifier: what was last read out
 * @last: the last operation: its cell, whether it was a write, what the cell
 *	held before and what was written
 */
struct memory {
	const struct fault *fault;
	u8 cells;
	bool sense;
	struct {
		int cell;
		bool write;
		bool old;
		bool value;
	} last;
};

static bool get(const struct memory *memory, unsigned int cell)
{
	return memory->cells >> cell & 1;
}

static void set(struct memory *memory, unsigned int cell, bool value)
{
	if (value)
		memory->cells |= BIT(cell);
	else
		memory->cells &= ~BIT(cell);
}

static void flip(struct memory *memory, unsigned int cell)
{
	memory->cells ^= BIT(cell);
}

/* The bits of a variant, the lowest first. */
static bool bit(const struct fault *fault, unsigned int nr)
{
	return fault->variant >> nr & 1;
}

/*
 * A write that reaches a cell. Of the victim's own faults: SAF: it holds the
 * value of bit 0 for ever. TF: it does not make the transition to bit 0. WDF:
 * writing bit 0 over bit 0 flips it. CFtr, CFwd: the same while the aggressor
 * holds bit 1.
 */
static void write_victim(struct memory *memory, bool value)
{
	const struct fault *fault = memory->fault;
	bool old = get(memory, fault->victim);
	bool armed = get(memory, fault->aggressor) == bit(fault, 1);

	switch (fault->kind) {
	case FAULT_SAF:
		return;
	case FAULT_CFTR:
		if (!armed)
			break;
		fallthrough;
	case FAULT_TF:
		if (old != value && value == bit(fault, 0))
			return;
		break;
	case FAULT_CFWD:
		if (!armed)
			break;
		fallthrough;
	case FAULT_WDF:
		if (old == value && value == bit(fault, 0))
			value = !value;
		break;
	case FAULT_SOF:
		return;
	default:
		break;
	}
	set(memory, fault->victim, value);
}

/*
 * What a write to the aggressor does to the victim. CFin: a transition to bit
 * 0 flips it. CFid: a transition to bit 0 makes it bit 1. CFds, variants 0 to
 * 3: writing bit 0 over bit 0 flips it if it holds bit 1.
 */
static void write_aggressor(struct memory *memory, bool old, bool value)
{
	const struct fault *fault = memory->fault;
	bool hit = value == bit(fault, 0);

	switch (fault->kind) {
	case FAULT_CFIN:
		if (hit && old != value)
			flip(memory, fault->victim);
		break;
	case FAULT_CFID:
		if (hit && old != value)
			set(memory, fault->victim, bit(fault, 1));
		break;
	case FAULT_CFDS:
		if (hit && old == value && !bit(fault, 2) &&
		    get(memory, fault->victim) == bit(fault, 1))
			flip(memory, fault->victim);
		break;
	default:
		break;
	}
}

/* CFst: while the aggressor holds bit 0, the victim holds bit 1. */
static void settle(struct memory *memory)
{
	const struct fault *fault = memory->fault;

	if (fault->kind == FAULT_SAF)
		set(memory, fault->victim, bit(fault, 0));
	if (fault->kind == FAULT_CFST &&
	    get(memory, fault->aggressor) == bit(fault, 0))
		set(memory, fault->victim, bit(fault, 1));
}

static void write_cell(struct memory *memory, unsigned int cell, bool value)
{
	bool old = get(memory, cell);

	if (cell == memory->fault->victim)
		write_victim(memory, value);
	else
		set(memory, cell, value);
	if (cell == memory->fault->aggressor)
		write_aggressor(memory, old, value);
	settle(memory);
	memory->last.cell = cell;
	memory->last.write = true;
	memory->last.old = old;
	memory->last.value = value;
}

/*
 * The two-operation faults are sensitised by a write of bit 0 over bit 1 and a
 * read of the same cell, with no operation between.
 */
static bool sensitised(const struct memory *memory, unsigned int cell)
{
	const struct fault *fault = memory->fault;

	return memory->last.cell == (int)cell && memory->last.write &&
	       memory->last.value == bit(fault, 0) &&
	       memory->last.old == bit(fault, 1);
}

/*
 * A read of the victim. RDF: of bit 0 flips it, and returns the flipped value.
 * DRDF: flips it, and returns what it was. IRF: returns the wrong value. CFrd,
 * CFdrd, CFir: the same while the aggressor holds bit 1. The dynamic ones: the
 * same when sensitised.
 */
static bool read_victim(struct memory *memory)
{
	const struct fault *fault = memory->fault;
	bool value = get(memory, fault->victim);
	bool hit = value == bit(fault, 0);
	bool armed = get(memory, fault->aggressor) == bit(fault, 1);
	bool sense = memory->sense;

	switch (fault->kind) {
	case FAULT_RDF:
		break;
	case FAULT_CFRD:
		hit = hit && armed;
		break;
	case FAULT_DYNAMIC_RDF:
		hit = sensitised(memory, fault->victim);
		break;
	case FAULT_CFDRD:
		hit = hit && armed;
		fallthrough;
	case FAULT_DRDF:
		if (hit)
			flip(memory, fault->victim);
		return value;
	case FAULT_DYNAMIC_DRDF:
		if (sensitised(memory, fault->victim))
			flip(memory, fault->victim);
		return value;
	case FAULT_CFIR:
		return value ^ (hit && armed);
	case FAULT_IRF:
		return value ^ hit;
	case FAULT_DYNAMIC_IRF:
		return value ^ sensitised(memory, fault->victim);
	case FAULT_SOF:
		return sense;
	default:
		return value;
	}
	if (hit)
		flip(memory, fault->victim);
	return get(memory, fault->victim);
}

/*
 * What a read of the aggressor does to the victim. CFds, variants 4 to 7:
 * reading bit 0 flips it if it holds bit 1. Dynamic CFds: a sensitising write and
 * read flip it if it holds bit 2.
 */
static void read_aggressor(struct memory *memory, bool value)
{
	const struct fault *fault = memory->fault;

	if (fault->kind == FAULT_CFDS && bit(fault, 2) &&
	    value == bit(fault, 0) &&
	    get(memory, fault->victim) == bit(fault, 1))
		flip(memory, fault->victim);
	if (fault->kind == FAULT_DYNAMIC_CFDS &&
	    sensitised(memory, fault->aggressor) &&
	    get(memory, fault->victim) == bit(fault, 2))
		flip(memory, fault->victim);
}

static bool read_cell(struct memory *memory, unsigned int cell)
{
	bool value = get(memory, cell);

	if (cell == memory->fault->victim)
		value = read_victim(memory);
	if (cell == memory->fault->aggressor)
		read_aggressor(memory, value);
	settle(memory);
	memory->last.cell = cell;
	memory->last.write = false;
	memory->sense = value;
	return value;
}

/*
 * AF: the address decoder sends the victim's address elsewhere. 0 and 1: to no
 * cell, and reads see that value; 2: to the aggressor's cell instead; 3 and 4:
 * to both cells, and reads see the OR or AND of them.
 */
static void write_address(struct memory *memory, unsigned int address,
			  bool value)
{
	const struct fault *fault = memory->fault;

	if (fault->kind != FAULT_AF || address != fault->victim) {
		write_cell(memory, address, value);
		return;
	}
	if (fault->variant >= 3)
		set(memory, fault->victim, value);
	if (fault->variant >= 2)
		set(memory, fault->aggressor, value);
}

static bool read_address(struct memory *memory, unsigned int address)
{
	const struct fault *fault = memory->fault;
	bool own, other;

	if (fault->kind != FAULT_AF || address != fault->victim)
		return read_cell(memory, address);
	own = get(memory, fault->victim);
	other = get(memory, fault->aggressor);
	switch (fault->variant) {
	case 0:
	case 1:
		return fault->variant;
	case 2:
		return other;
	case 3:
		return own || other;
	default:
		return own && other;
	}
}

/* DRF: the victim loses bit 0 if it is left alone. */
static void delay(struct memory *memory)
{
	const struct fault *fault = memory->fault;

	if (fault->kind == FAULT_DRF &&
	    get(memory, fault->victim) == bit(fault, 0))
		flip(memory, fault->victim);
	memory->last.cell = -1;
}

/* Whether a read fails. */
static bool run_pass(struct memory *memory, const struct march_op *ops,
		     unsigned int nr_ops, unsigned int address)
{
	unsigned int i;

	for (i = 0; i < nr_ops; i++) {
		if (ops[i].write)
			write_address(memory, address, ops[i].value);
		else if (read_address(memory, address) != ops[i].value)
			return true;
	}
	return false;
}

static bool run_strip(struct memory *memory,
		      const struct march_element *element, unsigned int first,
		      unsigned int nr, bool down, bool whole)
{
	unsigned int at, i, length;

	for (at = 0; at < element->nr_ops; at += length) {
		length = whole ? element->nr_ops : march_pass(element, at);
		for (i = 0; i < nr; i++)
			if (run_pass(memory, &element->ops[at], length,
				     first + (down ? nr - 1 - i : i)))
				return true;
	}
	return false;
}

static bool run_element(struct memory *memory,
			const struct march_element *element,
			const struct simulator_layout *layout,
			unsigned int first, bool either_down)
{
	bool down = element->order == MARCH_DOWN ||
		    (element->order == MARCH_EITHER && either_down);
	unsigned int strip = layout->strip, at;

	if (element->delay_ms) {
		delay(memory);
		return false;
	}
	for (at = 0; at < layout->page; at += strip)
		if (run_strip(memory, element, first +
			      (down ? layout->page - strip - at : at),
			      strip, down, strip == 1))
			return true;
	return false;
}

static bool run_test(struct memory *memory, const struct march_test *test,
		     const struct simulator_layout *layout, bool either_down)
{
	unsigned int first, i;

	for (first = 0; first < layout->cells; first += layout->page)
		for (i = 0; i < test->nr_elements; i++)
			if (run_element(memory, &test->elements[i], layout,
					first, either_down))
				return true;
	return false;
}

static bool found(const struct march_test *test,
		  const struct simulator_layout *layout,
		  const struct fault *fault)
{
	unsigned int start, states = 1U << (layout->cells + 1);

	/* The bit behind the cells is the sense amplifier. */
	for (start = 0; start < 2 * states; start++) {
		struct memory memory = {
			.fault = fault,
			.cells = start % (states / 2),
			.sense = start / (states / 2) & 1,
			.last.cell = -1,
		};

		settle(&memory);
		if (!run_test(&memory, test, layout, start >= states))
			return false;
	}
	return true;
}

/* How many variants there are for each victim, and for each pair of cells. */
static const struct {
	unsigned int of_victim;
	unsigned int of_pair;
} variants[FAULT_NR_KINDS] = {
	[FAULT_SAF] = { 2, 0 },		[FAULT_TF] = { 2, 0 },
	[FAULT_AF] = { 2, 3 },		[FAULT_SOF] = { 1, 0 },
	[FAULT_DRF] = { 2, 0 },		[FAULT_WDF] = { 2, 0 },
	[FAULT_RDF] = { 2, 0 },		[FAULT_DRDF] = { 2, 0 },
	[FAULT_IRF] = { 2, 0 },		[FAULT_CFIN] = { 0, 2 },
	[FAULT_CFID] = { 0, 4 },	[FAULT_CFST] = { 0, 4 },
	[FAULT_CFDS] = { 0, 8 },	[FAULT_CFTR] = { 0, 4 },
	[FAULT_CFWD] = { 0, 4 },	[FAULT_CFRD] = { 0, 4 },
	[FAULT_CFDRD] = { 0, 4 },	[FAULT_CFIR] = { 0, 4 },
	[FAULT_DYNAMIC_RDF] = { 4, 0 },	[FAULT_DYNAMIC_DRDF] = { 4, 0 },
	[FAULT_DYNAMIC_IRF] = { 4, 0 },	[FAULT_DYNAMIC_CFDS] = { 0, 8 },
};

unsigned int simulator_coverage(const struct march_test *test,
				const struct simulator_layout *layout,
				enum fault_kind kind)
{
	struct fault fault = { .kind = kind };
	unsigned int nr = 0, nr_found = 0, single = variants[kind].of_victim;
	unsigned int all = single + variants[kind].of_pair;

	for (fault.victim = 0; fault.victim < layout->cells; fault.victim++) {
		fault.aggressor = SIMULATOR_MAX_CELLS;	/* none */
		for (fault.variant = 0; fault.variant < single; fault.variant++) {
			nr++;
			nr_found += found(test, layout, &fault);
		}
		for (fault.aggressor = 0; fault.aggressor < layout->cells;
		     fault.aggressor++) {
			if (fault.aggressor == fault.victim)
				continue;
			for (fault.variant = single; fault.variant < all;
			     fault.variant++) {
				nr++;
				nr_found += found(test, layout, &fault);
			}
		}
	}
	return nr_found * 100 / nr;
}
