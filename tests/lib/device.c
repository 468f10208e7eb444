// SPDX-License-Identifier: GPL-2.0-only
/*
 * In place of the vipzone module, for tests and benchmarks of libvip on machines
 * without: it takes every tag, and leaves it at that. Policies it refuses.
 */
#include <errno.h>
#include <memsuite/vipzone.h>

#include "device.h"

bool device_exists(void)
{
	return true;
}

int device_tell(unsigned long request, void *argument)
{
	(void)argument;
	if (request != VIPZONE_CHOOSE)
		return 0;
	errno = ENOENT;
	return -1;
}
