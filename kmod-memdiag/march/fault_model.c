// SPDX-License-Identifier: GPL-2.0-only
/* How a faulty memory behaves. Pure logic: also built in user space. */

#include <linux/bits.h>
#include <linux/kernel.h>

#include "march/fault_model.h"

static bool cell_get(const struct memdiag_cells *cells, unsigned int cell)
{
	return cells->held >> cell & 1;
}

static void cell_set(struct memdiag_cells *cells, unsigned int cell, bool value)
{
	if (value)
		cells->held |= BIT(cell);
	else
		cells->held &= ~BIT(cell);
}

static void cell_flip(struct memdiag_cells *cells, unsigned int cell)
{
	cells->held ^= BIT(cell);
}

/* The bits of a variant, the lowest first. */
static bool variant_bit(const struct memdiag_fault *fault, unsigned int nr)
{
	return fault->variant >> nr & 1;
}

/*
 * A write that reaches a cell. Of the victim's own faults: SAF: it holds the
 * value of bit 0 for ever. TF: it does not make the transition to bit 0. WDF:
 * writing bit 0 over bit 0 flips it. CFtr, CFwd: the same while the aggressor
 * holds bit 1.
 */
static void write_victim(struct memdiag_cells *cells, bool value)
{
	const struct memdiag_fault *fault = cells->fault;
	bool old = cell_get(cells, fault->victim);
	bool armed = cell_get(cells, fault->aggressor) == variant_bit(fault, 1);

	switch (fault->kind) {
	case MEMDIAG_FAULT_SAF:
		return;
	case MEMDIAG_FAULT_CFTR:
		if (!armed)
			break;
		fallthrough;
	case MEMDIAG_FAULT_TF:
		if (old != value && value == variant_bit(fault, 0))
			return;
		break;
	case MEMDIAG_FAULT_CFWD:
		if (!armed)
			break;
		fallthrough;
	case MEMDIAG_FAULT_WDF:
		if (old == value && value == variant_bit(fault, 0))
			value = !value;
		break;
	case MEMDIAG_FAULT_SOF:
		return;
	default:
		break;
	}
	cell_set(cells, fault->victim, value);
}

/*
 * What a write to the aggressor does to the victim. CFin: a transition to bit
 * 0 flips it. CFid: a transition to bit 0 makes it bit 1. CFds, variants 0 to
 * 3: writing bit 0 over bit 0 flips it if it holds bit 1.
 */
static void write_aggressor(struct memdiag_cells *cells, bool old, bool value)
{
	const struct memdiag_fault *fault = cells->fault;
	bool hit = value == variant_bit(fault, 0);

	switch (fault->kind) {
	case MEMDIAG_FAULT_CFIN:
		if (hit && old != value)
			cell_flip(cells, fault->victim);
		break;
	case MEMDIAG_FAULT_CFID:
		if (hit && old != value)
			cell_set(cells, fault->victim, variant_bit(fault, 1));
		break;
	case MEMDIAG_FAULT_CFDS:
		if (hit && old == value && !variant_bit(fault, 2) &&
		    cell_get(cells, fault->victim) == variant_bit(fault, 1))
			cell_flip(cells, fault->victim);
		break;
	default:
		break;
	}
}

/* CFst: while the aggressor holds bit 0, the victim holds bit 1. */
void memdiag_cells_settle(struct memdiag_cells *cells)
{
	const struct memdiag_fault *fault = cells->fault;

	if (fault->kind == MEMDIAG_FAULT_SAF)
		cell_set(cells, fault->victim, variant_bit(fault, 0));
	if (fault->kind == MEMDIAG_FAULT_CFST &&
	    cell_get(cells, fault->aggressor) == variant_bit(fault, 0))
		cell_set(cells, fault->victim, variant_bit(fault, 1));
}

static void write_cell(struct memdiag_cells *cells, unsigned int cell, bool value)
{
	bool old = cell_get(cells, cell);

	if (cell == cells->fault->victim)
		write_victim(cells, value);
	else
		cell_set(cells, cell, value);
	if (cell == cells->fault->aggressor)
		write_aggressor(cells, old, value);
	memdiag_cells_settle(cells);
	cells->last.cell = cell;
	cells->last.write = true;
	cells->last.old = old;
	cells->last.value = value;
}

