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
enum fault_kind {
	FAULT_SAF,	/* stuck at */
	FAULT_TF,	/* transition */
	FAULT_AF,	/* address decoder */
	FAULT_SOF,	/* stuck open */
	FAULT_DRF,	/* data retention */
	FAULT_WDF,	/* write disturb */
	FAULT_RDF,	/* read destructive */
	FAULT_DRDF,	/* deceptive read destructive */
	FAULT_IRF,	/* incorrect read */
	FAULT_CFIN,	/* inversion coupling */
	FAULT_CFID,	/* idempotent coupling */
	FAULT_CFST,	/* state coupling */
	FAULT_CFDS,	/* disturb coupling */
	FAULT_CFTR,	/* transition coupling */
	FAULT_CFWD,	/* write disturb coupling */
	FAULT_CFRD,	/* read destructive coupling */
	FAULT_CFDRD,	/* deceptive read destructive coupling */
	FAULT_CFIR,	/* incorrect read coupling */
	FAULT_DYNAMIC_RDF,	/* the same, sensitised by two operations */
	FAULT_DYNAMIC_DRDF,
	FAULT_DYNAMIC_IRF,
	FAULT_DYNAMIC_CFDS,
	FAULT_NR_KINDS,
};

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
 * struct cells - a faulty memory of one-bit cells
 * @fault: what is wrong with it
 * @held: what they hold, a bit each
 * @sense: the sense amplifier: what was last read out
 * @last: the last operation: its cell, whether it was a write, what the cell
 *	held before and what was written
 */
struct cells {
	const struct fault *fault;
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
#define FAULT_NO_CELL	8

/* Operations on a cell, by the address that the tester uses. */
void cells_write(struct cells *cells, unsigned int address, bool value);
bool cells_read(struct cells *cells, unsigned int address);
/* Nothing happens for long enough that a cell may lose what it holds. */
void cells_delay(struct cells *cells);
/* What the fault makes of the cells before the first operation. */
void cells_settle(struct cells *cells);

/**
 * struct fault_variants - how many variants a kind of fault has
 * @of_victim: for each victim, numbered from 0
 * @of_pair: for each victim and aggressor, numbered on from there
 */
struct fault_variants {
	unsigned int of_victim;
	unsigned int of_pair;
};

extern const struct fault_variants fault_variants[FAULT_NR_KINDS];

/* "saf", "tf", ... */
extern const char * const fault_kind_name[FAULT_NR_KINDS];

#endif
