/* SPDX-License-Identifier: GPL-2.0-only */
/* Looking at memory that comes online, before anybody uses it. */
#ifndef MEMSUITE_ONLINE_INSPECT_H
#define MEMSUITE_ONLINE_INSPECT_H

/**
 * memsuite_online_inspect_start() - have memory looked at before it comes online
 * @inspect: test an aligned power of two of frames, at most 2^MEMSUITE_MAX_ORDER;
 *	set the bits of those that are bad. May sleep. All memory hotplug waits
 *	meanwhile.
 *
 * Frames found bad are retired instead of being given to the page allocator.
 *
 * Context: may sleep.
 * Return: 0; -EBUSY (somebody does already, or the balloon of a hypervisor);
 * -EOPNOTSUPP (with debug_pagealloc=on new memory is not mapped yet).
 */
int memsuite_online_inspect_start(void (*inspect)(unsigned long pfn, unsigned long nr,
						  unsigned long *bad));

/**
 * memsuite_online_inspect_stop() - end that, and wait until all that was bad is retired
 *
 * Context: may sleep.
 */
void memsuite_online_inspect_stop(void);

#endif
