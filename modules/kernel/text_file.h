/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_KERNEL_TEXT_FILE_H
#define MEMSUITE_KERNEL_TEXT_FILE_H

#include <linux/types.h>

/**
 * memsuite_text_file_read() - read a text file
 * @path: of it
 * @text: result, with a final NUL
 * @size: of @text; what does not fit is left out
 *
 * Context: may sleep.
 * Return: the length of the text, or -errno.
 */
int memsuite_text_file_read(const char *path, char *text, size_t size);

#endif
