// SPDX-License-Identifier: GPL-2.0-only
/* The list of bad pages. */

#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include <memsuite/control.h>

#include "memdiag.h"

struct record {
	struct list_head link;
	struct finding finding;
};

static LIST_HEAD(records);
static u64 count;
static DEFINE_MUTEX(records_lock);
static struct dentry *debugfs;

/* What cannot be written down is counted all the same. */
void findings_add(const struct finding *finding)
{
	struct record *record = kmalloc(sizeof(*record), GFP_KERNEL);

	mutex_lock(&records_lock);
	count++;
	if (record) {
		record->finding = *finding;
		list_add_tail(&record->link, &records);
	}
	mutex_unlock(&records_lock);
}

u64 findings_count(void)
{
	return READ_ONCE(count);
}

static int bad_pages_show(struct seq_file *file, void *unused)
{
	struct record *record;

	seq_puts(file, "# pfn address mask element background time\n");
	mutex_lock(&records_lock);
	list_for_each_entry(record, &records, link) {
		const struct finding *finding = &record->finding;

		seq_printf(file, "0x%lx 0x%llx 0x%016llx %u 0x%016llx %lld\n",
			   finding->pfn, finding->address, finding->mask,
			   finding->element, finding->background,
			   (long long)finding->time);
	}
	mutex_unlock(&records_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(bad_pages);

int findings_init(void)
{
	debugfs = ms_debugfs_add("memdiag");
	debugfs_create_file("bad_pages", 0444, debugfs, NULL, &bad_pages_fops);
	coverage_init(debugfs);
	return 0;
}

void findings_exit(void)
{
	struct record *record, *next;

	debugfs_remove_recursive(debugfs);
	list_for_each_entry_safe(record, next, &records, link)
		kfree(record);
}
