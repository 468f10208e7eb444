// SPDX-License-Identifier: GPL-2.0-only
/* Emulated faults: kmod-memdiag/result/inject_parse.c. */
#include "kernel/parse.c"
#include "march/fault_model.c"
#include "result/inject_parse.c"

#include "input.h"

static void bit_print(const struct memdiag_inject_bit *bit, char *to, size_t size)
{
	snprintf(to, size, "%#llx:%u", bit->address + bit->bit / 8, bit->bit % 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = input_line(data, size, 96), printed[144], victim[40], aggressor[40], cpu[16];
	struct memdiag_inject_spec spec, again;

	if (line && !memdiag_inject_parse(line, &spec)) {
		bool pair = spec.variant >= memdiag_fault_variants[spec.kind].of_victim;

		MUST(spec.kind < MEMDIAG_FAULT_NR_KINDS && spec.victim.bit < 64 &&
		     !(spec.victim.address % 8));
		bit_print(&spec.victim, victim, sizeof(victim));
		bit_print(&spec.aggressor, aggressor, sizeof(aggressor));
		snprintf(cpu, sizeof(cpu), " cpu=%u", spec.cpu);
		snprintf(printed, sizeof(printed), "%s:%s/%u%s%s%s", victim,
			 memdiag_fault_kind_name[spec.kind], spec.variant, pair ? "@" : "",
			 pair ? aggressor : "", spec.cpu == MEMDIAG_INJECT_ANY_CPU ? "" : cpu);
		MUST(!memdiag_inject_parse(printed, &again) &&
		     !memcmp(&spec, &again, sizeof(spec)));
	}
	free(line);
	return 0;
}
