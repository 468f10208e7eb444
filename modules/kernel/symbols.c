// SPDX-License-Identifier: GPL-2.0-only
/* Where a kernel function lies, exported or not. */

#include <linux/kprobes.h>

#include "kernel/symbols.h"

/**
 * memsuite_symbol_address() - address of a kernel function
 * @name: its symbol
 *
 * A kprobe that is registered disabled patches nothing and tells the address.
 * On kernels with IBT that is 4 bytes past the entry, behind the ENDBR, which
 * is also where ftrace knows the function. Never call it through a pointer:
 * see unexported_calls.c.
 *
 * Return: the address, or 0 if there is no such function or it may not be
 * probed.
 */
unsigned long memsuite_symbol_address(const char *name)
{
	struct kprobe kp = {
		.symbol_name = name,
		.flags = KPROBE_FLAG_DISABLED,
	};
	unsigned long address;

	if (register_kprobe(&kp))
		return 0;
	address = (unsigned long)kp.addr;
	unregister_kprobe(&kp);
	return address;
}
