/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/vipzone: what a program may tell about its memory.
 *
 * All of it is hints: where pages come from is decided by the policies that the
 * administrator writes to /sys/kernel/memsuite/vipzone/add. Anybody may open
 * the device. Each call is about the calling process's own address space,
 * whoever opened the file.
 *
 * Structures do not change their size; reserved fields and unknown flags must
 * be zero, and are refused with EINVAL, so that they can be given a meaning.
 */
#ifndef _UAPI_MEMSUITE_VIPZONE_H
#define _UAPI_MEMSUITE_VIPZONE_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * How memory is used (ViPZonE, Table 2): one of each pair. None means that it
 * is more read than written, and little used.
 */
#define _VIP_TYP_READ	0x0000		/* more reads than writes */
#define _VIP_TYP_WRITE	0x0010		/* more writes than reads */
#define _VIP_UTIL_LO	0x0000		/* little used */
#define _VIP_UTIL_HI	0x0020		/* much used: always low power first */
#define _VIP_LOW_UTIL	_VIP_UTIL_LO
#define _VIP_HI_UTIL	_VIP_UTIL_HI

#define _VIP_TYP_MASK	0x0010
#define _VIP_UTIL_MASK	0x0020
#define _VIP_MASK	(_VIP_TYP_MASK | _VIP_UTIL_MASK)

/* Ranges of different flags that a process may have. */
#define VIPZONE_MAX_RANGES	32768

/* Length of a policy, with the terminating NUL. */
#define VIPZONE_MAX_POLICY	256

/**
 * struct vipzone_range - a range of addresses and how it is used
 * @start: its first byte, a multiple of the page size
 * @length: bytes, a multiple of the page size
 * @flags: _VIP_TYP_* | _VIP_UTIL_*
 * @reserved: 0
 */
struct vipzone_range {
	__u64 start;
	__u64 length;
	__u32 flags;
	__u32 reserved;
};

/**
 * struct vipzone_default - how memory is used that lies in no tagged range
 * @flags: _VIP_TYP_* | _VIP_UTIL_*
 * @reserved: 0
 */
struct vipzone_default {
	__u32 flags;
	__u32 reserved;
};

/**
 * struct vipzone_choice - a policy that a program asks for
 * @policy: as described in salloc_policy(3), with a NUL at its end, and nothing
 *	but NULs behind; an empty one takes back what was asked for
 */
struct vipzone_choice {
	char policy[VIPZONE_MAX_POLICY];
};

/*
 * VIPZONE_TAG: tag a range, in place of tags that it has. Pages that are there
 *	already stay where they are. The range must be mapped; a tag goes with
 *	munmap(), exec and exit, moves with mremap(), and is inherited by fork.
 * VIPZONE_UNTAG: take the tags of a range away; flags are 0.
 * VIPZONE_QUERY: length and flags are 0; returns the tagged range that the
 *	address @start lies in. Neighbours with the same flags are one range.
 * VIPZONE_SET_DEFAULT, VIPZONE_GET_DEFAULT: inherited by fork, gone with exec.
 * VIPZONE_CHOOSE: ask for regions for segments of the process; inherited by
 *	fork and kept by exec, unless exec gains privileges (set-uid).
 *
 * Errors: EINVAL (not a multiple of the page size, empty, unknown flags,
 * reserved not zero, not a policy), EFAULT, ENOMEM (no memory, or part of the
 * range is not mapped), ENOSPC (too many ranges), ENOENT (VIPZONE_QUERY: not
 * tagged), EPERM (VIPZONE_CHOOSE: the administrator's policy for the process
 * does not let programs choose, or not that region), ERANGE (VIPZONE_CHOOSE: a
 * weight is not from 1 to 255), EOPNOTSUPP (the kernel has no mmu notifiers,
 * which tell what is unmapped), ENOTTY.
 */
#define VIPZONE_TAG		_IOW('Z', 0xc0, struct vipzone_range)
#define VIPZONE_UNTAG		_IOW('Z', 0xc1, struct vipzone_range)
#define VIPZONE_QUERY		_IOWR('Z', 0xc2, struct vipzone_range)
#define VIPZONE_SET_DEFAULT	_IOW('Z', 0xc3, struct vipzone_default)
#define VIPZONE_GET_DEFAULT	_IOR('Z', 0xc4, struct vipzone_default)
#define VIPZONE_CHOOSE		_IOW('Z', 0xc5, struct vipzone_choice)

#endif
