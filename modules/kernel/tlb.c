// SPDX-License-Identifier: GPL-2.0-only
/* Flushing TLBs; include/memsuite/tlb.h. */

#include <linux/export.h>

#include <memsuite/tlb.h>

#include "kernel/unexported_calls.h"

bool memsuite_tlb_flushable(void)
{
	return memsuite_kcall_flush_tlb_there();
}
EXPORT_SYMBOL_GPL(memsuite_tlb_flushable);

void memsuite_tlb_flush(struct mm_struct *mm, unsigned long start, unsigned long end)
{
	memsuite_kcall_flush_tlb(mm, start, end);
}
EXPORT_SYMBOL_GPL(memsuite_tlb_flush);
