/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fault simulator: which memory faults a march test finds, found out by
 * running it on a small memory with every instance of every kind of fault.
 */
#ifndef MEMDIAG_MARCH_SIMULATOR_H
#define MEMDIAG_MARCH_SIMULATOR_H

#include "march/fault_model.h"
#include "march/notation.h"

#define SIMULATOR_MAX_CELLS	FAULT_NO_CELL

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
