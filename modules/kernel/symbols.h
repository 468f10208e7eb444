/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_KERNEL_SYMBOLS_H
#define MEMSUITE_KERNEL_SYMBOLS_H

/**
 * memsuite_symbol_address() - address of a kernel function
 * @name: its symbol
 *
 * A kprobe that is registered disabled patches nothing and tells the address.
 * On kernels with IBT that is 4 bytes past the entry, behind the ENDBR, which
 * is also where ftrace knows the function. Never call it through a pointer:
 * see unexported_calls.c. It stays registered until memsuite_symbols_end().
 *
 * Context: may sleep; one task at a time.
 * Return: the address, or 0 if there is no such function or it may not be
 * probed.
 */
unsigned long memsuite_symbol_address(const char *name);

/**
 * memsuite_symbols_end() - all has been looked up, for now
 *
 * A grace period has to pass after kprobes are unregistered: one for all, not
 * one for each, which is most of the time that loading takes.
 *
 * Context: as above.
 */
void memsuite_symbols_end(void);

#endif
