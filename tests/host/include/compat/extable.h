/* SPDX-License-Identifier: GPL-2.0-only */
/* In user space nobody is called back after a machine check. */
#define MEMSUITE_ASM_EXTABLE_MCE_SAFE(from, to)	""
