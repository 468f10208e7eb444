// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that the sweeps run beside the main one, each with its own period:
 * those of the administrator, /sys/kernel/memsuite/memdiag/tests/, and those
 * that other modules register.
 *
 * Whether a test takes part is decided when a sweep begins, for the whole of
 * it. A block is tested with the lock held for reading, so that a test that is
 * gone from the list is not running either.
 */

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/proc_fs.h>
#include <linux/rwsem.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <memsuite/control.h>
#include <memsuite/memdiag_registry.h>

#include "march/engine.h"
#include "result/verdict.h"
#include "sched/algorithm.h"
#include "sched/extra_tests.h"
#include "sched/registry.h"

#define TESTS_MAX	16
#define PERIOD_MAX_S	(30 * 24 * 3600)
#define LINE_MAX	1280	/* a march test written out, and more */

/**
 * struct entry - a test in the list
 * @list: its place
 * @name: its name
 * @algorithm: as it was written, or "-" of a registered test
 * @period_s: seconds from one sweep of it to the next
 * @test: what is run
 * @now: it takes part in the sweep that is on
 * @cut: somebody could not wait, and so it was not run on a block of that
 * @ever: it has taken part in one
 * @begun_s: when the last sweep of it began, seconds since boot
 * @ended_s: when the last whole one ended
 * @passes: whole sweeps
 */
struct entry {
	struct list_head list;
	char name[MEMDIAG_NAME];
	char *algorithm;
	unsigned int period_s;
	struct memdiag_engine_test test;
	bool now;
	bool cut;
	bool ever;
	time64_t begun_s;
	time64_t ended_s;
	u64 passes;
};

static LIST_HEAD(entries);		/* all under tests_lock */
static unsigned int nr_entries;
static DECLARE_RWSEM(tests_lock);

static struct entry *entry_find(const char *name)
{
	struct entry *entry;

	list_for_each_entry(entry, &entries, list)
		if (!strcmp(entry->name, name))
			return entry;
	return NULL;
}

static void entry_free(struct entry *entry)
{
	if (!entry)
		return;
	kfree(entry->algorithm);
	kfree(entry);
}

static struct entry *entry_new(const char *name, const char *algorithm,
			       unsigned int period_s)
{
	struct entry *entry = kzalloc(sizeof(*entry), GFP_KERNEL);

	if (!entry)
		return NULL;
	strscpy(entry->name, name, sizeof(entry->name));
	entry->period_s = period_s;
	entry->algorithm = kstrdup(algorithm, GFP_KERNEL);
	if (entry->algorithm)
		return entry;
	entry_free(entry);
	return NULL;
}

static int entry_add(struct entry *entry)
{
	int err = 0;

	down_write(&tests_lock);
	if (entry_find(entry->name))
		err = -EEXIST;
	else if (nr_entries == TESTS_MAX)
		err = -ENOSPC;
	if (!err) {
		list_add_tail(&entry->list, &entries);
		nr_entries++;
	}
	up_write(&tests_lock);
	return err;
}

static void entry_del(struct entry *entry)
{
	list_del(&entry->list);
	nr_entries--;
	entry_free(entry);
}

int memdiag_test_register(const struct memdiag_test *test)
{
	struct entry *entry;
	int err;

	if (!memdiag_registry_name_ok(test->name) || !test->run)
		return -EINVAL;
	if (test->period_s > PERIOD_MAX_S)
		return -ERANGE;
	entry = entry_new(test->name, "-", test->period_s);
	if (!entry)
		return -ENOMEM;
	entry->test.kind = MEMDIAG_ENGINE_FOREIGN;
	entry->test.foreign = test;
	err = entry_add(entry);
	if (err)
		entry_free(entry);
	return err;
}
EXPORT_SYMBOL_GPL(memdiag_test_register);

void memdiag_test_unregister(const struct memdiag_test *test)
{
	struct entry *entry, *next;

	down_write(&tests_lock);
	list_for_each_entry_safe(entry, next, &entries, list)
		if (entry->test.foreign == test)
			entry_del(entry);
	up_write(&tests_lock);
}
EXPORT_SYMBOL_GPL(memdiag_test_unregister);

static bool entry_due(const struct entry *entry)
{
	return !entry->ever ||
	       ktime_get_seconds() - entry->begun_s >= entry->period_s;
}

bool memdiag_extra_tests_due(void)
{
	struct entry *entry;
	bool any = false;

	down_read(&tests_lock);
	list_for_each_entry(entry, &entries, list)
		any |= entry->period_s && entry_due(entry);
	up_read(&tests_lock);
	return any;
}

unsigned int memdiag_extra_tests_ops(void)
{
	static struct memdiag_engine_test main;		/* the controller alone asks */
	struct entry *entry;
	unsigned int ops;

	memdiag_algorithm_get(&main);
	ops = memdiag_engine_ops(&main);
	/* A writer waits for blocks under test, and the next of them wait for it. */
	down_read(&tests_lock);
	list_for_each_entry(entry, &entries, list)
		if (entry->now)
			ops += memdiag_engine_ops(&entry->test);
	up_read(&tests_lock);
	return ops;
}

