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

unsigned long memsuite_symbol_address(const char *name)
{
	struct kprobe *probe;

	if (nr_registered == NR_PROBES)
		memsuite_symbols_end();
	probe = &probes[nr_registered];
	memset(probe, 0, sizeof(*probe));
	probe->symbol_name = name;
	probe->flags = KPROBE_FLAG_DISABLED;
	if (register_kprobe(probe))
		return 0;
	registered[nr_registered++] = probe;
	return (unsigned long)probe->addr;
}

void memsuite_symbols_end(void)
{
	unregister_kprobes(registered, nr_registered);
	nr_registered = 0;
}
