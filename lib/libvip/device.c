// SPDX-License-Identifier: GPL-2.0-only
/* The vipzone module: device.h. */
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool device_exists(void)
{
	return !access("/dev/vipzone", R_OK | W_OK);
}

/* The device is not kept open: that would keep the module from being unloaded. */
static int open_and_tell(unsigned long request, void *argument)
{
	int device = open("/dev/vipzone", O_RDWR | O_CLOEXEC);
	int err, saved;

	if (device < 0)
		return -1;
	err = ioctl(device, request, argument);
	saved = errno;
	close(device);
	errno = saved;
	return err;
}

/* Memory may be on its way from one place to another: nobody is cancelled here. */
int device_tell(unsigned long request, void *argument)
{
	int cancel, err;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	err = open_and_tell(request, argument);
	pthread_setcancelstate(cancel, NULL);
	return err;
}
