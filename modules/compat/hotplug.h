/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that comes online: in a kernel without CONFIG_MEMORY_HOTPLUG, none does. */
#ifndef MEMSUITE_COMPAT_HOTPLUG_H
#define MEMSUITE_COMPAT_HOTPLUG_H

#include <linux/errno.h>
#include <linux/memory_hotplug.h>

#ifndef CONFIG_MEMORY_HOTPLUG
typedef void memsuite_online_page_fn(struct page *page, unsigned int order);

static inline void generic_online_page(struct page *page, unsigned int order)
{
}

static inline int set_online_page_callback(memsuite_online_page_fn *callback)
{
	return -EOPNOTSUPP;
}

static inline int restore_online_page_callback(memsuite_online_page_fn *callback)
{
	return 0;
}
#endif

#endif
