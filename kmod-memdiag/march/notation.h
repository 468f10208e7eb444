/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * March tests: finite sequences of march elements, each a sequence of reads
 * and writes done to every cell before the next cell, in a given order.
 */
#ifndef MEMDIAG_MARCH_NOTATION_H
#define MEMDIAG_MARCH_NOTATION_H

#include <linux/types.h>

#define MEMDIAG_MARCH_MAX_OPS		24
#define MEMDIAG_MARCH_MAX_ELEMENTS	16
#define MEMDIAG_MARCH_NAME		24

/*
 * A pause that a charge has to last: longer than the 64 ms in which every row
 * is refreshed once, so that each cell has waited through all of that.
 */
#define MEMDIAG_MARCH_DELAY_MS		100
#define MEMDIAG_MARCH_MAX_DELAY_MS	1000

enum memdiag_march_order {
	MEMDIAG_MARCH_UP,	/* ascending addresses */
	MEMDIAG_MARCH_DOWN,	/* descending addresses */
	MEMDIAG_MARCH_EITHER,	/* the test does not care; ascending here */
};

/**
 * struct memdiag_march_op - a read that expects a value, or a write of one
 * @write: write, else read
 * @value: 0 for the background, 1 for its complement
 */
struct memdiag_march_op {
	bool write;
	u8 value;
};

/**
 * struct memdiag_march_element - operations done to every cell in turn, or a delay
 * @order: of the cells
 * @delay_ms: not 0: nothing is done but to wait so long
 * @nr_ops: how many operations; 0 of a delay
 * @ops: what they are
 */
struct memdiag_march_element {
	enum memdiag_march_order order;
	unsigned int delay_ms;
	unsigned int nr_ops;
	struct memdiag_march_op ops[MEMDIAG_MARCH_MAX_OPS];
};

struct memdiag_march_test {
	unsigned int nr_elements;
	struct memdiag_march_element elements[MEMDIAG_MARCH_MAX_ELEMENTS];
};

/**
 * struct memdiag_march_named - a march test of the literature
 * @name: as written to and read from sysfs
 * @text: in the field's notation, for memdiag_march_parse()
 */
struct memdiag_march_named {
	const char *name;
	const char *text;
};

extern const struct memdiag_march_named memdiag_march_tests[];
extern const unsigned int memdiag_march_nr_tests;

/**
 * memdiag_march_find() - look a march test up by its name
 * @name: case does not matter
 *
 * Return: the test or NULL.
 */
const struct memdiag_march_named *memdiag_march_find(const char *name);

/**
 * memdiag_march_parse() - parse a march test
 * @text: e.g. "{c(w0);u(r0,w1);d(r1,w0);c(r0)}": c either, u up, d down;
 *	blanks are ignored; an element "del" waits for MEMDIAG_MARCH_DELAY_MS, and
 *	"del500" for 500 ms
 * @test: result
 * @error_at: where in @text the first mistake is, if there is one
 *
 * A test must be consistent: a read expects what was last written to every
 * cell, and the first operation is a write. And it must read: or it finds nothing.
 *
 * Pure.
 *
 * Return: 0, -EINVAL (malformed or inconsistent), -E2BIG, -ERANGE (a delay of 0
 * or of more than MEMDIAG_MARCH_MAX_DELAY_MS), -ENODATA (it reads nothing).
 */
int memdiag_march_parse(const char *text, struct memdiag_march_test *test,
			unsigned int *error_at);

/**
 * memdiag_march_length() - operations on each cell
 * @test: the test
 *
 * Return: their number.
 */
unsigned int memdiag_march_length(const struct memdiag_march_test *test);

/**
 * memdiag_march_pass() - operations that one pass over a strip of memory can do
 * @element: a march element
 * @from: index of the pass' first operation
 *
 * A line that was just written is read back from the processor or the memory
 * controller, not from the memory, and two writes of a line in a row reach the
 * memory as one. So an element is done in passes, each of which reads at most
 * once and then writes at most once.
 *
 * Return: number of operations, 1 or 2.
 */
unsigned int memdiag_march_pass(const struct memdiag_march_element *element, unsigned int from);

/**
 * memdiag_march_one_pass() - whether one pass can do a whole element
 * @element: a march element
 *
 * Return: true if it can.
 */
bool memdiag_march_one_pass(const struct memdiag_march_element *element);

#endif
