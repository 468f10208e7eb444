// SPDX-License-Identifier: GPL-2.0-only
/* Which of Asteroid's optimisations are on: to measure what each is worth. */

#include <memsuite/control.h>

#include "sched/optimisations.h"

struct memdiag_optimisations memdiag_optimisations = {
	.core_local = 1, .recycle = 1, .node_local = 1,
};

MEMSUITE_ATTR_NUMBER(core_local, memdiag_optimisations.core_local, 0, 1);
MEMSUITE_ATTR_NUMBER(recycle, memdiag_optimisations.recycle, 0, 1);
MEMSUITE_ATTR_NUMBER(skip_middle, memdiag_optimisations.skip_middle, 0, 1);
MEMSUITE_ATTR_NUMBER(node_local, memdiag_optimisations.node_local, 0, 1);

static struct attribute *optimisations_attrs[] = {
	&core_local_attr.attr, &recycle_attr.attr, &skip_middle_attr.attr,
	&node_local_attr.attr, NULL
};

const struct attribute_group memdiag_optimisations_group = {
	.name = "optimisations",
	.attrs = optimisations_attrs,
};
