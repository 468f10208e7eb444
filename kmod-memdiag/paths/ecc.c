// SPDX-License-Identifier: GPL-2.0-only
/*
 * The errors that the machine itself reports, and what follows from them
 * (Asteroid, section 6.2): a page with too many is tested, with its
 * neighbours, with all that the tests can do.
 *
 * Machine checks come by the decode chain, and so do errors that the firmware
 * sees first (GHES): the kernel feeds them into the same chain on x86.
 *
 * Where the hardware corrects an error, a test of ours reads what it should. So
 * a page that the hardware complains of while it is tested is bad, too.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include <asm/mce.h>
#include <asm/processor.h>

#include <compat/mce.h>
#include <memsuite/alloc_stats.h>
#include <memsuite/control.h>
#include <memsuite/retire.h>

#include "paths/controller.h"
#include "paths/ecc.h"
#include "paths/range_test.h"
#include "result/bad_pages.h"
#include "result/retire_policy.h"
#include "result/ecc_count.h"

/* Between two looks at a test, and how long late reports are waited for. */
#define LOOK_JIFFIES	(HZ / 4)
#define GRACE_JIFFIES	(2 * HZ)

#define THRESHOLD_MAX	1000000

static DEFINE_MUTEX(ecc_lock);
static struct memdiag_ecc_count ecc_count;		/* under ecc_lock */
static u64 corrected, uncorrected, tests;	/* under ecc_lock */
static unsigned int threshold = 10;	/* what Intel's tools take, in a day */
static struct memdiag_range_test test = MEMDIAG_RANGE_TEST(test);	/* of the work alone */
static bool in_grace;			/* likewise */
static unsigned long begun;		/* likewise, in jiffies */

static void ecc_test_step(struct work_struct *unused);
static DECLARE_DELAYED_WORK(step_work, ecc_test_step);

/* Called by the work: test the next page that is due, if that is possible now. */
static void ecc_test_begin(struct memdiag_ecc_page *page)
{
	unsigned long first = ALIGN_DOWN(page->pfn, pageblock_nr_pages);
	int err;

	/* From here on: a report that comes in during the test counts. */
	page->fresh = 0;
	page->state = MEMDIAG_ECC_TESTING;
	begun = jiffies;
	err = memdiag_range_test_begin(&test, PFN_PHYS(first),
				       PFN_PHYS(first + pageblock_nr_pages));
	tests += !err;
	if (err)
		page->state = MEMDIAG_ECC_COUNTED;
}

/* To move what is there may take long, and machine checks wait for ecc_lock: without it. */
static enum memdiag_ecc_state ecc_retire(unsigned long pfn)
{
	struct memdiag_bad_page bad_page = {
		.pfn = pfn,
		.address = PFN_PHYS(pfn),
		.time = ktime_get_real_seconds(),
		.class = MEMDIAG_CLASS_HARD,
		.origin = MEMDIAG_FOUND_BY_ECC,
	};
	int err;

	/* The memory has gone since. */
	if (!pfn_to_online_page(pfn))
		return MEMDIAG_ECC_COUNTED;
	if (memdiag_bad_pages_refuse(&bad_page))
		return MEMDIAG_ECC_IN_USE;
	err = memsuite_page_retire(pfn);
	if (err == -ENXIO)
		return MEMDIAG_ECC_COUNTED;
	if (!memdiag_bad_pages_has(pfn))
		memdiag_bad_pages_add(&bad_page);
	return !err || err == -EEXIST ? MEMDIAG_ECC_RETIRED : MEMDIAG_ECC_IN_USE;
}

/* The test leaves out pages that it cannot get. */
static bool ecc_page_was_tested(const struct memdiag_ecc_page *page)
{
	return memsuite_alloc_stats_age_s(page->pfn) <= (jiffies - begun) / HZ + 1;
}

/* What has failed, and stays in use, is not. */
static bool ecc_page_is_good(const struct memdiag_ecc_page *page)
{
	return ecc_page_was_tested(page) && !memdiag_retire_policy_suspects(page->pfn);
}

/* Under ecc_lock, which is dropped meanwhile: a page that is tested keeps its place. */
static void ecc_test_end(struct memdiag_ecc_page *page)
{
	enum memdiag_ecc_state state;

	if (memsuite_page_retired(page->pfn)) {
		page->state = MEMDIAG_ECC_RETIRED;
	} else if (page->fresh) {
		mutex_unlock(&ecc_lock);
		pr_warn("page 0x%lx: the machine reports errors while it is tested\n",
			page->pfn);
		state = ecc_retire(page->pfn);
		mutex_lock(&ecc_lock);
		page->state = state;
	} else {
		page->state = ecc_page_is_good(page) ? MEMDIAG_ECC_PASSED : MEMDIAG_ECC_COUNTED;
	}
}

