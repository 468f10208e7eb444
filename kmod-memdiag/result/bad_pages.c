// SPDX-License-Identifier: GPL-2.0-only
/* The list of bad pages, and telling user space of them. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <memsuite/region.h>
#include <memsuite/retire.h>

#include "result/area.h"
#include "result/bad_pages.h"
#include "result/event.h"
#include "result/part.h"
#include "result/ras_event.h"

#define CREATE_TRACE_POINTS
#include "result/trace.h"

/**
 * struct record - a bad page on the list
 * @link: in records, under records_lock
 * @news: in news, likewise, until user space was told of it
 * @bad_page: what is known of it
 * @nid: its memory node
 * @region: smallest region that it lies in
 * @part: its DIMM, or what it lies in if there is none
 */
struct record {
	struct list_head link;
	struct list_head news;
	struct memdiag_bad_page bad_page;
	int nid;
	char region[MEMSUITE_REGION_NAME];
	struct memdiag_part *part;
};

static LIST_HEAD(records);		/* all under records_lock */
static LIST_HEAD(news);
static DEFINE_XARRAY(records_by_pfn);
static struct memdiag_quota all;	/* of the machine */
static struct memdiag_part *worst;	/* most of these lay there when the alarm was raised */
static unsigned int most_dimm_pct;	/* of a part, that may be bad; 0: any number */
static u64 nr_unlisted;			/* to be told of: there was no memory to know more */
static DEFINE_MUTEX(records_lock);

/* In records_by_pfn, of pages that were not seen to be withheld. */
#define PENDING		XA_MARK_1

static const char * const origin_name[] = {
	[MEMDIAG_FOUND_BY_TEST] = "test",
	[MEMDIAG_FOUND_BY_HAND] = "hand",
	[MEMDIAG_FOUND_BEFORE] = "restored",
	[MEMDIAG_FOUND_EMULATED] = "emulated",
	[MEMDIAG_FOUND_BY_ECC] = "ecc",
};

static const char *record_dimm(const struct record *record)
{
	return memdiag_part_is_dimm(record->part) ? record->part->name : "-";
}

static struct record *record_find(unsigned long pfn)
{
	return xa_load(&records_by_pfn, pfn);
}

/* Whether the page is in use still. The mark follows. */
static bool record_is_pending(const struct record *record)
{
	unsigned long pfn = record->bad_page.pfn;
	bool pending = !memsuite_page_retired(pfn);

	if (pending)
		xa_set_mark(&records_by_pfn, pfn, PENDING);
	else
		xa_clear_mark(&records_by_pfn, pfn, PENDING);
	return pending;
}

static struct record *record_new(const struct memdiag_bad_page *bad_page)
{
	struct memsuite_region_spec spec = { .name = "-" };
	struct record *record;

	/*
	 * Memory that comes online is tested before it is online, and who has found a page of other
	 * memory may be done only when that has gone.
	 */
	if (!pfn_valid(bad_page->pfn))
		return NULL;
	record = kzalloc(sizeof(*record), GFP_KERNEL);
	if (!record)
		return NULL;
	record->part = memdiag_part_at(bad_page->address);
	if (!record->part) {
		kfree(record);
		return NULL;
	}
	record->bad_page = *bad_page;
	record->nid = page_to_nid(pfn_to_page(bad_page->pfn));
	memsuite_region_at(bad_page->address, BIT(MEMSUITE_REGION_NODE) |
			   BIT(MEMSUITE_REGION_NVDIMM) | BIT(MEMSUITE_REGION_ADMIN), &spec);
	strscpy(record->region, spec.name, sizeof(record->region));
	return record;
}

/* Of @record, and of all pages that are told of with it, unlisted ones as well. */
static void record_tell(const struct record *record, const struct memdiag_area *area, u64 unlisted)
{
	const struct memdiag_bad_page *bad_page = &record->bad_page;
	char text[MEMDIAG_AREA_TEXT];

	memdiag_area_text(area, text);
	pr_warn("%s: %s\n", record->part->name, text);
	memdiag_event_begin("bad_page");
	memdiag_event_add("ADDRESS=0x%llx", bad_page->address);
	memdiag_event_add("MASK=0x%016llx", bad_page->mask);
	memdiag_event_add("CLASS=%s", memdiag_classify_name(bad_page->class));
	memdiag_event_add("ORIGIN=%s", origin_name[bad_page->origin]);
	memdiag_event_add("NODE=%d", record->nid);
	memdiag_event_add("REGION=%s", record->region);
	memdiag_event_add("DIMM=%s", record_dimm(record));
	memdiag_event_add("PAGES=%llu", area->nr + unlisted);
	memdiag_event_add_area(area);
	memdiag_event_send();
}

