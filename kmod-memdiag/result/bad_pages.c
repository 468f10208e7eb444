// SPDX-License-Identifier: GPL-2.0-only
/* The list of bad pages, and telling user space of them. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <memsuite/region.h>
#include <memsuite/retire.h>

#include "result/bad_pages.h"
#include "result/ras_event.h"

#define CREATE_TRACE_POINTS
#include "result/trace.h"

/**
 * struct record - a bad page on the list
 * @link: in records, under records_lock
 * @bad_page: what is known of it
 * @nid: its memory node
 * @region: smallest region that it lies in
 * @dimm: where its DIMMs are plugged in, or "-"
 * @announced: user space was sent an event
 */
struct record {
	struct list_head link;
	struct memdiag_bad_page bad_page;
	int nid;
	char region[MEMSUITE_REGION_NAME];
	char dimm[MEMSUITE_REGION_TEXT];
	bool announced;
};

static LIST_HEAD(records);		/* all under records_lock */
static DEFINE_XARRAY(records_by_pfn);
static u64 count;
static u64 nr_to_announce;		/* known or not */
static DEFINE_MUTEX(records_lock);
static const char * const origin_name[] = {
	[MEMDIAG_FOUND_BY_TEST] = "test",
	[MEMDIAG_FOUND_BY_HAND] = "hand",
	[MEMDIAG_FOUND_BEFORE] = "restored",
	[MEMDIAG_FOUND_EMULATED] = "emulated",
	[MEMDIAG_FOUND_BY_ECC] = "ecc",
};

/* Columns of a table are separated by blanks. */
static void copy_word(char *word, const char *text, size_t size)
{
	strscpy(word, *text ? text : "-", size);
	strreplace(word, ' ', '_');
}

static void record_locate(struct record *record)
{
	u64 address = record->bad_page.address;
	struct memsuite_region_spec spec = {};

	record->nid = page_to_nid(pfn_to_page(record->bad_page.pfn));
	memsuite_region_at(address, BIT(MEMSUITE_REGION_DIMM), &spec);
	copy_word(record->dimm, spec.locator, sizeof(record->dimm));
	spec.name[0] = '\0';
	memsuite_region_at(address, BIT(MEMSUITE_REGION_NODE) | BIT(MEMSUITE_REGION_NVDIMM) |
			   BIT(MEMSUITE_REGION_ADMIN), &spec);
	copy_word(record->region, spec.name, sizeof(record->region));
}

#define ENV_SIZE	(MEMSUITE_REGION_TEXT + 16)

/* SUBSYSTEM=module, DEVPATH=/module/memdiag, ACTION=change. @nr: this page and others */
static void record_send_event(const struct record *record, u64 nr)
{
	const struct memdiag_bad_page *bad_page = &record->bad_page;
	char address[ENV_SIZE], mask[ENV_SIZE], class[ENV_SIZE];
	char origin[ENV_SIZE], node[ENV_SIZE], region[ENV_SIZE], dimm[ENV_SIZE], pages[ENV_SIZE];
	char *env[10] = {
		"MEMDIAG_EVENT=bad_page", address, mask, class, origin, node,
		region, dimm, pages, NULL
	};

	snprintf(address, ENV_SIZE, "ADDRESS=0x%llx", bad_page->address);
	snprintf(mask, ENV_SIZE, "MASK=0x%016llx", bad_page->mask);
	snprintf(class, ENV_SIZE, "CLASS=%s", memdiag_classify_name(bad_page->class));
	snprintf(origin, ENV_SIZE, "ORIGIN=%s", origin_name[bad_page->origin]);
	snprintf(node, ENV_SIZE, "NODE=%d", record->nid);
	snprintf(region, ENV_SIZE, "REGION=%s", record->region);
	snprintf(dimm, ENV_SIZE, "DIMM=%s", record->dimm);
	snprintf(pages, ENV_SIZE, "PAGES=%llu", nr);
	kobject_uevent_env(&THIS_MODULE->mkobj.kobj, KOBJ_CHANGE, env);
}

/*
 * In a work item: where a page is found, memory may be held. A chip that dies has thousands of bad
 * pages, and each event makes user space save the list: the pages of a second are one event, which
 * is of the first.
 */