/*
 * The two-operation faults are sensitised by a write of bit 0 over bit 1 and a
 * read of the same cell, with no operation between.
 */
static bool cell_sensitised(const struct memdiag_cells *cells, unsigned int cell)
{
	const struct memdiag_fault *fault = cells->fault;

	return cells->last.cell == (int)cell && cells->last.write &&
	       cells->last.value == variant_bit(fault, 0) &&
	       cells->last.old == variant_bit(fault, 1);
}

/*
 * A read of the victim. RDF: of bit 0 flips it, and returns the flipped value.
 * DRDF: flips it, and returns what it was. IRF: returns the wrong value. CFrd,
 * CFdrd, CFir: the same while the aggressor holds bit 1. The dynamic ones: the
 * same when sensitised.
 */
static bool read_victim(struct memdiag_cells *cells)
{
	const struct memdiag_fault *fault = cells->fault;
	bool value = cell_get(cells, fault->victim);
	bool hit = value == variant_bit(fault, 0);
	bool armed = cell_get(cells, fault->aggressor) == variant_bit(fault, 1);
	bool sense = cells->sense;

	switch (fault->kind) {
	case MEMDIAG_FAULT_RDF:
		break;
	case MEMDIAG_FAULT_CFRD:
		hit = hit && armed;
		break;
	case MEMDIAG_FAULT_DYNAMIC_RDF:
		hit = cell_sensitised(cells, fault->victim);
		break;
	case MEMDIAG_FAULT_CFDRD:
		hit = hit && armed;
		fallthrough;
	case MEMDIAG_FAULT_DRDF:
		if (hit)
			cell_flip(cells, fault->victim);
		return value;
	case MEMDIAG_FAULT_DYNAMIC_DRDF:
		if (cell_sensitised(cells, fault->victim))
			cell_flip(cells, fault->victim);
		return value;
	case MEMDIAG_FAULT_CFIR:
		return value ^ (hit && armed);
	case MEMDIAG_FAULT_IRF:
		return value ^ hit;
	case MEMDIAG_FAULT_DYNAMIC_IRF:
		return value ^ cell_sensitised(cells, fault->victim);
	case MEMDIAG_FAULT_SOF:
		return sense;
	default:
		return value;
	}
	if (hit)
		cell_flip(cells, fault->victim);
	return cell_get(cells, fault->victim);
}

/*
 * What a read of the aggressor does to the victim. CFds, variants 4 to 7:
 * reading bit 0 flips it if it holds bit 1. Dynamic CFds: a sensitising write and
 * read flip it if it holds bit 2.
 */
static void read_aggressor(struct memdiag_cells *cells, bool value)
{
	const struct memdiag_fault *fault = cells->fault;

	if (fault->kind == MEMDIAG_FAULT_CFDS && variant_bit(fault, 2) &&
	    value == variant_bit(fault, 0) &&
	    cell_get(cells, fault->victim) == variant_bit(fault, 1))
		cell_flip(cells, fault->victim);
	if (fault->kind == MEMDIAG_FAULT_DYNAMIC_CFDS &&
	    cell_sensitised(cells, fault->aggressor) &&
	    cell_get(cells, fault->victim) == variant_bit(fault, 2))
		cell_flip(cells, fault->victim);
}

static bool read_cell(struct memdiag_cells *cells, unsigned int cell)
{
	bool value = cell_get(cells, cell);

	if (cell == cells->fault->victim)
		value = read_victim(cells);
	if (cell == cells->fault->aggressor)
		read_aggressor(cells, value);
	memdiag_cells_settle(cells);
	cells->last.cell = cell;
	cells->last.write = false;
	cells->sense = value;
	return value;
}

/*
 * AF: the address decoder sends the victim's address elsewhere. 0 and 1: to no
 * cell, and reads see that value; 2: to the aggressor's cell instead; 3 and 4:
 * to both cells, and reads see the OR or AND of them.
 */
void memdiag_cells_write(struct memdiag_cells *cells, unsigned int address, bool value)
{
	const struct memdiag_fault *fault = cells->fault;

	if (fault->kind != MEMDIAG_FAULT_AF || address != fault->victim) {
		write_cell(cells, address, value);
		return;
	}
	if (fault->variant >= 3)
		cell_set(cells, fault->victim, value);
	if (fault->variant >= 2)
		cell_set(cells, fault->aggressor, value);
}