static void records_announce(struct work_struct *unused);
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

/*
 * In a work item: where a page is found, memory may be held. A chip that dies has thousands of bad
 * pages, and each event makes user space save the list: the pages of a second that lie in one DIMM
 * are one event and one message. Those in another one are the next second's.
 */
static void records_announce(struct work_struct *unused)
{
	struct record *first, *record, *next, told;
	struct memdiag_area area = {};
	u64 unlisted = 0;

	mutex_lock(&records_lock);
	first = list_first_entry_or_null(&news, struct record, news);
	if (first) {
		/* It may be gone from the list when it is told of. */
		told = *first;
		list_for_each_entry_safe(record, next, &news, news) {
			if (record->part != told.part)
				continue;
			memdiag_area_add(&area, record->bad_page.address, record->bad_page.mask);
			list_del_init(&record->news);
		}
		unlisted = nr_unlisted;
		nr_unlisted = 0;
	}
	if (!list_empty(&news))
		records_announce_soon();
	mutex_unlock(&records_lock);
	if (area.nr)
		record_tell(&told, &area, unlisted);
}

/* Of a part; or of the machine, most of whose bad pages lie in it. */
static void alarm_tell(const struct memdiag_part *part, bool of_machine)
{
	struct memdiag_area area = {};
	char text[MEMDIAG_AREA_TEXT];
	struct record *record;

	mutex_lock(&records_lock);
	list_for_each_entry(record, &records, link)
		if (record->part == part)
			memdiag_area_add(&area, record->bad_page.address, record->bad_page.mask);
	mutex_unlock(&records_lock);
	if (!area.nr)
		return;
	memdiag_area_text(&area, text);
	if (of_machine)
		pr_alert("%llu pages are bad, as many as are retired (retire_policy/limit_pages); most lie in %s, %s: replace it\n",
			 memdiag_bad_pages_count(), part->name, text);
	else
		pr_alert("as many pages of %s are bad as are retired of it (retire_policy/limit_dimm_pct), %s: replace it\n",
			 part->name, text);
	memdiag_event_begin("alarm");
	memdiag_event_add("LIMIT=%s", of_machine ? "pages" : "dimm");
	memdiag_event_add("DIMM=%s", part->name);
	memdiag_event_add("PAGES=%llu", area.nr);
	memdiag_event_add("MASK=0x%016llx", area.mask);
	memdiag_event_add_area(&area);
	memdiag_event_send();
}

static bool alarm_is_due(struct memdiag_quota *quota)
{
	bool due;

	mutex_lock(&records_lock);
	due = memdiag_quota_tell(quota);
	mutex_unlock(&records_lock);
	return due;
}

/* Parts stay until the module goes. */
static void records_alarm(struct work_struct *unused)
{
	struct memdiag_part *part;

	if (alarm_is_due(&all))
		alarm_tell(READ_ONCE(worst), true);
	list_for_each_entry_rcu(part, &memdiag_parts, link, true)
		if (alarm_is_due(&part->quota))
			alarm_tell(part, false);
}

static DECLARE_WORK(alarm_work, records_alarm);

static struct memdiag_part *parts_worst(void)
{
	struct memdiag_part *part, *found = NULL;

	list_for_each_entry_rcu(part, &memdiag_parts, link, true)
		if (!found || part->quota.bad > found->quota.bad)
			found = part;
	return found;
}

static u64 part_most(const struct memdiag_part *part)
{
	return DIV_ROUND_UP_ULL(READ_ONCE(part->pages) * most_dimm_pct, 100);
}

bool memdiag_bad_pages_refuse(const struct memdiag_bad_page *bad_page)
{
	struct memdiag_part *part = memdiag_part_at(bad_page->address);
	time64_t now = ktime_get_real_seconds();
	bool refused = false;

	mutex_lock(&records_lock);
	/* One that is on the list is only retired again. */
	if (!record_find(bad_page->pfn)) {
		if (part)
			memdiag_quota_set_most(&part->quota, part_most(part));
		if (!all.alarm)
			WRITE_ONCE(worst, parts_worst());
		refused = (part && memdiag_quota_refuses(&part->quota, now)) ||
			  memdiag_quota_refuses(&all, now);
	}
	if (refused)
		schedule_work(&alarm_work);
	mutex_unlock(&records_lock);
	return refused;
}

