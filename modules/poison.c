// SPDX-License-Identifier: GPL-2.0-only
/* Retiring a page for good. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/mm.h>

#include <compat/compat.h>

#include "poison.h"
#include "region.h"

static atomic64_t poisoned = ATOMIC64_INIT(0);

/*
 * With vm.memory_failure_recovery=0 memory_failure() panics, which is not
 * what an administrator means for a page that was found bad while free.
 */
static bool recovery_allowed(void)
{
	char value[4];

	return ms_read_text("/proc/sys/vm/memory_failure_recovery", value,
			    sizeof(value)) > 0 && value[0] != '0';
}

/**
 * ms_poison() - retire a page that the caller holds
 * @page: of order 0; its reference is kept for ever
 *
 * memory_failure() marks the page, counts it in HardwareCorrupted and in the
 * node's statistics, tells user space, and then fails, since it finds nobody
 * to take the page from.
 *
 * Context: may sleep.
 */
void ms_poison(struct page *page)
{
	unsigned long pfn = page_to_pfn(page);

	if (recovery_allowed())
		memory_failure(pfn, MS_MF_SW_SIMULATED);
	else
		pr_warn_once("vm.memory_failure_recovery is 0: retired pages are not counted in HardwareCorrupted\n");
	/* In every case: what carries the mark is never freed to the lists. */
	SetPageHWPoison(page);
	atomic64_inc(&poisoned);
	pr_warn("page 0x%lx is bad and was retired\n", pfn);
}

u64 ms_poisoned_pages(void)
{
	return atomic64_read(&poisoned);
}