bool memdiag_cells_read(struct memdiag_cells *cells, unsigned int address)
{
	const struct memdiag_fault *fault = cells->fault;
	bool own, other;

	if (fault->kind != MEMDIAG_FAULT_AF || address != fault->victim)
		return read_cell(cells, address);
	own = cell_get(cells, fault->victim);
	other = cell_get(cells, fault->aggressor);
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
void memdiag_cells_delay(struct memdiag_cells *cells)
{
	const struct memdiag_fault *fault = cells->fault;

	if (fault->kind == MEMDIAG_FAULT_DRF &&
	    cell_get(cells, fault->victim) == variant_bit(fault, 0))
		cell_flip(cells, fault->victim);
	cells->last.cell = -1;
}

/* How many variants there are for each victim, and for each pair of cells. */
const struct memdiag_fault_variants memdiag_fault_variants[MEMDIAG_FAULT_NR_KINDS] = {
	[MEMDIAG_FAULT_SAF] = { 2, 0 },		[MEMDIAG_FAULT_TF] = { 2, 0 },
	[MEMDIAG_FAULT_AF] = { 2, 3 },		[MEMDIAG_FAULT_SOF] = { 1, 0 },
	[MEMDIAG_FAULT_DRF] = { 2, 0 },		[MEMDIAG_FAULT_WDF] = { 2, 0 },
	[MEMDIAG_FAULT_RDF] = { 2, 0 },		[MEMDIAG_FAULT_DRDF] = { 2, 0 },
	[MEMDIAG_FAULT_IRF] = { 2, 0 },		[MEMDIAG_FAULT_CFIN] = { 0, 2 },
	[MEMDIAG_FAULT_CFID] = { 0, 4 },	[MEMDIAG_FAULT_CFST] = { 0, 4 },
	[MEMDIAG_FAULT_CFDS] = { 0, 8 },	[MEMDIAG_FAULT_CFTR] = { 0, 4 },
	[MEMDIAG_FAULT_CFWD] = { 0, 4 },	[MEMDIAG_FAULT_CFRD] = { 0, 4 },
	[MEMDIAG_FAULT_CFDRD] = { 0, 4 },	[MEMDIAG_FAULT_CFIR] = { 0, 4 },
	[MEMDIAG_FAULT_DYNAMIC_RDF] = { 4, 0 },	[MEMDIAG_FAULT_DYNAMIC_DRDF] = { 4, 0 },
	[MEMDIAG_FAULT_DYNAMIC_IRF] = { 4, 0 },	[MEMDIAG_FAULT_DYNAMIC_CFDS] = { 0, 8 },
};

const char * const memdiag_fault_kind_name[MEMDIAG_FAULT_NR_KINDS] = {
	[MEMDIAG_FAULT_SAF] = "saf",
	[MEMDIAG_FAULT_TF] = "tf",
	[MEMDIAG_FAULT_AF] = "af",
	[MEMDIAG_FAULT_SOF] = "sof",
	[MEMDIAG_FAULT_DRF] = "drf",
	[MEMDIAG_FAULT_WDF] = "wdf",
	[MEMDIAG_FAULT_RDF] = "rdf",
	[MEMDIAG_FAULT_DRDF] = "drdf",
	[MEMDIAG_FAULT_IRF] = "irf",
	[MEMDIAG_FAULT_CFIN] = "cfin",
	[MEMDIAG_FAULT_CFID] = "cfid",
	[MEMDIAG_FAULT_CFST] = "cfst",
	[MEMDIAG_FAULT_CFDS] = "cfds",
	[MEMDIAG_FAULT_CFTR] = "cftr",
	[MEMDIAG_FAULT_CFWD] = "cfwd",
	[MEMDIAG_FAULT_CFRD] = "cfrd",
	[MEMDIAG_FAULT_CFDRD] = "cfdrd",
	[MEMDIAG_FAULT_CFIR] = "cfir",
	[MEMDIAG_FAULT_DYNAMIC_RDF] = "dynamic_rdf",
	[MEMDIAG_FAULT_DYNAMIC_DRDF] = "dynamic_drdf",
	[MEMDIAG_FAULT_DYNAMIC_IRF] = "dynamic_irf",
	[MEMDIAG_FAULT_DYNAMIC_CFDS] = "dynamic_cfds",
};
