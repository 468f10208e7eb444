/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_FRAME_SELF_TEST_H
#define MEMSUITE_FRAME_SELF_TEST_H

/*
 * Tries out the kernel's functions that are not exported, on pages that nobody else uses.
 * -EOPNOTSUPP: one does something else than expected, and the log says which. May sleep.
 */
int memsuite_self_test_init(void);

#endif
