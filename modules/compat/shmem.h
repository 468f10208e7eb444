/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of shared memory. */
#ifndef MEMSUITE_COMPAT_SHMEM_H
#define MEMSUITE_COMPAT_SHMEM_H

#include <linux/mm.h>
#include <linux/shmem_fs.h>

/* Its flags are a bitmap of their own from 7.0 on. */
#if MEMSUITE_HAVE_SHMEM_VMA_FLAGS
#define memsuite_shmem_file(name, size)	\
	shmem_file_setup(name, size, mk_vma_flags(VMA_NORESERVE_BIT))
#else
#define memsuite_shmem_file(name, size)	shmem_file_setup(name, size, VM_NORESERVE)
#endif

#endif
