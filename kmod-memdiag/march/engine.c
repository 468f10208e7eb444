// SPDX-License-Identifier: GPL-2.0-only
/*
 * The test engine: chooses how a test is run over a block of memory. Also built
 * in user space, where its speed is measured.
 */

#include <linux/kernel.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>

#include "march/engine.h"
#include "march/element_exact.h"
#include "march/nonmarch.h"

/* A guess: what a march test mostly has. */
#define FOREIGN_OPS	10

const char *const memdiag_engine_methods[MEMDIAG_ENGINE_NR_METHODS] = {
	[MEMDIAG_ENGINE_AUTO] = "auto",
	[MEMDIAG_ENGINE_WORDS] = "words",
	[MEMDIAG_ENGINE_AVX2] = "avx2",
	[MEMDIAG_ENGINE_AVX512] = "avx512",
	[MEMDIAG_ENGINE_LINES] = "lines",
	[MEMDIAG_ENGINE_PAGE_LINES] = "page-lines",
	[MEMDIAG_ENGINE_PAGE_WORDS] = "page-words",
};

bool memdiag_engine_can(enum memdiag_engine_method method)
{
	switch (method) {
	case MEMDIAG_ENGINE_AVX2:
		return boot_cpu_has(X86_FEATURE_AVX2);
	case MEMDIAG_ENGINE_AVX512:
		return boot_cpu_has(X86_FEATURE_AVX512F);
	default:
		return true;
	}
}

/* The method asked for, if it works here; only march tests have the exact ones. */
static enum memdiag_engine_method engine_choose_method(enum memdiag_engine_method method,
						       enum memdiag_engine_kind kind)
{
	if (method >= MEMDIAG_ENGINE_LINES && kind != MEMDIAG_ENGINE_MARCH)
		method = MEMDIAG_ENGINE_AUTO;
	if (method == MEMDIAG_ENGINE_AUTO)
		method = MEMDIAG_ENGINE_AVX2;
	if (method != MEMDIAG_ENGINE_AVX2 && method != MEMDIAG_ENGINE_AVX512)
		return method;
	return memdiag_engine_can(method) && irq_fpu_usable() ? method : MEMDIAG_ENGINE_WORDS;
}

unsigned int memdiag_engine_ops(const struct memdiag_engine_test *test)
{
	switch (test->kind) {
	case MEMDIAG_ENGINE_MARCH:
		return memdiag_march_length(&test->march);
	case MEMDIAG_ENGINE_DECODER:
		return MEMDIAG_DECODER_OPS;
	case MEMDIAG_ENGINE_MODULO:
		return MEMDIAG_MODULO_OPS;
	case MEMDIAG_ENGINE_FOREIGN:
		break;
	}
	return FOREIGN_OPS;
}

void memdiag_engine_run(const struct memdiag_engine_test *test,
			const struct memdiag_engine_block *block, unsigned int background,
			memdiag_march_report_fn *report, void *context)
{
	struct memdiag_test_run run = {
		.block = block,
		.method = engine_choose_method(test->method, test->kind),
		.report = report,
		.context = context,
	};

	memdiag_background_make(&run.background, background, test->seed);
	if (test->kind == MEMDIAG_ENGINE_DECODER)
		memdiag_decoder_run(&run);
	else if (test->kind == MEMDIAG_ENGINE_MODULO)
		memdiag_modulo_run(&run);
	else if (run.method >= MEMDIAG_ENGINE_LINES)
		memdiag_exact_run(&run, &test->march);
	else
		memdiag_march_run(&run, 1, &test->march, NULL);
}

bool memdiag_engine_run_joint(const struct memdiag_engine_test *test,
			      struct memdiag_test_run *runs, unsigned int nr,
			      unsigned int background, memdiag_ends_fn *ends)
{
	enum memdiag_engine_method method = engine_choose_method(MEMDIAG_ENGINE_AUTO, test->kind);
	unsigned int i;

	for (i = 0; i < nr; i++) {
		runs[i].method = method;
		runs[i].cached = false;
		memdiag_background_make(&runs[i].background, background, test->seed);
	}
	return memdiag_march_run(runs, nr, &test->march, ends);
}
