/* SPDX-License-Identifier: GPL-2.0-only */
/* User space may use the FPU whenever it likes. */
#ifndef HOST_ASM_FPU_API_H
#define HOST_ASM_FPU_API_H

#define irq_fpu_usable()	true
#define kernel_fpu_begin()	((void)0)
#define kernel_fpu_end()	((void)0)

#endif
