/* SPDX-License-Identifier: GPL-2.0-only */
/* Machine checks. */
#ifndef MEMSUITE_COMPAT_MCE_H
#define MEMSUITE_COMPAT_MCE_H

#include <asm/mce.h>

/* The address is the machine's, says the record itself: known from 6.18 on. */
#ifdef MCI_STATUS_PADDRV
#define MEMSUITE_MCI_STATUS_PADDRV	MCI_STATUS_PADDRV
#else
#define MEMSUITE_MCI_STATUS_PADDRV	0
#endif

#endif
