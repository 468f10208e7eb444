// SPDX-License-Identifier: GPL-2.0-only
/* How many pages the suite holds and has retired: /sys/kernel/memsuite/pages. */

#include <linux/err.h>

#include <memsuite/control.h>

#include "frame/held_pages_private.h"
#include "frame/hwpoison.h"
#include "frame/test_age.h"
#include "pool/pool_drain.h"
#include "retire/pages_sysfs.h"

static struct kobject *dir;

MEMSUITE_ATTR_NUMBER_RO(held_pages, memsuite_held_pages_count() + memsuite_pools_pages());
MEMSUITE_ATTR_NUMBER_RO(retired_pages, memsuite_hwpoison_count());
MEMSUITE_ATTR_NUMBER_RO(metadata_bytes, memsuite_test_age_bytes());

static struct attribute *pages_attrs[] = {
	&held_pages_attr.attr, &retired_pages_attr.attr,
	&metadata_bytes_attr.attr, NULL
};
ATTRIBUTE_GROUPS(pages);

int memsuite_pages_sysfs_init(void)
{
	dir = memsuite_control_add("pages", pages_groups);
	return PTR_ERR_OR_ZERO(dir);
}

void memsuite_pages_sysfs_exit(void)
{
	memsuite_control_del(dir);
}
