// SPDX-License-Identifier: GPL-2.0-only
/* Tests that are no march tests, but consist of the same passes. */

#include <linux/kernel.h>
#include <linux/log2.h>

#include "march/nonmarch.h"
#include "march/element_run.h"

#define MODULO		20
#define REST_WRITES	2

/*
 * The address decoder, bit by bit: the background of lines whose address has
 * the bit set is inverted. If the two addresses of any pair that differ in
 * this bit alone reach the same cell, whichever is written last has the other
 * read wrong. It is what finds a mistake in the wires and in the hashes that
 * spread addresses over channels and banks.
 */
void memdiag_decoder_run(struct memdiag_test_run *run)
{
	/* {u(w0);u(r0,w1);d(r1)} */
	static const struct memdiag_march_test test = {
		.nr_elements = 3,
		.elements = {
			{ MEMDIAG_MARCH_UP, 0, 1, { { true, 0 } } },
			{ MEMDIAG_MARCH_UP, 0, 2, { { false, 0 }, { true, 1 } } },
			{ MEMDIAG_MARCH_DOWN, 0, 1, { { false, 1 } } },
		},
	};
	unsigned int bit;

	for (bit = 0; bit < ilog2(run->block->nr_lines); bit++) {
		run->background.bit = bit;
		memdiag_march_run(run, 1, &test, NULL);
	}
}

/* Every twentieth line from @from on. */
static void pass_every_line(struct memdiag_test_run *run, size_t from, int read, int write)
{
	size_t lines = run->block->nr_lines;
	struct memdiag_pass pass = {
		.from = from,
		.nr = from < lines ? (lines - from - 1) / MODULO + 1 : 0,
		.stride = MODULO,
		.read = read,
		.write = write,
	};

	memdiag_pass_run(run, &pass);
}

/*
 * memtest86+'s modulo-20: every twentieth line is written, then all others
 * with the complement, more than once, then the first ones are read. No cache
 * or buffer on the way can hide what that does to them.
 */
static void modulo_run_offset(struct memdiag_test_run *run, size_t offset, int value)
{
	unsigned int i, k;

	pass_every_line(run, offset, MEMDIAG_PASS_NONE, value);
	for (k = 0; k < REST_WRITES; k++)
		for (i = 1; i < MODULO; i++)
			pass_every_line(run, (offset + i) % MODULO, MEMDIAG_PASS_NONE, !value);
	pass_every_line(run, offset, value, MEMDIAG_PASS_NONE);
}

void memdiag_modulo_run(struct memdiag_test_run *run)
{
	size_t offset;

	for (offset = 0; offset < MODULO; offset++) {
		modulo_run_offset(run, offset, 0);
		modulo_run_offset(run, offset, 1);
	}
}