void memdiag_bad_pages_set_limits(u64 most, unsigned int dimm_pct)
{
	struct memdiag_part *part;

	mutex_lock(&records_lock);
	most_dimm_pct = dimm_pct;
	memdiag_quota_set_most(&all, most);
	memdiag_quota_take_back(&all);
	list_for_each_entry_rcu(part, &memdiag_parts, link, true) {
		memdiag_quota_set_most(&part->quota, part_most(part));
		memdiag_quota_take_back(&part->quota);
	}
	mutex_unlock(&records_lock);
}

static ssize_t alarm_emit(const struct memdiag_quota *quota, const struct memdiag_part *part,
			  const char *limit, char *buf, ssize_t at)
{
	if (!quota->alarm)
		return 0;
	return sysfs_emit_at(buf, at, "%s %s %lld\n", limit, part ? part->name : "-",
			     (long long)quota->since);
}

ssize_t memdiag_bad_pages_alarms(char *buf)
{
	struct memdiag_part *part;
	ssize_t at;

	mutex_lock(&records_lock);
	at = alarm_emit(&all, worst, "pages", buf, 0);
	list_for_each_entry_rcu(part, &memdiag_parts, link, true)
		at += alarm_emit(&part->quota, part, "dimm", buf, at);
	mutex_unlock(&records_lock);
	return at;
}

unsigned int memdiag_bad_pages_alarm_count(void)
{
	struct memdiag_part *part;
	unsigned int nr;

	mutex_lock(&records_lock);
	nr = all.alarm;
	list_for_each_entry_rcu(part, &memdiag_parts, link, true)
		nr += part->quota.alarm;
	mutex_unlock(&records_lock);
	return nr;
}

static void record_del(struct record *record)
{
	xa_erase(&records_by_pfn, record->bad_page.pfn);
	list_del(&record->link);
	list_del(&record->news);
	memdiag_quota_del(&record->part->quota);
	memdiag_quota_del(&all);
}

/*
 * A page is counted even if there is no memory for its record. A page that is
 * found again, after its memory had gone offline, is not.
 */
void memdiag_bad_pages_add(const struct memdiag_bad_page *bad_page)
{
	struct record *record = record_new(bad_page);
	bool reserved, is_new;

	/* Not under the lock, for which who has a page locked may wait. */
	reserved = record && !xa_reserve(&records_by_pfn, bad_page->pfn, GFP_KERNEL);
	mutex_lock(&records_lock);
	is_new = !record_find(bad_page->pfn);
	if (is_new) {
		memdiag_quota_add(&all);
		records_announce_soon();
	}
	if (!is_new || !reserved ||
	    xa_err(xa_store(&records_by_pfn, bad_page->pfn, record, GFP_NOWAIT))) {
		nr_unlisted += is_new;
		kfree(record);
	} else {
		list_add_tail(&record->link, &records);
		list_add_tail(&record->news, &news);
		xa_set_mark(&records_by_pfn, bad_page->pfn, PENDING);
		memdiag_quota_add(&record->part->quota);
		trace_memdiag_bad_page(bad_page, record->nid, record->region,
				       record_dimm(record));
		memdiag_ras_event(bad_page, record_dimm(record));
	}
	mutex_unlock(&records_lock);
}

static bool record_is_emulated(const struct record *record)
{
	return record->bad_page.origin == MEMDIAG_FOUND_EMULATED;
}

/* The first page behind a frame that is of a kind; 0 if there is none. */
static unsigned long records_next(unsigned long behind, bool (*is_wanted)(const struct record *))
{
	unsigned long pfn = behind;
	struct record *record;

	mutex_lock(&records_lock);
	do {
		record = xa_find_after(&records_by_pfn, &pfn, ULONG_MAX, XA_PRESENT);
	} while (record && !is_wanted(record));
	mutex_unlock(&records_lock);
	return record ? pfn : 0;
}

/* Who retires what is on the list, and who gives it back: what is gone from it is not retired. */
static DEFINE_MUTEX(again_lock);

/* Returns the page; 0 if there is none. */
static unsigned long records_retire_next(unsigned long behind, int *err)
{
	unsigned long pfn;

	mutex_lock(&again_lock);
	pfn = records_next(behind, record_is_pending);
	if (pfn)
		*err = memsuite_page_retire(pfn);
	mutex_unlock(&again_lock);
	return pfn;
}

/*
 * Each page that cannot be had costs time, and the node's pools what they hold: there are so
 * many in a sweep at most.
 */
#define VAIN_MAX	64

static bool ending, all_are_due;

/*
 * Not under the lock: memory_failure() may wait for a page that is locked by a
 * task that waits for the lock to add a bad page.
 */
