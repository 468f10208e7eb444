// SPDX-License-Identifier: GPL-2.0-only
/*
 * March tests: kmod-memdiag/march/notation.c. What it accepts is run, and finds nothing in good
 * memory.
 */
#include <linux/kernel.h>

/* Delays are not waited for. */
#include <linux/delay.h>
#undef msleep
#define msleep(ms) ((void)(ms))

#include "march/notation.c"
#include "march/background.c"
#include "march/engine.c"
#include "march/element_run.c"
#include "march/element_exact.c"
#include "march/nonmarch.c"
#include "march/fault_model.c"
#include "march/simulator.c"
#include "kernel/parse.c"

#include "input.h"

/* Strips are assembly that clang does not take; the exact methods need none. */
size_t memdiag_strip_words(struct memdiag_strip *strip)
{
	abort();
}
size_t memdiag_strip_avx2(struct memdiag_strip *strip)
{
	abort();
}
size_t memdiag_strip_avx512(struct memdiag_strip *strip)
{
	abort();
}

#define LINES (PAGE_SIZE / MEMDIAG_LINE_BYTES)

static void march_print(const struct memdiag_march_test *test, char *to, size_t size)
{
	size_t at = scnprintf(to, size, "{");
	unsigned int i, k;

	for (i = 0; i < test->nr_elements; i++) {
		const struct memdiag_march_element *element = &test->elements[i];

		at += scnprintf(to + at, size - at, "%s", i ? ";" : "");
		if (element->delay_ms)
			at += scnprintf(to + at, size - at, "del%u", element->delay_ms);
		else
			at += scnprintf(to + at, size - at, "%c(", "udc"[element->order]);
		for (k = 0; k < element->nr_ops; k++)
			at += scnprintf(to + at, size - at, "%s%c%u", k ? "," : "",
					element->ops[k].write ? 'w' : 'r', element->ops[k].value);
		at += scnprintf(to + at, size - at, "%s", element->delay_ms ? "" : ")");
	}
	scnprintf(to + at, size - at, "}");
}

/* Compilers let the last array of a structure be as long as it likes. */
static void bounds_check(const struct memdiag_march_test *test)
{
	unsigned int i;

	MUST(test->nr_elements && test->nr_elements <= MEMDIAG_MARCH_MAX_ELEMENTS);
	for (i = 0; i < test->nr_elements; i++) {
		MUST(test->elements[i].nr_ops <= MEMDIAG_MARCH_MAX_OPS);
		MUST(!test->elements[i].nr_ops == !!test->elements[i].delay_ms);
	}
}

static void failure_seen(void *context, const struct memdiag_march_failure *failure)
{
	MUST(!failure);
}

static void march_run(const struct memdiag_march_test *march)
{
	static const enum memdiag_engine_method methods[] = {
		MEMDIAG_ENGINE_LINES,
		MEMDIAG_ENGINE_PAGE_LINES,
		MEMDIAG_ENGINE_PAGE_WORDS,
	};
	static u64 words[LINES * MEMDIAG_LINE_WORDS] __aligned(64);
	struct memdiag_engine_block block = { .words = words,
					      .nr_lines = LINES,
					      .address = 0x123456000ULL };
	struct memdiag_engine_test test = { .kind = MEMDIAG_ENGINE_MARCH,
					    .march = *march,
					    .seed = 1 };

	test.method = methods[march->nr_elements % ARRAY_SIZE(methods)];
	memdiag_engine_run(&test, &block, march->elements[0].nr_ops % MEMDIAG_BACKGROUNDS,
			   failure_seen, NULL);
	MUST(memdiag_simulator_coverage(march, &MEMDIAG_SIMULATOR_LITERATURE,
					memdiag_march_length(march) % MEMDIAG_FAULT_NR_KINDS) <=
	     100);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = input_line(data, size, 1024), printed[4096];
	struct memdiag_march_test test, again;
	unsigned int at = ~0u;

	if (line && !memdiag_march_find(line)) {
		if (memdiag_march_parse(line, &test, &at)) {
			MUST(at <= strlen(line));
		} else {
			bounds_check(&test);
			march_print(&test, printed, sizeof(printed));
			MUST(!memdiag_march_parse(printed, &again, &at) &&
			     !memcmp(&test, &again, sizeof(test)));
			march_run(&test);
		}
	}
	free(line);
	return 0;
}
