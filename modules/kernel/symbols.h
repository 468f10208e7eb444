/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_KERNEL_SYMBOLS_H
#define MEMSUITE_KERNEL_SYMBOLS_H

unsigned long memsuite_symbol_address(const char *name);

#endif
