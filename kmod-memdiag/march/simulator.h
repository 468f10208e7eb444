/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fault simulator: which memory faults a march test finds, found out by
 * running it on a small memory with every instance of every kind of fault.
 */
#ifndef MEMDIAG_MARCH_SIMULATOR_H
#define MEMDIAG_MARCH_SIMULATOR_H

#include "march/fault_model.h"
#include "march/notation.h"

#define MEMDIAG_SIMULATOR_MAX_CELLS	MEMDIAG_FAULT_NO_CELL

/**
 * struct memdiag_simulator_layout - how the test goes over the memory
 * @cells: size of the memory
 * @page: cells that the whole test is run on before the next ones
 * @strip: cells that one pass of an element (memdiag_march_pass()) is done to before
 *	the next pass of it: 1 is a march test as the literature has it
 */
struct memdiag_simulator_layout {
	unsigned int cells;
	unsigned int page;
	unsigned int strip;
};

/* What the literature's tables, and ours, are made with. */
#define MEMDIAG_SIMULATOR_LITERATURE	((struct memdiag_simulator_layout){ 3, 3, 1 })

/**
 * memdiag_simulator_coverage() - share of the instances of a fault that a test finds
 * @test: the test
 * @layout: how it goes over the memory
 * @kind: the fault
 *
 * An instance is found if it makes a read fail, whatever the memory held
 * before and in whichever direction the elements go that may go either way.
 *
 * Pure.
 *
 * Return: percent, rounded down: 100 is all, and only all, instances.
 */
unsigned int memdiag_simulator_coverage(const struct memdiag_march_test *test,
					const struct memdiag_simulator_layout *layout,
					enum memdiag_fault_kind kind);

#endif
