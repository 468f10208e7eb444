/* SPDX-License-Identifier: GPL-2.0-only */
/* Exception tables. */
#ifndef MEMSUITE_COMPAT_EXTABLE_H
#define MEMSUITE_COMPAT_EXTABLE_H

#include <asm/asm.h>

/*
 * An instruction at @from that meets a machine check, or memory that is not
 * there, is left for @to; it may have changed rax. Since 5.16 there is a type
 * of its own for that.
 */
#ifdef EX_TYPE_DEFAULT_MCE_SAFE
#define MEMSUITE_ASM_EXTABLE_MCE_SAFE(from, to) \
	_ASM_EXTABLE_TYPE(from, to, EX_TYPE_DEFAULT_MCE_SAFE)
#else
#define MEMSUITE_ASM_EXTABLE_MCE_SAFE(from, to)	_ASM_EXTABLE_FAULT(from, to)
#endif

#endif
