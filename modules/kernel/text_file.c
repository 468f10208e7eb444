// SPDX-License-Identifier: GPL-2.0-only
/*
 * Small text files of /sys and /proc. Some of what the kernel knows it tells to
 * nobody but user space.
 */

#include <linux/err.h>
#include <linux/fs.h>

#include "kernel/text_file.h"

int memsuite_text_file_read(const char *path, char *text, size_t size)
{
	struct file *file = filp_open(path, O_RDONLY, 0);
	loff_t pos = 0;
	ssize_t length;

	if (IS_ERR(file))
		return PTR_ERR(file);
	length = kernel_read(file, text, size - 1, &pos);
	filp_close(file, NULL);
	if (length >= 0)
		text[length] = '\0';
	return length;
}
