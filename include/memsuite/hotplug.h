/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that comes online: looked at before anybody uses it. */
#ifndef MEMSUITE_ARRIVAL_H
#define MEMSUITE_ARRIVAL_H

/**
 * ms_arrivals_start() - have memory looked at before it comes online
 * @inspect: test an aligned power of two of frames, at most 2^MS_MAX_ORDER;
 *	set the bits of those that are bad. May sleep. All memory hotplug waits
 *	meanwhile.
 *
 * Frames found bad are retired instead of being given to the page allocator.
 *
 * Context: may sleep.
 * Return: 0; -EBUSY (somebody does already, or the balloon of a hypervisor);
 * -EOPNOTSUPP (with debug_pagealloc=on new memory is not mapped yet).
 */
int ms_arrivals_start(void (*inspect)(unsigned long pfn, unsigned long nr,
				      unsigned long *bad));

/**
 * ms_arrivals_stop() - no longer, and wait until all is retired that was bad
 *
 * Context: may sleep.
 */
void ms_arrivals_stop(void);

#endif
