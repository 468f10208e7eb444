// SPDX-License-Identifier: GPL-2.0-only
/* How a faulty memory behaves. Pure logic: also built in user space. */

#include <linux/bits.h>
#include <linux/kernel.h>

#include "march/fault_model.h"

static bool get(const struct cells *cells, unsigned int cell)
{
	return cells->held >> cell & 1;
}

static void set(struct cells *cells, unsigned int cell, bool value)
{
	if (value)
		cells->held |= BIT(cell);
	else
		cells->held &= ~BIT(cell);
}

static void flip(struct cells *cells, unsigned int cell)
{
	cells->held ^= BIT(cell);
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
static void write_victim(struct cells *cells, bool value)
{
	const struct fault *fault = cells->fault;
	bool old = get(cells, fault->victim);
	bool armed = get(cells, fault->aggressor) == bit(fault, 1);

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
	set(cells, fault->victim, value);
}

/*
 * What a write to the aggressor does to the victim. CFin: a transition to bit
 * 0 flips it. CFid: a transition to bit 0 makes it bit 1. CFds, variants 0 to
 * 3: writing bit 0 over bit 0 flips it if it holds bit 1.
 */
static void write_aggressor(struct cells *cells, bool old, bool value)
{
	const struct fault *fault = cells->fault;
	bool hit = value == bit(fault, 0);

	switch (fault->kind) {
	case FAULT_CFIN:
		if (hit && old != value)
			flip(cells, fault->victim);
		break;
	case FAULT_CFID:
		if (hit && old != value)
			set(cells, fault->victim, bit(fault, 1));
		break;
	case FAULT_CFDS:
		if (hit && old == value && !bit(fault, 2) &&
		    get(cells, fault->victim) == bit(fault, 1))
			flip(cells, fault->victim);
		break;
	default:
		break;
	}
}

/* CFst: while the aggressor holds bit 0, the victim holds bit 1. */
void cells_settle(struct cells *cells)
{
	const struct fault *fault = cells->fault;

	if (fault->kind == FAULT_SAF)
		set(cells, fault->victim, bit(fault, 0));
	if (fault->kind == FAULT_CFST &&
	    get(cells, fault->aggressor) == bit(fault, 0))
		set(cells, fault->victim, bit(fault, 1));
}

static void write_cell(struct cells *cells, unsigned int cell, bool value)
{
	bool old = get(cells, cell);

	if (cell == cells->fault->victim)
		write_victim(cells, value);
	else
		set(cells, cell, value);
	if (cell == cells->fault->aggressor)
		write_aggressor(cells, old, value);
	cells_settle(cells);
	cells->last.cell = cell;
	cells->last.write = true;
	cells->last.old = old;
	cells->last.value = value;
}

/*
 * The two-operation faults are sensitised by a write of bit 0 over bit 1 and a
 * read of the same cell, with no operation between.
 */
static bool sensitised(const struct cells *cells, unsigned int cell)
{
	const struct fault *fault = cells->fault;

	return cells->last.cell == (int)cell && cells->last.write &&
	       cells->last.value == bit(fault, 0) &&
	       cells->last.old == bit(fault, 1);
}

/*
 * A read of the victim. RDF: of bit 0 flips it, and returns the flipped value.
 * DRDF: flips it, and returns what it was. IRF: returns the wrong value. CFrd,
 * CFdrd, CFir: the same while the aggressor holds bit 1. The dynamic ones: the
 * same when sensitised.
 */
static bool read_victim(struct cells *cells)
{
	const struct fault *fault = cells->fault;
	bool value = get(cells, fault->victim);
	bool hit = value == bit(fault, 0);
	bool armed = get(cells, fault->aggressor) == bit(fault, 1);
	bool sense = cells->sense;

	switch (fault->kind) {
	case FAULT_RDF:
		break;
	case FAULT_CFRD:
		hit = hit && armed;
		break;
	case FAULT_DYNAMIC_RDF:
		hit = sensitised(cells, fault->victim);
		break;
	case FAULT_CFDRD:
		hit = hit && armed;
		fallthrough;
	case FAULT_DRDF:
		if (hit)
			flip(cells, fault->victim);
		return value;
	case FAULT_DYNAMIC_DRDF:
		if (sensitised(cells, fault->victim))
			flip(cells, fault->victim);
		return value;
	case FAULT_CFIR:
		return value ^ (hit && armed);
	case FAULT_IRF:
		return value ^ hit;
	case FAULT_DYNAMIC_IRF:
		return value ^ sensitised(cells, fault->victim);
	case FAULT_SOF:
		return sense;
	default:
		return value;
	}
	if (hit)
		flip(cells, fault->victim);
	return get(cells, fault->victim);
}

/*
 * What a read of the aggressor does to the victim. CFds, variants 4 to 7:
 * reading bit 0 flips it if it holds bit 1. Dynamic CFds: a sensitising write and
 * read flip it if it holds bit 2.
 */
static void read_aggressor(struct cells *cells, bool value)
{
	const struct fault *fault = cells->fault;

	if (fault->kind == FAULT_CFDS && bit(fault, 2) &&
	    value == bit(fault, 0) &&
	    get(cells, fault->victim) == bit(fault, 1))
		flip(cells, fault->victim);
	if (fault->kind == FAULT_DYNAMIC_CFDS &&
	    sensitised(cells, fault->aggressor) &&
	    get(cells, fault->victim) == bit(fault, 2))
		flip(cells, fault->victim);
}

static bool read_cell(struct cells *cells, unsigned int cell)
{
	bool value = get(cells, cell);

	if (cell == cells->fault->victim)
		value = read_victim(cells);
	if (cell == cells->fault->aggressor)
		read_aggressor(cells, value);
	cells_settle(cells);
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
void cells_write(struct cells *cells, unsigned int address, bool value)
{
	const struct fault *fault = cells->fault;

	if (fault->kind != FAULT_AF || address != fault->victim) {
		write_cell(cells, address, value);
		return;
	}
	if (fault->variant >= 3)
		set(cells, fault->victim, value);
	if (fault->variant >= 2)
		set(cells, fault->aggressor, value);
}

bool cells_read(struct cells *cells, unsigned int address)
{
	const struct fault *fault = cells->fault;
	bool own, other;

	if (fault->kind != FAULT_AF || address != fault->victim)
		return read_cell(cells, address);
	own = get(cells, fault->victim);
	other = get(cells, fault->aggressor);
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
void cells_delay(struct cells *cells)
{
	const struct fault *fault = cells->fault;

	if (fault->kind == FAULT_DRF &&
	    get(cells, fault->victim) == bit(fault, 0))
		flip(cells, fault->victim);
	cells->last.cell = -1;
}

/* How many variants there are for each victim, and for each pair of cells. */
const struct fault_variants fault_variants[FAULT_NR_KINDS] = {
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

const char * const fault_kind_name[FAULT_NR_KINDS] = {
	[FAULT_SAF] = "saf",
	[FAULT_TF] = "tf",
	[FAULT_AF] = "af",
	[FAULT_SOF] = "sof",
	[FAULT_DRF] = "drf",
	[FAULT_WDF] = "wdf",
	[FAULT_RDF] = "rdf",
	[FAULT_DRDF] = "drdf",
	[FAULT_IRF] = "irf",
	[FAULT_CFIN] = "cfin",
	[FAULT_CFID] = "cfid",
	[FAULT_CFST] = "cfst",
	[FAULT_CFDS] = "cfds",
	[FAULT_CFTR] = "cftr",
	[FAULT_CFWD] = "cfwd",
	[FAULT_CFRD] = "cfrd",
	[FAULT_CFDRD] = "cfdrd",
	[FAULT_CFIR] = "cfir",
	[FAULT_DYNAMIC_RDF] = "dynamic_rdf",
	[FAULT_DYNAMIC_DRDF] = "dynamic_drdf",
	[FAULT_DYNAMIC_IRF] = "dynamic_irf",
	[FAULT_DYNAMIC_CFDS] = "dynamic_cfds",
};
