/* SPDX-License-Identifier: GPL-2.0-only */
/* What the messages of dm-vstore begin with; before anything of device-mapper. */
#ifndef VSTORE_DM_PREFIX_H
#define VSTORE_DM_PREFIX_H

#define DM_MSG_PREFIX	"vstore"

#include <linux/device-mapper.h>

#endif
