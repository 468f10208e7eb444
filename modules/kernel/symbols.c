// SPDX-License-Identifier: GPL-2.0-only
/* Where a kernel function lies, exported or not. */

#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "kernel/symbols.h"

/* As many are looked up for one grace period. */
#define NR_PROBES	48

static struct kprobe probes[NR_PROBES];
static struct kprobe *registered[NR_PROBES];
static int nr_registered;

/*
 * A function may begin with a jump label, which must not be probed; what is behind it may. A label
 * is 2 or 5 bytes long, an ENDBR of 4 may come first, and only what begins an instruction is
 * accepted.
 */
static const struct {
	u8 offset;
	u8 entry;
} behind_label[] = {
	{ 2, 0 },
	{ 5, 0 },
	{ 4 + 2, 4 },
	{ 4 + 5, 4 },
};

static int symbol_probe(struct kprobe *probe, const char *name, unsigned int offset)
{
	memset(probe, 0, sizeof(*probe));
	probe->symbol_name = name;
	probe->offset = offset;
	probe->flags = KPROBE_FLAG_DISABLED;
	return register_kprobe(probe);
}

/* How many bytes before @probe, which it registers, the function's entry is; or an errno. */
static int symbol_probe_behind_label(struct kprobe *probe, const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(behind_label); i++)
		if (!symbol_probe(probe, name, behind_label[i].offset))
			return behind_label[i].offset - behind_label[i].entry;
	return -EINVAL;
}

unsigned long memsuite_symbol_address(const char *name)
{
	struct kprobe *probe;
	int before;

	if (nr_registered == NR_PROBES)
		memsuite_symbols_end();
	probe = &probes[nr_registered];
	before = symbol_probe(probe, name, 0);
	if (before == -EINVAL)
		before = symbol_probe_behind_label(probe, name);
	if (before < 0)
		return 0;
	registered[nr_registered++] = probe;
	return (unsigned long)probe->addr - before;
}

void memsuite_symbols_end(void)
{
	unregister_kprobes(registered, nr_registered);
	nr_registered = 0;
}
