/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fault simulator: which memory faults a march test finds, found out by
 * running it on a small memory with every instance of every kind of fault.
 */
#ifndef MEMDIAG_SIMULATOR_H
#define MEMDIAG_SIMULATOR_H

#include "march.h"

/*
 * The kinds of faults of the literature: van de Goor and Al-Ars, "Functional
 * memory faults: a formal notation and a taxonomy", VTS 2000. What each does
 * is told in simulator.c.
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

#define SIMULATOR_MAX_CELLS	8

/**
 * struct simulator_layout - how the test goes over the memory
 * @cells: size of the memory
 * @page: cells that the whole test is run on before the next ones
 * @strip: cells that one pass of an element (march_pass()) is done to before
 *	the next pass of it: 1 is a march test as the literature has it
 */
struct simulator_layout {
	unsigned int cells;
	unsigned int page;
	unsigned int strip;
};

/* What the literature's tables, and ours, are made with. */
#define SIMULATOR_LITERATURE	((struct simulator_layout){ 3, 3, 1 })

/**
 * simulator_coverage() - share of the instances of a fault that a test finds
 * @test: the test
 * @layout: how it goes over the memory
 * @kind: the fault
 *
 * An instance is found if it makes a read fail, whatever the memory held
 * before and in whichever direction the elements go that may go either way.
 *
 * Pure. Return: percent, rounded down: 100 is all, and only all, instances.
 */
unsigned int simulator_coverage(const struct march_test *test,
				const struct simulator_layout *layout,
				enum fault_kind kind);

#endif
