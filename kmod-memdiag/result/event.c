// SPDX-License-Identifier: GPL-2.0-only
/* Uevents of the module. */

#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include <memsuite/region.h>

#include "result/event.h"

#define ENV_SIZE	(MEMSUITE_REGION_TEXT + 16)
#define ENV_MAX		16

/* The one that is being made, under event_lock, which is held from its begin to its end. */
static DEFINE_MUTEX(event_lock);
static unsigned int nr;
static char *env[ENV_MAX + 1];
static char texts[ENV_MAX][ENV_SIZE];

void memdiag_event_add(const char *format, ...)
{
	va_list args;

	if (WARN_ON_ONCE(nr == ENV_MAX))
		return;
	va_start(args, format);
	vsnprintf(texts[nr], ENV_SIZE, format, args);
	va_end(args);
	env[nr] = texts[nr];
	nr++;
}

void memdiag_event_begin(const char *kind)
{
	mutex_lock(&event_lock);
	nr = 0;
	memset(env, 0, sizeof(env));
	memdiag_event_add("MEMDIAG_EVENT=%s", kind);
}

void memdiag_event_add_area(const struct memdiag_area *area)
{
	char lane[MEMDIAG_AREA_LANE];

	memdiag_area_lane(area->mask, lane);
	memdiag_event_add("START=0x%llx", area->start);
	memdiag_event_add("END=0x%llx", area->end);
	memdiag_event_add("STRIDE=0x%llx", area->stride);
	memdiag_event_add("BITS=0x%016llx", area->mask);
	memdiag_event_add("LANE=%s", lane);
}

void memdiag_event_send(void)
{
	kobject_uevent_env(&THIS_MODULE->mkobj.kobj, KOBJ_CHANGE, env);
	mutex_unlock(&event_lock);
}
