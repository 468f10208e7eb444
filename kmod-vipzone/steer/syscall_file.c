// SPDX-License-Identifier: GPL-2.0-only
/* Which file a system call is about; syscall_file.h. */

#include <linux/compat.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#include "steer/syscall_file.h"

/*
 * What is behind a file descriptor, or NULL. Not fget(): nothing is to be counted for each page,
 * and RCU keeps what is looked at. The file may have been closed, and be another one, or none yet.
 */
static const struct inode *inode_behind(unsigned int fd)
{
	const struct files_struct *files = current->files;
	const struct fdtable *table;
	const struct file *file;

	if (!files)
		return NULL;
	table = rcu_dereference_raw(files->fdt);
	if (fd >= table->max_fds)
		return NULL;
	file = rcu_dereference_raw(table->fd[array_index_nospec(fd, table->max_fds)]);
	return file ? READ_ONCE(file->f_inode) : NULL;
}

static bool is_file(const struct inode *inode)
{
	return inode && S_ISREG(inode->i_mode);
}

/* -1: none that is known. Of two files, neither: it may be either's page. */
static long file_descriptor(struct pt_regs *regs)
{
	switch (syscall_get_nr(current, regs)) {
	case __NR_read:
	case __NR_pread64:
	case __NR_readv:
	case __NR_preadv:
	case __NR_preadv2:
	case __NR_write:
	case __NR_pwrite64:
	case __NR_writev:
	case __NR_pwritev:
	case __NR_pwritev2:
	case __NR_readahead:
	case __NR_fadvise64:
	case __NR_splice:
		return regs->di;
	case __NR_sendfile:
		return is_file(inode_behind(regs->di)) ? -1 : regs->si;
	default:
		return -1;
	}
}

const struct inode *vipzone_syscall_inode(void)
{
	if (current->flags & (PF_KTHREAD | PF_IO_WORKER) || in_compat_syscall())
		return NULL;
	return inode_behind(file_descriptor(task_pt_regs(current)));
}
