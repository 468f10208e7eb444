// SPDX-License-Identifier: GPL-2.0-only
/* March tests as data. Pure logic: also built in user space. */

#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "march/notation.h"

/*
 * MATS to March G, and their kin: van de Goor, "Testing Semiconductor
 * Memories", 1991. March U: van de Goor and Gaydadjiev 1997. LR: van de Goor
 * et al. 1996. SR, SS, SL, RAW1 and RAW: Hamdioui, van de Goor et al. 2000 to
 * 2004. MSS: Harutunyan et al. 2005. AB: Benso et al. 2005. PMOVI: de Jonge and
 * Smeulders 1976.
 */
const struct memdiag_march_named memdiag_march_tests[] = {
	{ "mats", "{c(w0);c(r0,w1);c(r1)}" },
	{ "mats+", "{c(w0);u(r0,w1);d(r1,w0)}" },
	{ "mats++", "{c(w0);u(r0,w1);d(r1,w0,r0)}" },
	{ "march-x", "{c(w0);u(r0,w1);d(r1,w0);c(r0)}" },
	{ "march-y", "{c(w0);u(r0,w1,r1);d(r1,w0,r0);c(r0)}" },
	{ "march-c", "{c(w0);u(r0,w1);u(r1,w0);c(r0);d(r0,w1);d(r1,w0);c(r0)}" },
	{ "march-c-", "{c(w0);u(r0,w1);u(r1,w0);d(r0,w1);d(r1,w0);c(r0)}" },
	{ "march-c+", "{c(w0);u(r0,w1,r1);u(r1,w0,r0);d(r0,w1,r1);d(r1,w0,r0);c(r0)}" },
	{ "march-a", "{c(w0);u(r0,w1,w0,w1);u(r1,w0,w1);d(r1,w0,w1,w0);d(r0,w1,w0)}" },
	{ "march-b", "{c(w0);u(r0,w1,r1,w0,r0,w1);u(r1,w0,w1);d(r1,w0,w1,w0);d(r0,w1,w0)}" },
	{ "march-u", "{c(w0);u(r0,w1,r1,w0);u(r0,w1);d(r1,w0,r0,w1);d(r1,w0)}" },
	{ "march-lr", "{c(w0);d(r0,w1);u(r1,w0,r0,w1);u(r1,w0);u(r0,w1,r1,w0);u(r0)}" },
	{ "march-la", "{c(w0);u(r0,w1,w0,w1,r1);u(r1,w0,w1,w0,r0);"
		      "d(r0,w1,w0,w1,r1);d(r1,w0,w1,w0,r0);d(r0)}" },
	{ "march-sr", "{d(w0);u(r0,w1,r1,w0);u(r0,r0);u(w1);d(r1,w0,r0,w1);d(r1,r1)}" },
	{ "march-g", "{c(w0);u(r0,w1,r1,w0,r0,w1);u(r1,w0,w1);d(r1,w0,w1,w0);"
		     "d(r0,w1,w0);del;c(r0,w1,r1);del;c(r1,w0,r0)}" },
	{ "march-mss", "{c(w0);u(r0,r0,w1,w1);u(r1,r1,w0,w0);"
		       "d(r0,r0,w1,w1);d(r1,r1,w0,w0);c(r0)}" },
	{ "march-ss", "{c(w0);u(r0,r0,w0,r0,w1);u(r1,r1,w1,r1,w0);"
		      "d(r0,r0,w0,r0,w1);d(r1,r1,w1,r1,w0);c(r0)}" },
	{ "march-ab", "{c(w1);d(r1,w0,r0,w0,r0);d(r0,w1,r1,w1,r1);"
		      "u(r1,w0,r0,w0,r0);u(r0,w1,r1,w1,r1);c(r1)}" },
	{ "march-raw1", "{c(w0);c(w0,r0);c(r0);c(w1,r1);c(r1);c(w1,r1);c(r1);c(w0,r0);c(r0)}" },
	{ "march-raw", "{c(w0);u(r0,w0,r0,r0,w1,r1);u(r1,w1,r1,r1,w0,r0);"
		       "d(r0,w0,r0,r0,w1,r1);d(r1,w1,r1,r1,w0,r0);c(r0)}" },
	{ "march-sl", "{c(w0);u(r0,r0,w1,w1,r1,r1,w0,w0,r0,w1);"
		      "u(r1,r1,w0,w0,r0,r0,w1,w1,r1,w0);"
		      "d(r0,r0,w1,w1,r1,r1,w0,w0,r0,w1);"
		      "d(r1,r1,w0,w0,r0,r0,w1,w1,r1,w0)}" },
	{ "pmovi", "{d(w0);u(r0,w1,r1);u(r1,w0,r0);d(r0,w1,r1);d(r1,w0,r0)}" },
	/* Retention alone. */
	{ "retention", "{c(w0);del;c(r0,w1);del;c(r1)}" },
	/* memtest86+'s moving inversions, two rounds of each polarity. */
	{ "moving-inversions", "{u(w0);u(r0,w1);d(r1,w0);u(r0,w1);d(r1,w0);"
			       "u(w1);u(r1,w0);d(r0,w1);u(r1,w0);d(r0,w1)}" },
	/* Asteroid, figure 28, for a pattern and its complement. */
	{ "figure-28", "{u(w0,r0);u(w1,r1)}" },
};

