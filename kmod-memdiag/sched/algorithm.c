// SPDX-License-Identifier: GPL-2.0-only
/*
 * The test in use, as the administrator chose it:
 * /sys/kernel/memsuite/memdiag/{algorithm,method,random_seed,
 * available_algorithms,available_methods,algorithm_coverage/}
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/string.h>

#include <memsuite/control.h>

#include "march/engine.h"
#include "march/simulator.h"
#include "result/verdict.h"
#include "sched/algorithm.h"

#define DEFAULT_ALGORITHM	"march-c-"
#define TEXT_MAX		1024

static DEFINE_MUTEX(lock);	/* for both */
static char text[TEXT_MAX];	/* a name, or a march test written out */
static struct memdiag_engine_test test = { .seed = 1 };

/* Those that are no march tests. */
static const struct {
	const char *name;
	enum memdiag_engine_kind kind;
} others[] = {
	{ "address-decoder", MEMDIAG_ENGINE_DECODER },
	{ "modulo-20", MEMDIAG_ENGINE_MODULO },
};

void memdiag_algorithm_get(struct memdiag_engine_test *copy)
{
	mutex_lock(&lock);
	*copy = test;
	mutex_unlock(&lock);
}

static int parse_march(const char *line, struct memdiag_march_test *march)
{
	const struct memdiag_march_named *named = memdiag_march_find(line);
	unsigned int at;
	int err;

	if (!named && *line != '{') {
		pr_info_ratelimited("algorithm: no test is called \"%s\"\n",
				    line);
		return -EINVAL;
	}
	err = memdiag_march_parse(named ? named->text : line, march, &at);
	if (err)
		pr_info_ratelimited("algorithm: %s at character %u: \"%s\"\n",
				    err == -EINVAL ? "not a march test" :
				    err == -E2BIG ? "too long" :
				    err == -ENODATA ? "reads nothing, and so finds nothing" :
				    "not a delay of 1 to 1000 ms",
				    at + 1, line + at);
	return err ? -EINVAL : 0;
}

static bool march_is_whole(const struct memdiag_march_test *march)
{
	return memdiag_simulator_coverage(march, &MEMDIAG_SIMULATOR_LITERATURE,
					  MEMDIAG_FAULT_SAF) == 100 &&
	       memdiag_simulator_coverage(march, &MEMDIAG_SIMULATOR_LITERATURE,
					  MEMDIAG_FAULT_TF) == 100;
}

/* A name, or a march test written out. */
int memdiag_algorithm_parse(const char *line, struct memdiag_engine_test *parsed)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (!strcasecmp(line, others[i].name)) {
			parsed->kind = others[i].kind;
			parsed->whole = false;
			return 0;
		}
	}
	parsed->kind = MEMDIAG_ENGINE_MARCH;
	err = parse_march(line, &parsed->march);
	parsed->whole = !err && march_is_whole(&parsed->march);
	return err;
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
	static struct memdiag_engine_test parsed;
	int err;

	mutex_lock(&store_lock);
	err = memsuite_parse_line(buf, count, line, sizeof(line));
	if (err == -E2BIG)
		err = -EINVAL;
	if (!err)
		err = memdiag_algorithm_parse(line, &parsed);
	if (!err) {
		mutex_lock(&lock);
		test.kind = parsed.kind;
		test.whole = parsed.whole;
		test.march = parsed.march;
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

	for (i = 0; i < memdiag_march_nr_tests; i++)
		length += sysfs_emit_at(buf, length, "%s\n",
					memdiag_march_tests[i].name);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		length += sysfs_emit_at(buf, length, "%s\n", others[i].name);
	return length;
}

static ssize_t method_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%s\n", memdiag_engine_methods[READ_ONCE(test.method)]);
}

static ssize_t method_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	int method = sysfs_match_string(memdiag_engine_methods, buf);

	if (method < 0)
		return method;
	if (!memdiag_engine_can(method))
		return -EOPNOTSUPP;
	mutex_lock(&lock);
	test.method = method;
	mutex_unlock(&lock);
	return count;
}

static ssize_t available_methods_show(struct kobject *kobj,
				      struct kobj_attribute *attr, char *buf)
{
	ssize_t length = 0;
	unsigned int i;

