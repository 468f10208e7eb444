// SPDX-License-Identifier: GPL-2.0-only
/* Where a kernel function lies, exported or not. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include "kernel/symbols.h"

/* Not by a pointer: see unexported_calls.c. */
DEFINE_STATIC_CALL_NULL(lookup_name, typeof(kallsyms_lookup_name));

/* A kprobe that is registered disabled patches nothing, and tells where a function is. */
static bool find_lookup(void)
{
	struct kprobe probe = {
		.symbol_name = "kallsyms_lookup_name",
		.flags = KPROBE_FLAG_DISABLED,
	};
	int err = register_kprobe(&probe);

	if (err) {
		pr_err("the kernel's functions cannot be looked up (%d)\n", err);
		return false;
	}
	static_call_update(lookup_name, (typeof(kallsyms_lookup_name) *)probe.addr);
	unregister_kprobe(&probe);
	return true;
}

unsigned long memsuite_symbol_address(const char *name)
{
	static bool found;

	found = found || find_lookup();
	return found ? static_call(lookup_name)(name) : 0;
}

/* What ftrace has put there: nothing yet, or a call. */
static bool is_traced_at(unsigned long address)
{
	static const u8 nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	const u8 *code = (const u8 *)address;

	return !memcmp(code, nop, sizeof(nop)) || *code == 0xe8;
}

unsigned long memsuite_symbol_traced(const char *name)
{
	unsigned long address = memsuite_symbol_address(name);

	if (IS_ENABLED(CONFIG_X86_KERNEL_IBT) && address && !is_traced_at(address))
		address += MEMSUITE_ENDBR_BYTES;
	return address;
}
