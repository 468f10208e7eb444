/* SPDX-License-Identifier: GPL-2.0-only */
/* Who counts what the kernel allocates, or listens to it, hears of what a hook hands out. */
#ifndef MEMSUITE_FRAME_HANDED_H
#define MEMSUITE_FRAME_HANDED_H

#include <linux/gfp.h>

int memsuite_handed_init(void);

/*
 * A hook hands a page out: /proc/vmstat counts it, numastat does, and mm_page_alloc tells.
 * Context: any in which a hook answers.
 */
void memsuite_frame_handed(struct page *page, gfp_t gfp);

#endif