const unsigned int memdiag_march_nr_tests = ARRAY_SIZE(memdiag_march_tests);

const struct memdiag_march_named *memdiag_march_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < memdiag_march_nr_tests; i++)
		if (!strcasecmp(memdiag_march_tests[i].name, name))
			return &memdiag_march_tests[i];
	return NULL;
}

static const char *skip_blanks(const char *p)
{
	return skip_spaces(p);
}

static int parse_order(const char **text, enum memdiag_march_order *order)
{
	switch (**text) {
	case 'u':
		*order = MEMDIAG_MARCH_UP;
		break;
	case 'd':
		*order = MEMDIAG_MARCH_DOWN;
		break;
	case 'c':
		*order = MEMDIAG_MARCH_EITHER;
		break;
	default:
		return -EINVAL;
	}
	*text = skip_blanks(*text + 1);
	return 0;
}

/* @cell is what every cell holds: 0, 1, or -1 before the first write. */
static int parse_op(const char **text, struct memdiag_march_op *op, int *cell)
{
	const char *p = *text;

	if (*p != 'r' && *p != 'w')
		return -EINVAL;
	op->write = *p == 'w';
	p = skip_blanks(p + 1);
	if (*p != '0' && *p != '1')
		return -EINVAL;
	op->value = *p - '0';
	if (!op->write && *cell != op->value)
		return -EINVAL;
	*cell = op->value;
	*text = skip_blanks(p + 1);
	return 0;
}

static bool is_delay(const char *text)
{
	return !strncmp(text, "del", 3);
}

/* "del", or "del" and milliseconds. */
static int parse_delay(const char **text, struct memdiag_march_element *element)
{
	const char *p = skip_blanks(*text + 3);
	unsigned int ms = 0;

	if (!isdigit(*p))
		ms = MEMDIAG_MARCH_DELAY_MS;
	*text = p;
	for (; isdigit(*p); p++) {
		ms = ms * 10 + *p - '0';
		if (ms > MEMDIAG_MARCH_MAX_DELAY_MS)
			return -ERANGE;
	}
	if (!ms)
		return -ERANGE;
	element->delay_ms = ms;
	*text = skip_blanks(p);
	return 0;
}

static int parse_element(const char **text, struct memdiag_march_element *element,
			 int *cell)
{
	int err;

	if (is_delay(*text))
		return parse_delay(text, element);
	err = parse_order(text, &element->order);
	if (err)
		return err;
	if (**text != '(')
		return -EINVAL;
	do {
		*text = skip_blanks(*text + 1);
		if (element->nr_ops == MEMDIAG_MARCH_MAX_OPS)
			return -E2BIG;
		err = parse_op(text, &element->ops[element->nr_ops], cell);
		if (err)
			return err;
		element->nr_ops++;
	} while (**text == ',');
	if (**text != ')')
		return -EINVAL;
	*text = skip_blanks(*text + 1);
	return 0;
}

static bool test_reads(const struct memdiag_march_test *test)
{
	unsigned int i, j;

	for (i = 0; i < test->nr_elements; i++)
		for (j = 0; j < test->elements[i].nr_ops; j++)
			if (!test->elements[i].ops[j].write)
				return true;
	return false;
}

int memdiag_march_parse(const char *text, struct memdiag_march_test *test,
			unsigned int *error_at)
{
	const char *p = skip_blanks(text);
	int cell = -1, err = -EINVAL;

	memset(test, 0, sizeof(*test));
	if (*p != '{')
		goto out;
	do {
		p = skip_blanks(p + 1);
		err = -E2BIG;
		if (test->nr_elements == MEMDIAG_MARCH_MAX_ELEMENTS)
			goto out;
		err = parse_element(&p, &test->elements[test->nr_elements],
				    &cell);
		if (err)
			goto out;
		test->nr_elements++;
	} while (*p == ';');
	err = -EINVAL;
	if (*p != '}')
		goto out;
	p = skip_blanks(p + 1);
	if (*p)
		goto out;
	if (test_reads(test))
		return 0;
	err = -ENODATA;
out:
	*error_at = p - text;
	return err;
}

unsigned int memdiag_march_length(const struct memdiag_march_test *test)
{
	unsigned int i, length = 0;

	for (i = 0; i < test->nr_elements; i++)
		length += test->elements[i].nr_ops;
	return length;
}

unsigned int memdiag_march_pass(const struct memdiag_march_element *element, unsigned int from)
{
	const struct memdiag_march_op *ops = element->ops;

	if (from + 1 < element->nr_ops && !ops[from].write &&
	    ops[from + 1].write)
		return 2;
	return 1;
}

bool memdiag_march_one_pass(const struct memdiag_march_element *element)
{
	return !element->nr_ops || memdiag_march_pass(element, 0) == element->nr_ops;
}
