/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads that survive uncorrectable errors. Memory that the ECC cannot correct
 * raises a machine check when a load consumes it. In the kernel that is the
 * end, unless the load has an entry in the exception table and the processor
 * can recover.
 */
#ifndef MEMDIAG_MARCH_MCSAFE_H
#define MEMDIAG_MARCH_MCSAFE_H

#include <linux/compiler.h>
#include <linux/types.h>

#include <compat/extable.h>

/**
 * memdiag_mcsafe_read() - whether a line of memory can be read
 * @word: in the line
 *
 * An error shows in whichever word of a line is read first. After this the line
 * is in the cache, and good: what reads it next needs no care.
 *
 * Context: any.
 * Return: false if it has an uncorrectable error.
 */
static __always_inline bool memdiag_mcsafe_read(const u64 *word)
{
	asm goto("1:	movq (%0), %%rax\n"
		 MEMSUITE_ASM_EXTABLE_MCE_SAFE(1b, %l[uncorrectable])
		 : : "r" (word) : "rax", "memory" : uncorrectable);
	return true;
uncorrectable:
	return false;
}

#endif