static void records_announce(struct work_struct *unused)
{
	struct record *record, *first = NULL;

	mutex_lock(&records_lock);
	list_for_each_entry_reverse(record, &records, link) {
		if (record->announced)
			break;
		record->announced = true;
		first = record;
	}
	if (first) {
		record_send_event(first, nr_to_announce);
		nr_to_announce = 0;
	}
	mutex_unlock(&records_lock);
}

static DECLARE_DELAYED_WORK(announce_work, records_announce);

/* At once, or a second after the last time. */
static void records_announce_soon(void)
{
	static unsigned long next = INITIAL_JIFFIES;	/* under records_lock */
	unsigned long now = jiffies;

	if (delayed_work_pending(&announce_work))
		return;
	if (time_before(next, now))
		next = now;
	schedule_delayed_work(&announce_work, next - now);
	next += HZ;
}

/* What can be replaced: the DIMM, or without DIMMs the region. */
static const char *record_part(const struct record *record)
{
	return strcmp(record->dimm, "-") ? record->dimm : record->region;
}

/*
 * The part that more than half of the pages lie in; else any (Boyer and Moore's vote). Under
 * records_lock.
 */
static const char *records_major_part(void)
{
	const char *part = "-";
	struct record *record;
	u64 votes = 0;

	list_for_each_entry(record, &records, link) {
		if (!votes)
			part = record_part(record);
		if (strcmp(part, record_part(record)))
			votes--;
		else
			votes++;
	}
	return part;
}

static void records_send_alarm(const char *part, u64 nr, u64 mask)
{
	char dimm[ENV_SIZE], pages[ENV_SIZE], bits[ENV_SIZE];
	char *env[5] = { "MEMDIAG_EVENT=alarm", dimm, pages, bits, NULL };

	pr_alert("%llu pages are bad, as many as are retired (retire_policy/limit_pages); %llu lie in %s, their bits are 0x%016llx: replace it\n",
		 count, nr, part, mask);
	snprintf(dimm, ENV_SIZE, "DIMM=%s", part);
	snprintf(pages, ENV_SIZE, "PAGES=%llu", nr);
	snprintf(bits, ENV_SIZE, "MASK=0x%016llx", mask);
	kobject_uevent_env(&THIS_MODULE->mkobj.kobj, KOBJ_CHANGE, env);
}

static void records_alarm(struct work_struct *unused)
{
	struct record *record;
	const char *part;
	u64 nr = 0, mask = 0;

	mutex_lock(&records_lock);
	part = records_major_part();
	list_for_each_entry(record, &records, link) {
		if (strcmp(part, record_part(record)))
			continue;
		nr++;
		mask |= record->bad_page.mask;
	}
	records_send_alarm(part, nr, mask);
	mutex_unlock(&records_lock);
}

static DECLARE_WORK(alarm_work, records_alarm);

void memdiag_bad_pages_alarm(void)
{
	schedule_work(&alarm_work);
}

static struct record *record_find(unsigned long pfn)
{
	return xa_load(&records_by_pfn, pfn);
}

static void record_del(struct record *record)
{
	xa_erase(&records_by_pfn, record->bad_page.pfn);
	list_del(&record->link);
	count--;
}

/*
 * A page is counted even if there is no memory for its record. A page that is
 * found again, after its memory had gone offline, is not.
 */
void memdiag_bad_pages_add(const struct memdiag_bad_page *bad_page)
{
	struct record *record = kzalloc(sizeof(*record), GFP_KERNEL);
	bool reserved, is_new;

	if (record) {
		record->bad_page = *bad_page;
		record_locate(record);
	}
	/* Not under the lock, for which who has a page locked may wait. */
	reserved = record && !xa_reserve(&records_by_pfn, bad_page->pfn, GFP_KERNEL);
	mutex_lock(&records_lock);
	is_new = !record_find(bad_page->pfn);
	if (is_new) {
		count++;
		nr_to_announce++;
		records_announce_soon();
	}
	if (!is_new || !reserved ||
	    xa_err(xa_store(&records_by_pfn, bad_page->pfn, record, GFP_NOWAIT))) {
		kfree(record);
	} else {
		list_add_tail(&record->link, &records);
		trace_memdiag_bad_page(bad_page, record->nid, record->region,
				       record->dimm);
		memdiag_ras_event(bad_page, record->dimm);
	}
	mutex_unlock(&records_lock);
}

