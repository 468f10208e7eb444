/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_KERNEL_SYMBOLS_H
#define MEMSUITE_KERNEL_SYMBOLS_H

/* Where a function begins with an ENDBR, ftrace is behind it. */
#define MEMSUITE_ENDBR_BYTES	4

/**
 * memsuite_symbol_address() - address of a kernel function
 * @name: its symbol
 *
 * Never call it through a pointer: see unexported_calls.c.
 *
 * Context: may sleep; one task at a time.
 * Return: the address of its entry, or 0 if there is no such function.
 */
unsigned long memsuite_symbol_address(const char *name);

/**
 * memsuite_symbol_traced() - where ftrace knows a kernel function
 * @name: its symbol
 *
 * On kernels with IBT that is behind the ENDBR.
 *
 * Context: as above.
 * Return: the address, or 0 if there is no such function.
 */
unsigned long memsuite_symbol_traced(const char *name);

#endif
