/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a program tells a plugin of QEMU that something begins or ends: it runs code at an address that means it, where
 * nothing else has any. See tests/plugin/traffic.c.
 */
#ifndef MARK_H
#define MARK_H

#define MARK_PAGE	0x5ca1ab1e0000ull
#define MARK_START	0x100	/* count, from zero on */
#define MARK_LAP	0x200	/* note how many instructions there were so far */
#define MARK_STOP	0x300	/* write what was counted */

#endif
