/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * March tests: finite sequences of march elements, each a sequence of reads
 * and writes done to every cell before the next cell, in a given order.
 */
#ifndef MEMDIAG_MARCH_NOTATION_H
#define MEMDIAG_MARCH_NOTATION_H

#include <linux/types.h>

#define MARCH_MAX_OPS		24
#define MARCH_MAX_ELEMENTS	16
#define MARCH_NAME		24

/*
 * A pause that a charge has to last: longer than the 64 ms in which every row
 * is refreshed once, so that each cell has waited through all of that.
 */
#define MARCH_DELAY_MS		100
#define MARCH_MAX_DELAY_MS	1000

enum march_order {
	MARCH_UP,	/* ascending addresses */
	MARCH_DOWN,	/* descending addresses */
	MARCH_EITHER,	/* the test does not care; ascending here */
};

/**
 * struct march_op - a read that expects a value, or a write of one
 * @write: write, else read
 * @value: 0 for the background, 1 for its complement
 */
struct march_op {
	bool write;
	u8 value;
};

/**
 * struct march_element - operations done to every cell in turn, or a delay
 * @order: of the cells
 * @delay_ms: not 0: nothing is done but to wait so long
 * @nr_ops: how many operations; 0 of a delay
 * @ops: what they are
 */
struct march_element {
	enum march_order order;
	unsigned int delay_ms;
	unsigned int nr_ops;
	struct march_op ops[MARCH_MAX_OPS];
};

struct march_test {
	unsigned int nr_elements;
	struct march_element elements[MARCH_MAX_ELEMENTS];
};

/**
 * struct march_named - a march test of the literature
 * @name: as written to and read from sysfs
 * @text: in the field's notation, for march_parse()
 */
struct march_named {
	const char *name;
	const char *text;
};

extern const struct march_named march_tests[];
extern const unsigned int march_nr_tests;

/**
 * march_find() - look a march test up by its name
 * @name: case does not matter
 *
 * Return: the test or NULL.
 */
const struct march_named *march_find(const char *name);

/**
 * march_parse() - parse a march test
 * @text: e.g. "{c(w0);u(r0,w1);d(r1,w0);c(r0)}": c either, u up, d down;
 *	blanks are ignored; an element "del" waits for MARCH_DELAY_MS, and
 *	"del500" for 500 ms
 * @test: result
 * @error_at: where in @text the first mistake is, if there is one
 *
 * A test must be consistent: a read expects what was last written to every
 * cell, and the first operation is a write.
 *
 * Pure. Return: 0, -EINVAL (malformed or inconsistent), -E2BIG, -ERANGE (a
 * delay of 0 or of more than MARCH_MAX_DELAY_MS).
 */
int march_parse(const char *text, struct march_test *test,
		unsigned int *error_at);

/**
 * march_length() - operations on each cell
 * @test: the test
 */
unsigned int march_length(const struct march_test *test);

/**
 * march_pass() - operations that one pass over a strip of memory can do
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
unsigned int march_pass(const struct march_element *element, unsigned int from);

/**
 * march_one_pass() - whether one pass can do a whole element
 * @element: a march element
 */
bool march_one_pass(const struct march_element *element);

#endif