static void ecc_test_step(struct work_struct *unused)
{
	struct memdiag_ecc_page *page;
	unsigned long wait = LOOK_JIFFIES;

	mutex_lock(&ecc_lock);
	page = memdiag_ecc_count_find(&ecc_count, MEMDIAG_ECC_TESTING);
	if (!page) {
		page = memdiag_ecc_count_find(&ecc_count, MEMDIAG_ECC_ASKED);
		if (page)
			ecc_test_begin(page);
	} else if (memdiag_range_test_status(&test) != MEMDIAG_RANGE_RUNNING) {
		/* Reports of corrected errors may come in late. */
		if (in_grace)
			ecc_test_end(page);
		else
			wait = GRACE_JIFFIES;
		in_grace = !in_grace;
	}
	if (page)
		schedule_delayed_work(&step_work, wait);
	mutex_unlock(&ecc_lock);
}

static void ecc_error_count(unsigned long pfn, bool is_uncorrected)
{
	struct memdiag_ecc_page *page;

	mutex_lock(&ecc_lock);
	if (is_uncorrected)
		uncorrected++;
	else
		corrected++;
	page = memdiag_ecc_count_add(&ecc_count, pfn, is_uncorrected,
				     ktime_get_real_seconds());
	/* Loading memdiag changes nothing before it is enabled. */
	if (page && memdiag_controller_running() &&
	    memdiag_ecc_count_due(page, READ_ONCE(threshold), is_uncorrected)) {
		page->state = MEMDIAG_ECC_ASKED;
		schedule_delayed_work(&step_work, 0);
	}
	mutex_unlock(&ecc_lock);
}

/*
 * AMD's memory controllers (SMCA) report an address of their own channel, which
 * older kernels take for one of the machine's. Records of poison that was
 * consumed have the machine's, and those that say so.
 */
static bool mce_is_physical(const struct mce *mce)
{
	return !boot_cpu_has(X86_FEATURE_SMCA) ||
	       mce->status & (MCI_STATUS_POISON | MEMSUITE_MCI_STATUS_PADDRV);
}

/* In process context: the chain is called from a work item. */
static int ecc_chain_notify(struct notifier_block *block, unsigned long unused,
			    void *data)
{
	u64 mask = BIT_ULL(boot_cpu_data.x86_phys_bits) - 1;
	struct mce *mce = data;

	if (!mce || !mce_is_memory_error(mce) || !mce_usable_address(mce) ||
	    !mce_is_physical(mce))
		return NOTIFY_DONE;
	ecc_error_count(PHYS_PFN(mce->addr & mask),
			mce->status & (MCI_STATUS_UC | MCI_STATUS_DEFERRED));
	return NOTIFY_OK;
}

static struct notifier_block chain_block = {
	.notifier_call = ecc_chain_notify,
	.priority = MCE_PRIO_EDAC,
};

MEMSUITE_ATTR_NUMBER(ecc_threshold, threshold, 0, THRESHOLD_MAX);
MEMSUITE_ATTR_NUMBER_RO(ecc_corrected_errors, READ_ONCE(corrected));
MEMSUITE_ATTR_NUMBER_RO(ecc_uncorrected_errors, READ_ONCE(uncorrected));
MEMSUITE_ATTR_NUMBER_RO(ecc_tests, READ_ONCE(tests));

static struct attribute *ecc_attrs[] = {
	&ecc_threshold_attr.attr, &ecc_corrected_errors_attr.attr,
	&ecc_uncorrected_errors_attr.attr, &ecc_tests_attr.attr, NULL
};

const struct attribute_group memdiag_ecc_group = {
	.attrs = ecc_attrs,
};

static int ecc_pages_show(struct seq_file *file, void *unused)
{
	unsigned int i;

	seq_puts(file, "# pfn corrected uncorrected time state\n");
	mutex_lock(&ecc_lock);
	for (i = 0; i < ecc_count.nr; i++) {
		const struct memdiag_ecc_page *page = &ecc_count.pages[i];

		seq_printf(file, "0x%lx %llu %llu %lld %s\n", page->pfn,
			   page->corrected, page->uncorrected,
			   (long long)page->time,
			   memdiag_ecc_state_name[page->state]);
	}
	mutex_unlock(&ecc_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ecc_pages);

void memdiag_ecc_init(struct dentry *debugfs)
{
	debugfs_create_file("ecc_pages", 0400, debugfs, NULL, &ecc_pages_fops);
	memsuite_mce_listen(&chain_block);
}

/* The table is removed with its directory. */
void memdiag_ecc_exit(void)
{
	memsuite_mce_leave(&chain_block);
	cancel_delayed_work_sync(&step_work);
	memdiag_range_test_stop(&test);
}
