// SPDX-License-Identifier: GPL-2.0-only
/*
 * The test in use, as the administrator chose it:
 * /sys/kernel/memsuite/memdiag/{algorithm,available_algorithms,
 * algorithm_coverage/}
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/string.h>

#include <memsuite/control.h>

#include "memdiag.h"
#include "simulator.h"

#define DEFAULT_ALGORITHM	"march-c-"
#define TEXT_MAX		1024

static DEFINE_MUTEX(lock);	/* for both */
static char text[TEXT_MAX];	/* a name, or a march test written out */
static struct march_test march;

void algorithm_get(struct march_test *test)
{
	mutex_lock(&lock);
	*test = march;
	mutex_unlock(&lock);
}

/* A name, or a march test written out. */
static int parse(const char *line, struct march_test *test)
{
	const struct march_named *named = march_find(line);
	unsigned int at;
	int err;

	if (!named && *line != '{') {
		pr_info_ratelimited("algorithm: no test is called \"%s\"\n",
				    line);
		return -EINVAL;
	}
	err = march_parse(named ? named->text : line, test, &at);
	if (err)
		pr_info_ratelimited("algorithm: %s at character %u: \"%s\"\n",
				    err == -EINVAL ? "not a march test" :
				    err == -E2BIG ? "too long" :
				    "not a delay of 1 to 1000 ms",
				    at + 1, line + at);
	return err ? -EINVAL : 0;
}

static ssize_t algorithm_show(struct kobject *kobj,
			      struct kobj_attribute *attr, char *buf)
{
	ssize_t length;

	mutex_lock(&lock);
	length = sysfs_emit(buf, "%s\n", text);
	mutex_unlock(&lock);
	return length;
}

/* Only one line is parsed at a time, so that the stack need not hold it. */
static ssize_t algorithm_store(struct kobject *kobj,
			       struct kobj_attribute *attr, const char *buf,
			       size_t count)
{
	static DEFINE_MUTEX(store_lock);
	static char line[TEXT_MAX];
	static struct march_test test;
	int err;

	mutex_lock(&store_lock);
	err = ms_parse_line(buf, count, line, sizeof(line));
	if (err == -E2BIG)
		err = -EINVAL;
	if (!err)
		err = parse(line, &test);
	if (!err) {
		mutex_lock(&lock);
		march = test;
		strscpy(text, line, sizeof(text));
		mutex_unlock(&lock);
	}
	mutex_unlock(&store_lock);
	return err ?: count;
}

static ssize_t available_algorithms_show(struct kobject *kobj,
					 struct kobj_attribute *attr, char *buf)
{
	ssize_t length = 0;
	unsigned int i;

	for (i = 0; i < march_nr_tests; i++)
		length += sysfs_emit_at(buf, length, "%s\n",
					march_tests[i].name);
	return length;
}

static struct kobj_attribute algorithm_attr = __ATTR_RW(algorithm);
static struct kobj_attribute available_algorithms_attr =
	__ATTR_RO(available_algorithms);

static struct attribute *algorithm_attrs[] = {
	&algorithm_attr.attr, &available_algorithms_attr.attr, NULL
};

const struct attribute_group algorithm_group = { .attrs = algorithm_attrs };

/* The share of each kind of fault that the test finds. */
struct coverage_attribute {
	struct kobj_attribute attr;
	enum fault_kind kind;
};

static ssize_t coverage_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *buf)
{
	struct coverage_attribute *coverage =
		container_of(attr, struct coverage_attribute, attr);
	unsigned int percent;

	mutex_lock(&lock);
	percent = simulator_coverage(&march, &SIMULATOR_LITERATURE,
				     coverage->kind);
	mutex_unlock(&lock);
	return sysfs_emit(buf, "%u\n", percent);
}

#define COVERAGE(name, fault) static struct coverage_attribute name = {	\
	.attr = __ATTR(name##_pct, 0444, coverage_show, NULL),		\
	.kind = FAULT_##fault,						\
}

COVERAGE(saf, SAF);
COVERAGE(tf, TF);
COVERAGE(af, AF);
COVERAGE(sof, SOF);
COVERAGE(drf, DRF);
COVERAGE(wdf, WDF);
COVERAGE(rdf, RDF);
COVERAGE(drdf, DRDF);
COVERAGE(irf, IRF);
COVERAGE(cfin, CFIN);
COVERAGE(cfid, CFID);
COVERAGE(cfst, CFST);
COVERAGE(cfds, CFDS);
COVERAGE(cftr, CFTR);
COVERAGE(cfwd, CFWD);
COVERAGE(cfrd, CFRD);
COVERAGE(cfdrd, CFDRD);
COVERAGE(cfir, CFIR);
COVERAGE(dynamic_rdf, DYNAMIC_RDF);
COVERAGE(dynamic_drdf, DYNAMIC_DRDF);
COVERAGE(dynamic_irf, DYNAMIC_IRF);
COVERAGE(dynamic_cfds, DYNAMIC_CFDS);

static struct attribute *coverage_attrs[] = {
	&saf.attr.attr, &tf.attr.attr, &af.attr.attr, &sof.attr.attr,
	&drf.attr.attr, &wdf.attr.attr, &rdf.attr.attr, &drdf.attr.attr,
	&irf.attr.attr, &cfin.attr.attr, &cfid.attr.attr, &cfst.attr.attr,
	&cfds.attr.attr, &cftr.attr.attr, &cfwd.attr.attr, &cfrd.attr.attr,
	&cfdrd.attr.attr, &cfir.attr.attr, &dynamic_rdf.attr.attr,
	&dynamic_drdf.attr.attr, &dynamic_irf.attr.attr,
	&dynamic_cfds.attr.attr, NULL
};

const struct attribute_group algorithm_coverage_group = {
	.name = "algorithm_coverage",
	.attrs = coverage_attrs,
};

int algorithm_init(void)
{
	strscpy(text, DEFAULT_ALGORITHM, sizeof(text));
	return parse(text, &march);
}
