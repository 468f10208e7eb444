// SPDX-License-Identifier: GPL-2.0-only
/*
 * The test engine: chooses how a test is run over a block of memory. Also built
 * in user space, where its speed is measured.
 */

#include <linux/kernel.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>

#include "march/engine.h"
#include "march/exact.h"
#include "march/nonmarch.h"
#include "march/passes.h"

/* A guess: what a march test mostly has. */
#define FOREIGN_OPS	10

const char *const engine_methods[ENGINE_NR_METHODS] = {
	[ENGINE_AUTO] = "auto",
	[ENGINE_WORDS] = "words",
	[ENGINE_AVX2] = "avx2",
	[ENGINE_AVX512] = "avx512",
	[ENGINE_LINES] = "lines",
	[ENGINE_PAGE_LINES] = "page-lines",
	[ENGINE_PAGE_WORDS] = "page-words",
};

bool engine_can(enum engine_method method)
{
	switch (method) {
	case ENGINE_AVX2:
		return boot_cpu_has(X86_FEATURE_AVX2);
	case ENGINE_AVX512:
		return boot_cpu_has(X86_FEATURE_AVX512F);
	default:
		return true;
	}
}

/* What is asked for, if it can be had here; the exact ones are of march tests. */
static enum engine_method choose(enum engine_method method,
				 enum engine_kind kind)
{
	if (method >= ENGINE_LINES && kind != ENGINE_MARCH)
		method = ENGINE_AUTO;
	if (method == ENGINE_AUTO)
		method = ENGINE_AVX2;
	if (method != ENGINE_AVX2 && method != ENGINE_AVX512)
		return method;
	return engine_can(method) && irq_fpu_usable() ? method : ENGINE_WORDS;
}

unsigned int engine_ops(const struct engine_test *test)
{
	switch (test->kind) {
	case ENGINE_MARCH:
		return march_length(&test->march);
	case ENGINE_DECODER:
		return DECODER_OPS;
	case ENGINE_MODULO:
		return MODULO_OPS;
	case ENGINE_FOREIGN:
		break;
	}
	return FOREIGN_OPS;
}

void engine_run(const struct engine_test *test,
		const struct engine_block *block, unsigned int background,
		march_report_fn *report, void *context)
{
	struct run run = {
		.block = block,
		.method = choose(test->method, test->kind),
		.report = report,
		.context = context,
	};

	background_make(&run.background, background, test->seed);
	if (test->kind == ENGINE_DECODER)
		run_decoder(&run);
	else if (test->kind == ENGINE_MODULO)
		run_modulo(&run);
	else if (run.method >= ENGINE_LINES)
		run_exact_march(&run, &test->march);
	else
		run_march(&run, &test->march);
}