static void records_retire_again(struct work_struct *unused)
{
	static unsigned long pfn;	/* where the last one has ended */
	unsigned int vain = 0, most = VAIN_MAX;
	int err;

	if (xchg(&all_are_due, false)) {
		pfn = 0;
		most = UINT_MAX;
	}
	while (vain < most && !READ_ONCE(ending)) {
		pfn = records_retire_next(pfn, &err);
		if (!pfn)
			break;
		vain += err != 0;
	}
}

static DECLARE_WORK(retire_work, records_retire_again);

void memdiag_bad_pages_retire_again(bool all)
{
	if (all)
		WRITE_ONCE(all_are_due, true);
	schedule_work(&retire_work);
}

static void record_remove(unsigned long pfn)
{
	struct record *record;

	mutex_lock(&records_lock);
	record = record_find(pfn);
	if (record)
		record_del(record);
	mutex_unlock(&records_lock);
	kfree(record);
}

int memdiag_bad_pages_unretire(unsigned long pfn)
{
	int err;

	mutex_lock(&again_lock);
	err = memsuite_page_unretire(pfn);
	if (!err)
		record_remove(pfn);
	mutex_unlock(&again_lock);
	return err;
}

int memdiag_bad_pages_revoke_emulated(void)
{
	unsigned long pfn = 0;
	int err, result = 0;

	while ((pfn = records_next(pfn, record_is_emulated))) {
		err = memdiag_bad_pages_unretire(pfn);
		/* Found, and not yet retired. */
		if (err)
			result = err == -ENOENT ? -EBUSY : err;
	}
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
	return READ_ONCE(all.bad);
}

u64 memdiag_bad_pages_pending(void)
{
	struct record *record;
	unsigned long pfn;
	u64 pending = 0;

	mutex_lock(&records_lock);
	xa_for_each_marked(&records_by_pfn, pfn, record, PENDING)
		pending += record_is_pending(record);
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
		   record_dimm(record), origin_name[bad_page->origin],
		   !record_is_pending(record));
}

/*
 * The position is that of the header, or a frame number and 1: what is read next is found without
 * going over what was read before, and the list is not locked all the time.
 */
static void *bad_pages_find(loff_t *pos)
{
	unsigned long pfn = *pos - 1;
	struct record *record = xa_find(&records_by_pfn, &pfn, ULONG_MAX, XA_PRESENT);

	*pos = (loff_t)pfn + 1;
	return record;
}

static void *bad_pages_start(struct seq_file *file, loff_t *pos)
{
	mutex_lock(&records_lock);
	return *pos ? bad_pages_find(pos) : SEQ_START_TOKEN;
}

static void *bad_pages_next(struct seq_file *file, void *record, loff_t *pos)
{
	++*pos;
	return bad_pages_find(pos);
}

static void bad_pages_stop(struct seq_file *file, void *record)
{
	mutex_unlock(&records_lock);
}

static int bad_pages_show(struct seq_file *file, void *record)
{
	if (record == SEQ_START_TOKEN)
		seq_puts(file, "# pfn address mask element background time direction class node region dimm origin retired\n");
	else
		record_show(file, record);
	return 0;
}

static const struct seq_operations bad_pages_sops = {
	.start = bad_pages_start,
	.next = bad_pages_next,
	.stop = bad_pages_stop,
	.show = bad_pages_show,
};
DEFINE_SEQ_ATTRIBUTE(bad_pages);

/*
 * The list is what must be kept across reboots, and hardened kernels have no debugfs,
 * or one that cannot be read.
 */
#define PROC_NAME	"memdiag_bad_pages"

int memdiag_bad_pages_init(void)
{
	return proc_create_seq(PROC_NAME, 0400, NULL, &bad_pages_sops) ? 0 : -ENOMEM;
}

void memdiag_bad_pages_table_init(struct dentry *debugfs)
{
	debugfs_create_file("bad_pages", 0400, debugfs, NULL, &bad_pages_fops);
}

/* The table in debugfs is gone with its directory. */
void memdiag_bad_pages_exit(void)
{
	struct record *record, *next;

	/*
	 * They are told of, though udev's memsuite diag save may come too late to read the list.
	 * One that runs may queue itself: it is waited for before that is looked at.
	 */
	do {
		flush_delayed_work(&announce_work);
	} while (delayed_work_pending(&announce_work));
	remove_proc_entry(PROC_NAME, NULL);
	WRITE_ONCE(ending, true);
	cancel_work_sync(&retire_work);
	cancel_work_sync(&alarm_work);
	list_for_each_entry_safe(record, next, &records, link)
		kfree(record);
	xa_destroy(&records_by_pfn);
	memdiag_parts_free();
}