bool memdiag_extra_tests_begin_sweep(void)
{
	static struct memdiag_engine_test main;		/* under tests_lock */
	struct entry *entry;
	bool any = false;

	down_write(&tests_lock);
	memdiag_algorithm_get(&main);
	list_for_each_entry(entry, &entries, list) {
		/* A sweep that was stopped may have left some to do. */
		entry->now |= entry_due(entry);
		if (!entry->now)
			continue;
		entry->test.method = main.method;
		entry->test.seed = main.seed;
		entry->cut = false;
		entry->ever = true;
		entry->begun_s = ktime_get_seconds();
		any = true;
	}
	up_write(&tests_lock);
	return any;
}

void memdiag_extra_tests_end_sweep(void)
{
	struct entry *entry;

	down_write(&tests_lock);
	list_for_each_entry(entry, &entries, list) {
		if (!entry->now)
			continue;
		/* It takes part in the next one again. */
		entry->now = entry->cut;
		if (entry->cut)
			continue;
		entry->ended_s = ktime_get_seconds();
		entry->passes++;
	}
	up_write(&tests_lock);
}

bool memdiag_extra_tests_run(struct memdiag_verdict *verdict, unsigned int first,
			     unsigned int fidelity, memdiag_ends_fn *ends)
{
	struct entry *entry;
	bool ended = false;
	unsigned int i;

	down_read(&tests_lock);
	list_for_each_entry(entry, &entries, list) {
		for (i = 0; entry->now && i < fidelity && !ended; i++) {
			ended = ends();
			if (!ended)
				memdiag_verdict_march(verdict, &entry->test, first + i);
		}
		if (entry->now && ended)
			WRITE_ONCE(entry->cut, true);
	}
	up_read(&tests_lock);
	return !ended;
}

/* "NAME ALGORITHM period_s=SECONDS" */
static struct entry *entry_parse(char *line)
{
	char *name = strsep(&line, " "), *algorithm = strsep(&line, " ");
	static const char key[] = "period_s=";
	struct entry *entry;
	unsigned int period;
	int err;

	if (!line || !memdiag_registry_name_ok(name) ||
	    strncmp(line, key, sizeof(key) - 1))
		return ERR_PTR(-EINVAL);
	err = kstrtouint(line + sizeof(key) - 1, 10, &period);
	if (!err && period > PERIOD_MAX_S)
		err = -ERANGE;
	if (err)
		return ERR_PTR(err);
	entry = entry_new(name, algorithm, period);
	if (!entry)
		return ERR_PTR(-ENOMEM);
	err = memdiag_algorithm_parse(algorithm, &entry->test);
	if (!err)
		return entry;
	entry_free(entry);
	return ERR_PTR(err);
}

static ssize_t add_store(struct kobject *kobj, struct kobj_attribute *attr,
			 const char *buf, size_t count)
{
	char *line = kmalloc(LINE_MAX, GFP_KERNEL);
	struct entry *entry;
	int err;

	if (!line)
		return -ENOMEM;
	err = memsuite_parse_line(buf, count, line, LINE_MAX);
	entry = err ? ERR_PTR(-EINVAL) : entry_parse(line);
	kfree(line);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	err = entry_add(entry);
	if (err)
		entry_free(entry);
	return err ?: count;
}

static ssize_t remove_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	char name[MEMDIAG_NAME];
	struct entry *entry;
	int err;

	err = memsuite_parse_line(buf, count, name, sizeof(name));
	if (err)
		return err == -E2BIG ? -ENOENT : err;
	down_write(&tests_lock);
	entry = entry_find(name);
	if (!entry)
		err = -ENOENT;
	else if (entry->test.foreign)
		err = -EPERM;
	else
		entry_del(entry);
	up_write(&tests_lock);
	return err ?: count;
}

MEMSUITE_ATTR_NUMBER_RO(count, READ_ONCE(nr_entries));

static struct kobj_attribute add_attr = __ATTR_WO(add);
static struct kobj_attribute remove_attr = __ATTR_WO(remove);

static struct attribute *tests_attrs[] = {
	&add_attr.attr, &remove_attr.attr, &count_attr.attr, NULL
};

const struct attribute_group memdiag_extra_tests_group = {
	.name = "tests",
	.attrs = tests_attrs,
};

static int tests_show(struct seq_file *file, void *unused)
{
	time64_t now = ktime_get_seconds();
	struct entry *entry;

	seq_puts(file, "# name algorithm period_s passes age_s running\n");
	down_read(&tests_lock);
	list_for_each_entry(entry, &entries, list) {
		seq_printf(file, "%s %s %u %llu ", entry->name,
			   entry->algorithm, entry->period_s, entry->passes);
		if (entry->passes)
			seq_printf(file, "%lld", now - entry->ended_s);
		else
			seq_putc(file, '-');
		seq_printf(file, " %d\n", entry->now);
	}
	up_read(&tests_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(tests);

/* The configuration is compared with it, also where there is no debugfs. */
#define PROC_NAME	"memdiag_tests"

int memdiag_extra_tests_init(void)
{
	return proc_create_single(PROC_NAME, 0400, NULL, tests_show) ? 0 : -ENOMEM;
}

void memdiag_extra_tests_table_init(struct dentry *debugfs)
{
	debugfs_create_file("tests", 0400, debugfs, NULL, &tests_fops);
}

void memdiag_extra_tests_exit(void)
{
	struct entry *entry, *next;

	remove_proc_entry(PROC_NAME, NULL);
	list_for_each_entry_safe(entry, next, &entries, list)
		entry_del(entry);
}
