/* SPDX-License-Identifier: GPL-2.0-only */
/* Which file a system call is about. */
#ifndef VIPZONE_STEER_SYSCALL_FILE_H
#define VIPZONE_STEER_SYSCALL_FILE_H

struct inode;

/**
 * vipzone_syscall_inode() - the file that the calling task reads or writes
 *
 * The page cache does not say for which file it allocates. Of a system call with a file descriptor
 * the registers tell, that the task entered the kernel with. Page faults, io_uring, calls of
 * 32-bit programs and others are not told about.
 *
 * Context: under RCU, any. Should another thread close the file meanwhile, the answer may be
 * another one's.
 * Return: the inode, while RCU is held; or NULL.
 */
const struct inode *vipzone_syscall_inode(void);

#endif
