// SPDX-License-Identifier: GPL-2.0-only
/* Marking pages bad that are held, and unmarking them. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/mutex.h>

#include <compat/compat.h>
#include <compat/poison.h>

#include "frame/hwpoison.h"
#include "kernel/text_file.h"

static atomic64_t poisoned = ATOMIC64_INIT(0);
static DEFINE_MUTEX(poison_lock);

/*
 * With vm.memory_failure_recovery=0 memory_failure() panics, which is not
 * what an administrator means for a page that was found bad while free.
 */
static bool recovery_allowed(void)
{
	char value[4];

	return memsuite_text_file_read("/proc/sys/vm/memory_failure_recovery", value,
				       sizeof(value)) > 0 && value[0] != '0';
}

/* memory_failure() marks, counts and announces; it finds nothing to recover. */
static void page_fail(struct page *page)
{
	memory_failure(page_to_pfn(page), MEMSUITE_MF_SW_SIMULATED);
	/* One reference holds the page; a second one would bar unpoisoning. */
	if (MEMSUITE_MEMORY_FAILURE_KEEPS_REF)
		put_page(page);
	set_page_private(page, MEMSUITE_RETIRED_COUNTED);
}

/**
 * memsuite_hwpoison_set() - retire a page that the caller holds
 * @page: of order 0; its reference is kept for ever
 *
 * memory_failure() marks the page, counts it in HardwareCorrupted and in the
 * node's statistics, tells user space, and then fails, since it finds nobody
 * to take the page from.
 *
 * Context: may sleep.
 */
void memsuite_hwpoison_set(struct page *page)
{
	mutex_lock(&poison_lock);
	if (IS_ENABLED(CONFIG_MEMORY_FAILURE) && recovery_allowed()) {
		page_fail(page);
	} else {
		pr_warn_once("%s: retired pages are not counted in HardwareCorrupted\n",
			     IS_ENABLED(CONFIG_MEMORY_FAILURE) ?
			     "vm.memory_failure_recovery is 0" :
			     "the kernel has no CONFIG_MEMORY_FAILURE");
		set_page_private(page, MEMSUITE_RETIRED_UNCOUNTED);
	}
	/* In every case: what carries the mark is never freed to the lists. */
	memsuite_page_mark_bad(page);
	mutex_unlock(&poison_lock);
	atomic64_inc(&poisoned);
	pr_warn_ratelimited("page 0x%lx was retired\n", page_to_pfn(page));
}

bool memsuite_hwpoison_is_set(struct page *page)
{
	return memsuite_page_is_bad(page) &&
	       (page_private(page) == MEMSUITE_RETIRED_COUNTED ||
		page_private(page) == MEMSUITE_RETIRED_UNCOUNTED);
}

/* The kernel drops the mark, the count and the reference; 5.10 never says no. */
static int page_unpoison(struct page *page)
{
	int err;

	set_page_private(page, 0);
	err = unpoison_memory(page_to_pfn(page));
	if (!err && PageHWPoison(page))
		err = -EBUSY;
	if (err)
		set_page_private(page, MEMSUITE_RETIRED_COUNTED);
	return err;
}

/**
 * memsuite_hwpoison_clear() - free a page that memsuite_hwpoison_set() retired
 * @page: the page
 *
 * Context: may sleep.
 * Return: 0; -ENOENT (not marked); -EPERM (not marked by us); -EOPNOTSUPP (the
 * kernel refuses, after a memory failure of the hardware); -EBUSY.
 */
int memsuite_hwpoison_clear(struct page *page)
{
	int err = 0;

	mutex_lock(&poison_lock);
	if (!memsuite_page_is_bad(page)) {
		err = -ENOENT;
	} else if (!memsuite_hwpoison_is_set(page)) {
		err = -EPERM;
	} else if (page_private(page) == MEMSUITE_RETIRED_UNCOUNTED) {
		set_page_private(page, 0);
		memsuite_page_unmark_bad(page);
		put_page(page);
	} else {
		err = IS_ENABLED(CONFIG_MEMORY_FAILURE) ? page_unpoison(page) : -EOPNOTSUPP;
	}
	mutex_unlock(&poison_lock);
	if (err == -EOPNOTSUPP)
		pr_warn_ratelimited("page 0x%lx stays retired: the kernel gives no page back after a memory failure of the hardware\n",
				    page_to_pfn(page));
	if (err)
		return err;
	/* Pages that an earlier load of the suite retired were not counted. */
	atomic64_dec_if_positive(&poisoned);
	pr_info("page 0x%lx is no longer retired\n", page_to_pfn(page));
	return 0;
}

/* The kernel forgets its marks when it makes the pages anew. */
void memsuite_hwpoison_forget(unsigned long pfn, unsigned long nr)
{
	unsigned long end = pfn + nr;

	for (; pfn < end; pfn++)
		if (memsuite_hwpoison_is_set(pfn_to_page(pfn)))
			atomic64_dec_if_positive(&poisoned);
}

u64 memsuite_hwpoison_count(void)
{
	return atomic64_read(&poisoned);
}