	for (i = 0; i < MEMDIAG_ENGINE_NR_METHODS; i++)
		if (memdiag_engine_can(i))
			length += sysfs_emit_at(buf, length, "%s\n",
						memdiag_engine_methods[i]);
	return length;
}

static ssize_t random_seed_show(struct kobject *kobj,
				struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", READ_ONCE(test.seed));
}

static ssize_t random_seed_store(struct kobject *kobj,
				 struct kobj_attribute *attr, const char *buf,
				 size_t count)
{
	u64 seed;
	int err;

	err = memsuite_parse_u64(buf, count, 0, U64_MAX, &seed);
	if (err)
		return err;
	mutex_lock(&lock);
	test.seed = seed;
	mutex_unlock(&lock);
	return count;
}

static struct kobj_attribute algorithm_attr = __ATTR_RW(algorithm);
static struct kobj_attribute available_algorithms_attr =
	__ATTR_RO(available_algorithms);
static struct kobj_attribute method_attr = __ATTR_RW(method);
static struct kobj_attribute available_methods_attr =
	__ATTR_RO(available_methods);
static struct kobj_attribute random_seed_attr = __ATTR_RW(random_seed);

static struct attribute *algorithm_attrs[] = {
	&algorithm_attr.attr, &available_algorithms_attr.attr,
	&method_attr.attr, &available_methods_attr.attr,
	&random_seed_attr.attr, NULL
};

const struct attribute_group memdiag_algorithm_group = { .attrs = algorithm_attrs };

/* The share of each kind of fault that the test finds. */
struct coverage_attribute {
	struct kobj_attribute attr;
	enum memdiag_fault_kind kind;
};

/* In three cells as in the literature, or so that the method shows. */
static struct memdiag_simulator_layout algorithm_layout(void)
{
	static const struct memdiag_simulator_layout pages = { 4, 2, 1 };
	static const struct memdiag_simulator_layout strips = { 4, 4, 2 };
	unsigned int i;

	if (test.method >= MEMDIAG_ENGINE_PAGE_LINES)
		return pages;
	for (i = 0; test.method < MEMDIAG_ENGINE_LINES && i < test.march.nr_elements; i++)
		if (!memdiag_march_one_pass(&test.march.elements[i]))
			return strips;
	return MEMDIAG_SIMULATOR_LITERATURE;
}

static ssize_t coverage_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *buf)
{
	struct coverage_attribute *coverage =
		container_of(attr, struct coverage_attribute, attr);
	struct memdiag_simulator_layout cells;
	int percent = -ENODATA;

	mutex_lock(&lock);
	cells = algorithm_layout();
	if (test.kind == MEMDIAG_ENGINE_MARCH)
		percent = memdiag_simulator_coverage(&test.march, &cells,
						     coverage->kind);
	mutex_unlock(&lock);
	return percent < 0 ? percent : sysfs_emit(buf, "%d\n", percent);
}

#define COVERAGE(name, fault) static struct coverage_attribute name = {	\
	.attr = __ATTR(name##_pct, 0444, coverage_show, NULL),		\
	.kind = MEMDIAG_FAULT_##fault,					\
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

/* What is not seen of cells further apart. */
MEMSUITE_ATTR_NUMBER_RO(distance_kib, MEMDIAG_VERDICT_MAX_PAGES << (PAGE_SHIFT - 10));

static struct attribute *coverage_attrs[] = {
	&saf.attr.attr, &tf.attr.attr, &af.attr.attr, &sof.attr.attr,
	&drf.attr.attr, &wdf.attr.attr, &rdf.attr.attr, &drdf.attr.attr,
	&irf.attr.attr, &cfin.attr.attr, &cfid.attr.attr, &cfst.attr.attr,
	&cfds.attr.attr, &cftr.attr.attr, &cfwd.attr.attr, &cfrd.attr.attr,
	&cfdrd.attr.attr, &cfir.attr.attr, &dynamic_rdf.attr.attr,
	&dynamic_drdf.attr.attr, &dynamic_irf.attr.attr,
	&dynamic_cfds.attr.attr, &distance_kib_attr.attr, NULL
};

const struct attribute_group memdiag_algorithm_coverage_group = {
	.name = "algorithm_coverage",
	.attrs = coverage_attrs,
};

int memdiag_algorithm_init(void)
{
	strscpy(text, DEFAULT_ALGORITHM, sizeof(text));
	return memdiag_algorithm_parse(text, &test);
}
