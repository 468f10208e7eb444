// SPDX-License-Identifier: GPL-2.0-only
/* Emulated faults as text. Pure logic: also built in user space. */

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "result/inject_parse.h"

/* "ADDRESS:BIT" */
static int parse_bit(char *text, struct memdiag_inject_bit *bit)
{
	char *address = strsep(&text, ":");
	unsigned int nr;
	u64 at;
	int err;

	if (!text)
		return -EINVAL;
	err = kstrtou64(address, 0, &at);
	if (!err)
		err = kstrtouint(text, 10, &nr);
	if (err)
		return err;
	if (nr > 7)
		return -ERANGE;
	bit->address = at & ~7ULL;
	bit->bit = (at & 7) * 8 + nr;
	return 0;
}

static int parse_kind(const char *name, struct memdiag_inject_spec *spec)
{
	unsigned int i;

	if (!strcmp(name, "sa0") || !strcmp(name, "sa1")) {
		spec->kind = MEMDIAG_FAULT_SAF;
		spec->variant = name[2] - '0';
		return 0;
	}
	for (i = 0; i < MEMDIAG_FAULT_NR_KINDS; i++) {
		if (strcmp(name, memdiag_fault_kind_name[i]))
			continue;
		spec->kind = i;
		return 0;
	}
	return -EINVAL;
}

/* The variants of a kind are numbered with those of one cell first. */
static int spec_check(const struct memdiag_inject_spec *spec, bool pair)
{
	const struct memdiag_fault_variants *variants = &memdiag_fault_variants[spec->kind];
	unsigned int all = variants->of_victim + variants->of_pair;

	if (spec->variant >= all)
		return -ERANGE;
	if (pair ? spec->variant < variants->of_victim :
		   spec->variant >= variants->of_victim)
		return -EINVAL;
	if (pair && spec->victim.address == spec->aggressor.address)
		return -EINVAL;
	return 0;
}

/* "cpu=CPU" */
static int parse_cpu(const char *text, unsigned int *cpu)
{
	int err = strncmp(text, "cpu=", 4) ? -EINVAL : kstrtouint(text + 4, 10, cpu);

	if (err)
		return err;
	return *cpu == MEMDIAG_INJECT_ANY_CPU ? -ERANGE : 0;
}

int memdiag_inject_parse(char *text, struct memdiag_inject_spec *spec)
{
	char *fault = strsep(&text, " "), *victim = strsep(&fault, "@"), *aggressor = fault;
	char *kind, *variant;
	int err;

	memset(spec, 0, sizeof(*spec));
	spec->cpu = MEMDIAG_INJECT_ANY_CPU;
	kind = strrchr(victim, ':');
	if (!kind)
		return -EINVAL;
	*kind++ = '\0';
	variant = kind;
	kind = strsep(&variant, "/");
	err = parse_kind(kind, spec);
	if (!err && variant)
		err = kstrtouint(variant, 10, &spec->variant);
	if (!err)
		err = parse_bit(victim, &spec->victim);
	if (!err && aggressor)
		err = parse_bit(aggressor, &spec->aggressor);
	if (!err && text)
		err = parse_cpu(text, &spec->cpu);
	return err ?: spec_check(spec, aggressor);
}
