/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOST_LINUX_MM_H
#define HOST_LINUX_MM_H

#include <linux/align.h>
#include <linux/kernel.h>

#define PAGE_ALIGN(address)	ALIGN(address, PAGE_SIZE)
#define VM_MAYSHARE		0x80
#define VM_GROWSDOWN		0x100
#define VM_HUGETLB		0x400000

struct file;

struct mm_struct {
	unsigned long start_code, end_code, start_data, end_data;
	unsigned long start_brk, brk, start_stack;
};

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_flags;
	struct mm_struct *vm_mm;
	struct file *vm_file;
};

#endif
