/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory faults, and how a memory with one behaves. */
#ifndef MEMDIAG_MARCH_FAULT_MODEL_H
#define MEMDIAG_MARCH_FAULT_MODEL_H

#include <linux/types.h>

/*
 * The kinds of faults of the literature: van de Goor and Al-Ars, "Functional
 * memory faults: a formal notation and a taxonomy", VTS 2000. What each does
 * is told in fault_model.c.
 */
enum memdiag_fault_kind {
	MEMDIAG_FAULT_SAF,	/* stuck at */
	MEMDIAG_FAULT_TF,	/* transition */
	MEMDIAG_FAULT_AF,	/* address decoder */
	MEMDIAG_FAULT_SOF,	/* stuck open */
	MEMDIAG_FAULT_DRF,	/* data retention */
	MEMDIAG_FAULT_WDF,	/* write disturb */
	MEMDIAG_FAULT_RDF,	/* read destructive */
	MEMDIAG_FAULT_DRDF,	/* deceptive read destructive */
	MEMDIAG_FAULT_IRF,	/* incorrect read */
	MEMDIAG_FAULT_CFIN,	/* inversion coupling */
	MEMDIAG_FAULT_CFID,	/* idempotent coupling */
	MEMDIAG_FAULT_CFST,	/* state coupling */
	MEMDIAG_FAULT_CFDS,	/* disturb coupling */
	MEMDIAG_FAULT_CFTR,	/* transition coupling */
	MEMDIAG_FAULT_CFWD,	/* write disturb coupling */
	MEMDIAG_FAULT_CFRD,	/* read destructive coupling */
	MEMDIAG_FAULT_CFDRD,	/* deceptive read destructive coupling */
	MEMDIAG_FAULT_CFIR,	/* incorrect read coupling */
	MEMDIAG_FAULT_DYNAMIC_RDF,	/* the same, sensitised by two operations */
	MEMDIAG_FAULT_DYNAMIC_DRDF,
	MEMDIAG_FAULT_DYNAMIC_IRF,
	MEMDIAG_FAULT_DYNAMIC_CFDS,
	MEMDIAG_FAULT_NR_KINDS,
};

/**
 * struct memdiag_fault - an instance of a fault
 * @kind: what kind it is of
 * @variant: which of its variants, as told at the kind below
 * @victim: the cell, or address, that suffers
 * @aggressor: the other one, of faults that take two
 */
struct memdiag_fault {
	enum memdiag_fault_kind kind;
	unsigned int variant;
	unsigned int victim;
	unsigned int aggressor;
};

/**
 * struct memdiag_cells - a faulty memory of one-bit cells
 * @fault: what is wrong with it
 * @held: what they hold, a bit each
 * @sense: the sense amplifier: what was last read out
 * @last: the last operation: its cell, whether it was a write, what the cell
 *	held before and what was written
 */
struct memdiag_cells {
	const struct memdiag_fault *fault;
	u8 held;
	bool sense;
	struct {
		int cell;
		bool write;
		bool old;
		bool value;
	} last;
};

/* No cell: the aggressor of a fault that has none. */
#define MEMDIAG_FAULT_NO_CELL	8

/* Operations on a cell, by the address that the test uses. */
void memdiag_cells_write(struct memdiag_cells *cells, unsigned int address, bool value);
bool memdiag_cells_read(struct memdiag_cells *cells, unsigned int address);
/* Nothing happens for long enough that a cell may lose what it holds. */
void memdiag_cells_delay(struct memdiag_cells *cells);
/* What the fault makes of the cells before the first operation. */
void memdiag_cells_settle(struct memdiag_cells *cells);

/**
 * struct memdiag_fault_variants - how many variants a kind of fault has
 * @of_victim: for each victim, numbered from 0
 * @of_pair: for each victim and aggressor, numbered on from there
 */
struct memdiag_fault_variants {
	unsigned int of_victim;
	unsigned int of_pair;
};

extern const struct memdiag_fault_variants memdiag_fault_variants[MEMDIAG_FAULT_NR_KINDS];

/* "saf", "tf", ... */
extern const char * const memdiag_fault_kind_name[MEMDIAG_FAULT_NR_KINDS];

#endif
