// SPDX-License-Identifier: GPL-2.0-only
/* memdiag/retire and memdiag/unretire: retiring pages by hand. */

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include <memsuite/control.h>
#include <memsuite/retire.h>

#include "report/retire_sysfs.h"
#include "result/bad_pages.h"

static DEFINE_MUTEX(retire_lock);	/* one page at a time */

static int retire_parse_frame(const char *word, unsigned long *pfn)
{
	bool frame = !strncmp(word, "pfn=", 4);
	u64 value;
	int err = kstrtou64(frame ? word + 4 : word, 0, &value);

	if (err)
		return err;
	if (frame && value > PHYS_PFN(U64_MAX))
		return -ERANGE;
	*pfn = frame ? value : PHYS_PFN(value);
	return 0;
}

/* "ADDRESS" or "pfn=FRAME", and perhaps how we know. */
static int retire_parse(const char *buf, size_t size, unsigned long *pfn,
			enum memdiag_bad_page_origin *origin)
{
	char line[64], *rest = line, *word;
	int err = memsuite_parse_line(buf, size, line, sizeof(line));

	if (err)
		return err == -E2BIG ? -EINVAL : err;
	word = strsep(&rest, " ");
	if (rest) {
		if (!origin || strcmp(rest, "restored"))
			return -EINVAL;
		*origin = MEMDIAG_FOUND_BEFORE;
	}
	return retire_parse_frame(word, pfn);
}

static int page_retire(unsigned long pfn, enum memdiag_bad_page_origin origin)
{
	struct memdiag_bad_page bad_page = {
		.pfn = pfn,
		.address = PFN_PHYS(pfn),
		.time = ktime_get_real_seconds(),
		.origin = origin,
	};
	int err = memsuite_page_retire(pfn);

	/* Withheld by an earlier load, the kernel or another tool: it goes on the list. */
	if (err == -EEXIST && !memdiag_bad_pages_has(pfn))
		err = 0;
	if (!err && !memdiag_bad_pages_has(pfn))
		memdiag_bad_pages_add(&bad_page);
	return err;
}

static ssize_t retire_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t size)
{
	enum memdiag_bad_page_origin origin = MEMDIAG_FOUND_BY_HAND;
	unsigned long pfn;
	int err = retire_parse(buf, size, &pfn, &origin);

	if (err)
		return err;
	mutex_lock(&retire_lock);
	err = page_retire(pfn, origin);
	mutex_unlock(&retire_lock);
	return err ?: size;
}

static ssize_t unretire_store(struct kobject *kobj, struct kobj_attribute *attr,
			      const char *buf, size_t size)
{
	unsigned long pfn;
	int err = retire_parse(buf, size, &pfn, NULL);

	if (err)
		return err;
	mutex_lock(&retire_lock);
	err = memdiag_bad_pages_unretire(pfn);
	mutex_unlock(&retire_lock);
	return err ?: size;
}

static struct kobj_attribute retire_attr = __ATTR_WO(retire);
static struct kobj_attribute unretire_attr = __ATTR_WO(unretire);

static struct attribute *retire_attrs[] = {
	&retire_attr.attr, &unretire_attr.attr, NULL
};

const struct attribute_group memdiag_retire_group = {
	.attrs = retire_attrs,
};
