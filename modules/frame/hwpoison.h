/* SPDX-License-Identifier: GPL-2.0-only */
/* Marking pages bad that are held, and unmarking them. */
#ifndef MEMSUITE_POISON_H
#define MEMSUITE_POISON_H

#include <linux/types.h>

struct page;

void ms_poison(struct page *page);
int ms_unpoison(struct page *page);
bool ms_poisoned(struct page *page);
u64 ms_poisoned_pages(void);
/* These frames went offline, retired ones among them. */
void ms_poison_forget(unsigned long pfn, unsigned long nr);

#endif
