// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pressure stall information, by the functions behind /proc/pressure. What
 * they print is an interface to user space and alike on every kernel, which
 * the structures that it is kept in are not; and unlike those it is up to date
 * whenever it is asked for.
 */

#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include <memsuite/psi.h>

#include "kernel/unexported_calls.h"

/* Two lines of about 60 characters. */
#define TEXT_MAX	256

int memsuite_psi_read(enum memsuite_psi what, u64 *us)
{
	char text[TEXT_MAX], *total;
	struct seq_file file = { .buf = text, .size = sizeof(text) - 1 };
	int err = memsuite_kcall_psi_show(what, &file);

	if (err)
		return err;
	text[file.count] = '\0';
	/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=0" comes first. */
	total = strstr(text, "total=");
	if (!total || sscanf(total, "total=%llu", us) != 1)
		return -EOPNOTSUPP;
	return 0;
}
EXPORT_SYMBOL_GPL(memsuite_psi_read);
