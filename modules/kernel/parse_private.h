/* SPDX-License-Identifier: GPL-2.0-only */
/* What only the core parses; all else is in memsuite/parse.h. */
#ifndef MEMSUITE_KERNEL_PARSE_PRIVATE_H
#define MEMSUITE_KERNEL_PARSE_PRIVATE_H

#include <linux/types.h>

#include <memsuite/parse.h>
#include <memsuite/region.h>

/**
 * memsuite_parse_name() - check the name of a region or of a bank map, and copy it
 * @text: letters, digits, '_', '-', '.', but not '.' at first
 * @name: MEMSUITE_REGION_NAME characters
 *
 * Pure.
 * Return: 0, -EINVAL or -ENAMETOOLONG.
 */
int memsuite_parse_name(const char *text, char *name);

/**
 * memsuite_parse_bytes() - parse a number of bytes: decimal or 0x, with an optional
 *	K, M, G or T
 * @text: where it begins; on return, what follows it
 * @bytes: result
 *
 * Pure.
 * Return: 0, -EINVAL (no digits) or -ERANGE.
 */
int memsuite_parse_bytes(const char **text, u64 *bytes);

#endif
