/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOST_ASM_PROCESSOR_H
#define HOST_ASM_PROCESSOR_H

#define X86_VENDOR_INTEL	0

#define boot_cpu_data	((struct { int x86_vendor; }){			\
	__builtin_cpu_is("intel") ? X86_VENDOR_INTEL : -1 })

#endif
