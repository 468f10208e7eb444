// SPDX-License-Identifier: GPL-2.0-only
/*
 * The test engine: march elements over a block of memory. Also built in user
 * space, where its speed is measured.
 *
 * Writes are non-temporal: they go past the caches and drop the line from
 * them, so the next element's read of it comes from memory, as long as the
 * block is larger than the memory controller's write queue. An sfence ends
 * each element: without it the last lines could still sit in write-combining
 * buffers when the next element reads them.
 */

#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <asm/barrier.h>

#include "engine.h"

/* Between two chances for others to run. */
#define STRIP_WORDS	(65536 / sizeof(u64))

struct run {
	const struct march_element *element;
	u64 *words;
	u64 value[2];
	march_report_fn *report;
	void *context;
	struct march_failure failure;
};

static inline void write_word(u64 *word, u64 value)
{
	asm volatile("movnti %1, %0" : "=m" (*word) : "r" (value));
}

static noinline void report(struct run *run, size_t word, u64 mask,
			    u64 expected)
{
	run->failure.word = word;
	run->failure.mask = mask;
	run->failure.expected = expected;
	run->report(run->context, &run->failure);
}

static inline void check(struct run *run, size_t word, u64 expected)
{
	u64 mask = READ_ONCE(run->words[word]) ^ expected;

	if (unlikely(mask))
		report(run, word, mask, expected);
}

/* The elements that nearly all tests are made of, without a loop inside. */
static void write_strip(struct run *run, size_t from, size_t nr, long step)
{
	u64 value = run->value[run->element->ops[0].value];

	for (; nr; nr--, from += step)
		write_word(&run->words[from], value);
}

static void read_strip(struct run *run, size_t from, size_t nr, long step)
{
	u64 value = run->value[run->element->ops[0].value];

	for (; nr; nr--, from += step)
		check(run, from, value);
}

static void read_write_strip(struct run *run, size_t from, size_t nr, long step)
{
	u64 expected = run->value[run->element->ops[0].value];
	u64 value = run->value[run->element->ops[1].value];

	for (; nr; nr--, from += step) {
		check(run, from, expected);
		write_word(&run->words[from], value);
	}
}

static void any_strip(struct run *run, size_t from, size_t nr, long step)
{
	const struct march_element *element = run->element;
	unsigned int i;

	for (; nr; nr--, from += step) {
		for (i = 0; i < element->nr_ops; i++) {
			u64 value = run->value[element->ops[i].value];

			if (element->ops[i].write)
				write_word(&run->words[from], value);
			else
				check(run, from, value);
		}
	}
}

typedef void strip_fn(struct run *run, size_t from, size_t nr, long step);

static strip_fn *choose(const struct march_element *element)
{
	if (element->nr_ops == 1)
		return element->ops[0].write ? write_strip : read_strip;
	if (element->nr_ops == 2 && !element->ops[0].write &&
	    element->ops[1].write)
		return read_write_strip;
	return any_strip;
}

static void run_element(struct run *run, size_t nr)
{
	strip_fn *strip = choose(run->element);
	size_t done, length;

	for (done = 0; done < nr; done += length) {
		length = min(nr - done, STRIP_WORDS);
		if (run->element->order == MARCH_DOWN)
			strip(run, nr - 1 - done, length, -1);
		else
			strip(run, done, length, 1);
		cond_resched();
	}
	/* See above: the next element reads what this one wrote. */
	wmb();
}

void engine_run(const struct march_test *test, u64 *words, size_t nr,
		u64 background, march_report_fn *report, void *context)
{
	struct run run = {
		.words = words,
		.value = { background, ~background },
		.report = report,
		.context = context,
		.failure.background = background,
	};
	unsigned int i;

	for (i = 0; i < test->nr_elements; i++) {
		run.element = &test->elements[i];
		run.failure.element = i;
		if (run.element->delay_ms)
			msleep(run.element->delay_ms);
		else
			run_element(&run, nr);
	}
}
