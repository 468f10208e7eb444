// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoint probes, found by name. */

#include <linux/errno.h>
#include <linux/export.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include <memsuite/tracepoints.h>

#include "kernel/tracepoints_private.h"

static void tracepoint_match(struct tracepoint *tracepoint, void *probe)
{
	struct memsuite_tracepoint *p = probe;

	if (!strcmp(tracepoint->name, p->name))
		p->tracepoint = tracepoint;
}

struct tracepoint *memsuite_tracepoint_find(const char *name)
{
	struct memsuite_tracepoint probe = { .name = name };

	for_each_kernel_tracepoint(tracepoint_match, &probe);
	return probe.tracepoint;
}

static void tracepoint_unregister(struct memsuite_tracepoint *probe)
{
	tracepoint_probe_unregister(probe->tracepoint, probe->function, NULL);
}

int memsuite_tracepoints_register(struct memsuite_tracepoint *probes, unsigned int nr)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++) {
		for_each_kernel_tracepoint(tracepoint_match, &probes[i]);
		err = probes[i].tracepoint ?
			tracepoint_probe_register(probes[i].tracepoint,
						  probes[i].function, NULL) :
			-EOPNOTSUPP;
		if (err)
			goto undo;
	}
	return 0;

undo:
	while (i--)
		tracepoint_unregister(&probes[i]);
	tracepoint_synchronize_unregister();
	return err;
}
EXPORT_SYMBOL_GPL(memsuite_tracepoints_register);

void memsuite_tracepoints_unregister(struct memsuite_tracepoint *probes, unsigned int nr)
{
	while (nr--)
		tracepoint_unregister(&probes[nr]);
	tracepoint_synchronize_unregister();
}
EXPORT_SYMBOL_GPL(memsuite_tracepoints_unregister);