/* The first page behind a frame that is not retired; 0 if there is none. */
static unsigned long records_next_pending(unsigned long behind)
{
	unsigned long pfn = behind;
	struct record *record;

	mutex_lock(&records_lock);
	do {
		record = xa_find_after(&records_by_pfn, &pfn, ULONG_MAX, XA_PRESENT);
	} while (record && memsuite_page_retired(pfn));
	mutex_unlock(&records_lock);
	return record ? pfn : 0;
}

/*
 * Not under the lock: memory_failure() may wait for a page that is locked by a
 * task that waits for the lock to add a bad page.
 */
static void records_retire_again(struct work_struct *unused)
{
	unsigned long pfn = 0;

	while ((pfn = records_next_pending(pfn)))
		memsuite_page_retire(pfn);
}

static DECLARE_WORK(retire_work, records_retire_again);

void memdiag_bad_pages_retire_again(void)
{
	schedule_work(&retire_work);
}

bool memdiag_bad_pages_remove(unsigned long pfn)
{
	struct record *record;

	mutex_lock(&records_lock);
	record = record_find(pfn);
	if (record)
		record_del(record);
	mutex_unlock(&records_lock);
	kfree(record);
	return record;
}

int memdiag_bad_pages_revoke_emulated(void)
{
	struct record *record, *next;
	int err, result = 0;

	mutex_lock(&records_lock);
	list_for_each_entry_safe(record, next, &records, link) {
		if (record->bad_page.origin != MEMDIAG_FOUND_EMULATED)
			continue;
		err = memsuite_page_unretire(record->bad_page.pfn);
		if (err) {
			/* Found, and not yet retired. */
			result = err == -ENOENT ? -EBUSY : err;
			continue;
		}
		record_del(record);
		kfree(record);
	}
	mutex_unlock(&records_lock);
	return result;
}

bool memdiag_bad_pages_has(unsigned long pfn)
{
	bool has;

	mutex_lock(&records_lock);
	has = record_find(pfn);
	mutex_unlock(&records_lock);
	return has;
}

u64 memdiag_bad_pages_count(void)
{
	return READ_ONCE(count);
}

u64 memdiag_bad_pages_pending(void)
{
	struct record *record;
	u64 pending = 0;

	mutex_lock(&records_lock);
	list_for_each_entry(record, &records, link)
		pending += !memsuite_page_retired(record->bad_page.pfn);
	mutex_unlock(&records_lock);
	return pending;
}

static void record_show(struct seq_file *file, const struct record *record)
{
	const struct memdiag_bad_page *bad_page = &record->bad_page;

	seq_printf(file, "0x%lx 0x%llx 0x%016llx %u 0x%016llx %lld",
		   bad_page->pfn, bad_page->address, bad_page->mask,
		   bad_page->element, bad_page->background,
		   (long long)bad_page->time);
	seq_printf(file, " %s %s %d %s %s %s %d\n",
		   memdiag_classify_direction(bad_page->rising, bad_page->falling),
		   memdiag_classify_name(bad_page->class), record->nid, record->region,
		   record->dimm, origin_name[bad_page->origin],
		   memsuite_page_retired(bad_page->pfn));
}

static int bad_pages_show(struct seq_file *file, void *unused)
{
	struct record *record;

	seq_puts(file, "# pfn address mask element background time direction class node region dimm origin retired\n");
	mutex_lock(&records_lock);
	list_for_each_entry(record, &records, link)
		record_show(file, record);
	mutex_unlock(&records_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(bad_pages);

/*
 * The list is what must be kept across reboots, and hardened kernels have no debugfs,
 * or one that cannot be read.
 */
#define PROC_NAME	"memdiag_bad_pages"

int memdiag_bad_pages_init(struct dentry *debugfs)
{
	if (!proc_create_single(PROC_NAME, 0400, NULL, bad_pages_show))
		return -ENOMEM;
	debugfs_create_file("bad_pages", 0444, debugfs, NULL, &bad_pages_fops);
	return 0;
}

/* The table in debugfs is gone with its directory. */
void memdiag_bad_pages_exit(void)
{
	struct record *record, *next;

	/* Who saves the list reads it: before it is gone. */
	flush_delayed_work(&announce_work);
	remove_proc_entry(PROC_NAME, NULL);
	cancel_work_sync(&retire_work);
	cancel_work_sync(&alarm_work);
	list_for_each_entry_safe(record, next, &records, link)
		kfree(record);
	xa_destroy(&records_by_pfn);
}
