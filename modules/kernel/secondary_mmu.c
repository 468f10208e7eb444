// SPDX-License-Identifier: GPL-2.0-only
/* What secondary MMUs have seen used; include/memsuite/secondary_mmu.h. */

#include <linux/export.h>
#include <linux/mmu_notifier.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include <memsuite/secondary_mmu.h>

#include "kernel/unexported_calls.h"

/* Notifiers are called on the CPU that asks, and do not sleep. */
static DEFINE_PER_CPU(enum memsuite_young_ask, asker);

static void ask_begin(enum memsuite_young_ask ask)
{
	preempt_disable();
	this_cpu_write(asker, ask);
}

static void ask_end(void)
{
	this_cpu_write(asker, MEMSUITE_YOUNG_ASK_KERNEL);
	preempt_enable();
}

bool memsuite_secondary_mmu_clear_young(struct mm_struct *mm, unsigned long start,
					unsigned long end, enum memsuite_young_ask ask)
{
	bool young;

	if (!mm_has_notifiers(mm))
		return false;
	ask_begin(ask);
	young = memsuite_kcall_clear_young(mm, start, end);
	ask_end();
	return young;
}
EXPORT_SYMBOL_GPL(memsuite_secondary_mmu_clear_young);

bool memsuite_secondary_mmu_test_young(struct mm_struct *mm, unsigned long addr,
				       enum memsuite_young_ask ask)
{
	bool young;

	if (!mm_has_notifiers(mm))
		return false;
	ask_begin(ask);
	young = memsuite_kcall_test_young(mm, addr);
	ask_end();
	return young;
}
EXPORT_SYMBOL_GPL(memsuite_secondary_mmu_test_young);

enum memsuite_young_ask memsuite_secondary_mmu_asker(void)
{
	return this_cpu_read(asker);
}
EXPORT_SYMBOL_GPL(memsuite_secondary_mmu_asker);
