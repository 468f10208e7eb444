/* SPDX-License-Identifier: GPL-2.0-only */
/* Marking pages bad that are held, and unmarking them. */
#ifndef MEMSUITE_FRAME_HWPOISON_H
#define MEMSUITE_FRAME_HWPOISON_H

#include <linux/types.h>

struct page;

void memsuite_hwpoison_set(struct page *page);
int memsuite_hwpoison_clear(struct page *page);
bool memsuite_hwpoison_is_set(struct page *page);
u64 memsuite_hwpoison_count(void);
/* These frames went offline, retired ones among them. */
void memsuite_hwpoison_forget(unsigned long pfn, unsigned long nr);

#endif
