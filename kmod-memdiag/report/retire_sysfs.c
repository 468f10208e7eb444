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

static int parse_frame(const char *word, unsigned long *pfn)
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
static int parse(const char *buf, size_t size, unsigned long *pfn,
		 enum finding_origin *origin)
{
	char line[64], *rest = line, *word;
	int err = memsuite_parse_line(buf, size, line, sizeof(line));

	if (err)
		return err == -E2BIG ? -EINVAL : err;
	word = strsep(&rest, " ");
	if (rest) {
		if (!origin || strcmp(rest, "restored"))
			return -EINVAL;
		*origin = FOUND_BEFORE;
	}
	return parse_frame(word, pfn);
}

static int retire(unsigned long pfn, enum finding_origin origin)
{
	struct finding finding = {
		.pfn = pfn,
		.address = PFN_PHYS(pfn),
		.time = ktime_get_real_seconds(),
		.origin = origin,
	};
	int err = memsuite_page_retire(pfn);

	/* Retired before memdiag was loaded again: take it over. */
	if (err == -EEXIST && memsuite_page_retired(pfn) && !findings_has(pfn))
		err = 0;
	if (!err && !findings_has(pfn))
		findings_add(&finding);
	return err;
}

static ssize_t retire_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t size)
{
	enum finding_origin origin = FOUND_BY_HAND;
	unsigned long pfn;
	int err = parse(buf, size, &pfn, &origin);

	if (err)
		return err;
	mutex_lock(&retire_lock);
	err = retire(pfn, origin);
	mutex_unlock(&retire_lock);
	return err ?: size;
}

static ssize_t unretire_store(struct kobject *kobj, struct kobj_attribute *attr,
			      const char *buf, size_t size)
{
	unsigned long pfn;
	int err = parse(buf, size, &pfn, NULL);

	if (err)
		return err;
	mutex_lock(&retire_lock);
	err = memsuite_page_unretire(pfn);
	if (!err)
		findings_remove(pfn);
	mutex_unlock(&retire_lock);
	return err ?: size;
}

static struct kobj_attribute retire_attr = __ATTR_WO(retire);
static struct kobj_attribute unretire_attr = __ATTR_WO(unretire);

static struct attribute *retirement_attrs[] = {
	&retire_attr.attr, &unretire_attr.attr, NULL
};

const struct attribute_group retirement_group = {
	.attrs = retirement_attrs,
};
