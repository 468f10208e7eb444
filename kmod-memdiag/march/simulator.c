// SPDX-License-Identifier: GPL-2.0-only
/* The fault simulator. Pure logic: also built in user space. */

#include <linux/bits.h>
#include <linux/kernel.h>

#include "march/simulator.h"

/* Whether a read fails. */
static bool simulate_pass(struct memdiag_cells *cells, const struct memdiag_march_op *ops,
			  unsigned int nr_ops, unsigned int address)
{
	unsigned int i;

	for (i = 0; i < nr_ops; i++) {
		if (ops[i].write)
			memdiag_cells_write(cells, address, ops[i].value);
		else if (memdiag_cells_read(cells, address) != ops[i].value)
			return true;
	}
	return false;
}

static bool simulate_strip(struct memdiag_cells *cells,
			   const struct memdiag_march_element *element, unsigned int first,
			   unsigned int nr, bool down, bool whole)
{
	unsigned int at, i, length;

	for (at = 0; at < element->nr_ops; at += length) {
		length = whole ? element->nr_ops : memdiag_march_pass(element, at);
		for (i = 0; i < nr; i++)
			if (simulate_pass(cells, &element->ops[at], length,
					  first + (down ? nr - 1 - i : i)))
				return true;
	}
	return false;
}

static bool simulate_element(struct memdiag_cells *cells,
			     const struct memdiag_march_element *element,
			     const struct memdiag_simulator_layout *layout,
			     unsigned int first, bool either_down)
{
	bool down = element->order == MEMDIAG_MARCH_DOWN ||
		    (element->order == MEMDIAG_MARCH_EITHER && either_down);
	unsigned int strip = layout->strip, at;

	if (element->delay_ms) {
		memdiag_cells_delay(cells);
		return false;
	}
	for (at = 0; at < layout->page; at += strip)
		if (simulate_strip(cells, element, first +
				   (down ? layout->page - strip - at : at),
				   strip, down, strip == 1))
			return true;
	return false;
}

static bool simulate_test(struct memdiag_cells *cells, const struct memdiag_march_test *test,
			  const struct memdiag_simulator_layout *layout, bool either_down)
{
	unsigned int first, i;

	for (first = 0; first < layout->cells; first += layout->page)
		for (i = 0; i < test->nr_elements; i++)
			if (simulate_element(cells, &test->elements[i], layout,
					     first, either_down))
				return true;
	return false;
}

static bool fault_is_found(const struct memdiag_march_test *test,
			   const struct memdiag_simulator_layout *layout,
			   const struct memdiag_fault *fault)
{
	unsigned int start, states = 1U << (layout->cells + 1);

	/* The bit behind the cells is the sense amplifier. */
	for (start = 0; start < 2 * states; start++) {
		struct memdiag_cells cells = {
			.fault = fault,
			.held = start % (states / 2),
			.sense = start / (states / 2) & 1,
			.last.cell = -1,
		};

		memdiag_cells_settle(&cells);
		if (!simulate_test(&cells, test, layout, start >= states))
			return false;
	}
	return true;
}

unsigned int memdiag_simulator_coverage(const struct memdiag_march_test *test,
					const struct memdiag_simulator_layout *layout,
					enum memdiag_fault_kind kind)
{
	struct memdiag_fault fault = { .kind = kind };
	unsigned int nr = 0, nr_found = 0, single = memdiag_fault_variants[kind].of_victim;
	unsigned int all = single + memdiag_fault_variants[kind].of_pair;

	for (fault.victim = 0; fault.victim < layout->cells; fault.victim++) {
		fault.aggressor = MEMDIAG_FAULT_NO_CELL;
		for (fault.variant = 0; fault.variant < single; fault.variant++) {
			nr++;
			nr_found += fault_is_found(test, layout, &fault);
		}
		for (fault.aggressor = 0; fault.aggressor < layout->cells;
		     fault.aggressor++) {
			if (fault.aggressor == fault.victim)
				continue;
			for (fault.variant = single; fault.variant < all;
			     fault.variant++) {
				nr++;
				nr_found += fault_is_found(test, layout, &fault);
			}
		}
	}
	return nr_found * 100 / nr;
}
