/* SPDX-License-Identifier: GPL-2.0-only */
/* Machine checks. */
#ifndef MEMSUITE_COMPAT_MCE_H
#define MEMSUITE_COMPAT_MCE_H

#include <linux/kconfig.h>
#include <linux/notifier.h>

#include <asm/mce.h>

/* The address is the machine's, says the record itself: known from 6.18 on. */
#ifdef MCI_STATUS_PADDRV
#define MEMSUITE_MCI_STATUS_PADDRV	MCI_STATUS_PADDRV
#else
#define MEMSUITE_MCI_STATUS_PADDRV	0
#endif

/* A kernel without CONFIG_X86_MCE tells of none. */
static inline void memsuite_mce_listen(struct notifier_block *block)
{
	if (IS_ENABLED(CONFIG_X86_MCE))
		mce_register_decode_chain(block);
}

static inline void memsuite_mce_leave(struct notifier_block *block)
{
	if (IS_ENABLED(CONFIG_X86_MCE))
		mce_unregister_decode_chain(block);
}

#endif
