/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOST_ASM_SPECIAL_INSNS_H
#define HOST_ASM_SPECIAL_INSNS_H

static inline void clflush(volatile void *line)
{
	__asm__ volatile("clflush %0" : "+m" (*(volatile char *)line));
}

/* On a processor without it the prefix is ignored, and it is a clflush. */
static inline void clflushopt(volatile void *line)
{
	__asm__ volatile(".byte 0x66; clflush %0"
			 : "+m" (*(volatile char *)line));
}

#endif
