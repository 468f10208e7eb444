// SPDX-License-Identifier: GPL-2.0-only
/* The fault simulator. Pure logic: also built in user space. */

#include <linux/bits.h>
#include <linux/kernel.h>

#include "march/simulator.h"

/* Whether a read fails. */
static bool run_pass(struct cells *cells, const struct march_op *ops,
		     unsigned int nr_ops, unsigned int address)
{
	unsigned int i;

	for (i = 0; i < nr_ops; i++) {
		if (ops[i].write)
			cells_write(cells, address, ops[i].value);
		else if (cells_read(cells, address) != ops[i].value)
			return true;
	}
	return false;
}

static bool run_strip(struct cells *cells,
		      const struct march_element *element, unsigned int first,
		      unsigned int nr, bool down, bool whole)
{
	unsigned int at, i, length;

	for (at = 0; at < element->nr_ops; at += length) {
		length = whole ? element->nr_ops : march_pass(element, at);
		for (i = 0; i < nr; i++)
			if (run_pass(cells, &element->ops[at], length,
				     first + (down ? nr - 1 - i : i)))
				return true;
	}
	return false;
}

static bool run_element(struct cells *cells,
			const struct march_element *element,
			const struct simulator_layout *layout,
			unsigned int first, bool either_down)
{
	bool down = element->order == MARCH_DOWN ||
		    (element->order == MARCH_EITHER && either_down);
	unsigned int strip = layout->strip, at;

	if (element->delay_ms) {
		cells_delay(cells);
		return false;
	}
	for (at = 0; at < layout->page; at += strip)
		if (run_strip(cells, element, first +
			      (down ? layout->page - strip - at : at),
			      strip, down, strip == 1))
			return true;
	return false;
}

static bool run_test(struct cells *cells, const struct march_test *test,
		     const struct simulator_layout *layout, bool either_down)
{
	unsigned int first, i;

	for (first = 0; first < layout->cells; first += layout->page)
		for (i = 0; i < test->nr_elements; i++)
			if (run_element(cells, &test->elements[i], layout,
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
		struct cells cells = {
			.fault = fault,
			.held = start % (states / 2),
			.sense = start / (states / 2) & 1,
			.last.cell = -1,
		};

		cells_settle(&cells);
		if (!run_test(&cells, test, layout, start >= states))
			return false;
	}
	return true;
}

unsigned int simulator_coverage(const struct march_test *test,
				const struct simulator_layout *layout,
				enum fault_kind kind)
{
	struct fault fault = { .kind = kind };
	unsigned int nr = 0, nr_found = 0, single = fault_variants[kind].of_victim;
	unsigned int all = single + fault_variants[kind].of_pair;

	for (fault.victim = 0; fault.victim < layout->cells; fault.victim++) {
		fault.aggressor = FAULT_NO_CELL;
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
