// SPDX-License-Identifier: GPL-2.0-only
/* Policies and their directories, /sys/kernel/memsuite/vipzone/policies. */

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/idr.h>
#include <linux/list.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include <memsuite/control.h>

#include "energy/counter_settle.h"
#include "policy/policy.h"
#include "vipzone.h"

static struct kobject *dir;
static DEFINE_IDR(policies);		/* by number; under policies_lock */
static DEFINE_MUTEX(policies_lock);
static struct steering_stats gone;	/* under policies_lock, as what follows */
static u64 gone_undivided;

static struct policy *to_policy(struct kobject *kobj)
{
	return container_of(kobj, struct policy, kobj);
}

static ssize_t who_show(struct kobject *kobj, struct kobj_attribute *attr,
			char *buf)
{
	const struct vipzone_command *command = &to_policy(kobj)->command;

	switch (command->scope) {
	case VIPZONE_MACHINE:
		return sysfs_emit(buf, "machine\n");
	case VIPZONE_CGROUP:
		return sysfs_emit(buf, "cgroup:%s\n", command->cgroup);
	default:
		return sysfs_emit(buf, "%d\n", command->pid);
	}
}

static ssize_t policy_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%s\n", to_policy(kobj)->command.policy);
}

/* An option of the policy. */
#define option_attr(name)						\
static ssize_t name##_show(struct kobject *kobj,			\
			   struct kobj_attribute *attr, char *buf)	\
{									\
	return sysfs_emit(buf, "%d\n", to_policy(kobj)->command.name);	\
}									\
static struct kobj_attribute name##_attr = __ATTR_RO(name)

option_attr(children);
option_attr(heat);
option_attr(wear);
option_attr(programs);

/* What it is for is a user too, unless it is a process. */
static ssize_t processes_show(struct kobject *kobj, struct kobj_attribute *attr,
			      char *buf)
{
	const struct policy *policy = to_policy(kobj);
	unsigned int users = refcount_read(&policy->users);

	if (policy->command.scope != VIPZONE_PROCESS && users)
		users--;
	return sysfs_emit(buf, "%u\n", users);
}

static void sum_stats(struct steering_stats *sum, const struct policy *policy)
{
	const size_t nr = sizeof(*sum) / sizeof(u64);
	u64 *to = (u64 *)sum;
	size_t i;
	int cpu;

	for_each_possible_cpu(cpu) {
		const u64 *from = (u64 *)per_cpu_ptr(policy->stats, cpu);

		for (i = 0; i < nr; i++)
			to[i] += READ_ONCE(from[i]);
	}
}

/**
 * struct count - a file with a count of pages or faults
 * @attr: the file
 * @show: which count
 */
struct count {
	struct kobj_attribute attr;
	u64 (*show)(const struct steering_stats *sum);
};

static ssize_t count_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	struct count *count = container_of(attr, struct count, attr);
	struct steering_stats sum = {};

	sum_stats(&sum, to_policy(kobj));
	return sysfs_emit(buf, "%llu\n", count->show(&sum));
}

#define COUNT(name, value)						\
static u64 name##_of(const struct steering_stats *sum)			\
{									\
	return value;							\
}									\
static struct count name##_count = {					\
	.attr = __ATTR(name, 0444, count_show, NULL),			\
	.show = name##_of,						\
}

#define PLACED(segment)	(sum->placed[segment] + sum->by_node[segment])
#define COUNTED(kind)	(sum->accesses.counted[kind] + sum->elsewhere[kind])
#define ELSEWHERE	(sum->elsewhere[LEDGER_READ] + sum->elsewhere[LEDGER_WRITE])

COUNT(text_pages, PLACED(SEGMENT_TEXT));
COUNT(data_pages, PLACED(SEGMENT_DATA));
COUNT(bss_pages, PLACED(SEGMENT_BSS));
COUNT(heap_pages, PLACED(SEGMENT_HEAP));
COUNT(stack_pages, PLACED(SEGMENT_STACK));
COUNT(mmap_pages, PLACED(SEGMENT_MMAP));
COUNT(file_pages, PLACED(SEGMENT_FILE));
COUNT(cache_pages, PLACED(SEGMENT_CACHE));
COUNT(kernel_pages, sum->kernel);
COUNT(swapped_in_pages, sum->swapped_in);
COUNT(collapsed_pages, sum->collapsed);
COUNT(yielded_pages, sum->yielded);
COUNT(next_pages, sum->next);
COUNT(fallback_empty, sum->fallbacks[FALLBACK_EMPTY]);
COUNT(fallback_policy, sum->fallbacks[FALLBACK_POLICY]);
COUNT(fallback_cpuset, sum->fallbacks[FALLBACK_CPUSET]);
COUNT(fallback_context, sum->fallbacks[FALLBACK_CONTEXT]);
COUNT(fallback_huge, sum->fallbacks[FALLBACK_HUGE]);
COUNT(fallback_wear, sum->fallbacks[FALLBACK_WEAR]);
COUNT(looked_pages, sum->looked);
COUNT(astray_shared_pages, sum->astray[ASTRAY_SHARED]);
COUNT(astray_huge_pages, sum->astray[ASTRAY_HUGE]);
COUNT(astray_node_pages, sum->astray[ASTRAY_NODE]);
COUNT(astray_near_pages, sum->astray[ASTRAY_NEAR]);
COUNT(repaired_pages, sum->whys[MOVE_REPAIR]);
COUNT(hot_moved_pages, sum->whys[MOVE_HOT]);
COUNT(idle_moved_pages, sum->whys[MOVE_IDLE]);
COUNT(worn_moved_pages, sum->whys[MOVE_WORN]);
COUNT(sampled_reads, sum->accesses.touched[LEDGER_READ]);
COUNT(sampled_writes, sum->accesses.touched[LEDGER_WRITE]);
COUNT(counted_reads, COUNTED(LEDGER_READ));
COUNT(counted_writes, COUNTED(LEDGER_WRITE));
COUNT(counted_elsewhere, ELSEWHERE);
COUNT(access_error_nj, sum->accesses.error_nj);
COUNT(access_energy_nj, sum->accesses.energy_nj);
COUNT(access_latency_ns, sum->accesses.latency_ns);
COUNT(moved_pages, sum->moves[MEMSUITE_MIGRATED]);
COUNT(unmoved_busy_pages, sum->moves[MEMSUITE_MIGRATE_BUSY]);
COUNT(unmoved_pinned_pages, sum->moves[MEMSUITE_MIGRATE_PINNED]);
COUNT(unmoved_full_pages, sum->moves[MEMSUITE_MIGRATE_FULL]);
COUNT(unmoved_gone_pages, sum->moves[MEMSUITE_MIGRATE_GONE]);
COUNT(unmoved_shared_pages, sum->moves[MOVE_SHARED]);
COUNT(unmoved_policy_pages, sum->moves[MOVE_POLICY]);
COUNT(unmoved_cpuset_pages, sum->moves[MOVE_CPUSET]);

static struct kobj_attribute who_attr = __ATTR_RO(who);
static struct kobj_attribute policy_attr = __ATTR_RO(policy);
static struct kobj_attribute processes_attr = __ATTR_RO(processes);

static struct attribute *policy_attrs[] = {
	&who_attr.attr, &policy_attr.attr, &children_attr.attr,
	&heat_attr.attr, &wear_attr.attr, &programs_attr.attr,
	&processes_attr.attr,
	&text_pages_count.attr.attr, &data_pages_count.attr.attr,
	&bss_pages_count.attr.attr, &heap_pages_count.attr.attr,
	&stack_pages_count.attr.attr, &mmap_pages_count.attr.attr,
	&file_pages_count.attr.attr, &cache_pages_count.attr.attr,
	&kernel_pages_count.attr.attr, &yielded_pages_count.attr.attr,
	&next_pages_count.attr.attr,
	&swapped_in_pages_count.attr.attr, &collapsed_pages_count.attr.attr,
	&fallback_empty_count.attr.attr, &fallback_policy_count.attr.attr,
	&fallback_cpuset_count.attr.attr, &fallback_context_count.attr.attr,
	&fallback_huge_count.attr.attr, &fallback_wear_count.attr.attr,
	&looked_pages_count.attr.attr,
	&astray_shared_pages_count.attr.attr,
	&astray_huge_pages_count.attr.attr,
	&astray_node_pages_count.attr.attr,
	&astray_near_pages_count.attr.attr, &repaired_pages_count.attr.attr,
	&hot_moved_pages_count.attr.attr, &idle_moved_pages_count.attr.attr,
	&worn_moved_pages_count.attr.attr,
	&sampled_reads_count.attr.attr, &sampled_writes_count.attr.attr,
	&counted_reads_count.attr.attr, &counted_writes_count.attr.attr,
	&counted_elsewhere_count.attr.attr,
	&access_energy_nj_count.attr.attr, &access_error_nj_count.attr.attr,
	&access_latency_ns_count.attr.attr,
	&moved_pages_count.attr.attr, &unmoved_busy_pages_count.attr.attr,
	&unmoved_pinned_pages_count.attr.attr,
	&unmoved_full_pages_count.attr.attr,
	&unmoved_gone_pages_count.attr.attr,
	&unmoved_shared_pages_count.attr.attr,
	&unmoved_policy_pages_count.attr.attr,
	&unmoved_cpuset_pages_count.attr.attr, NULL
};
ATTRIBUTE_GROUPS(policy);

static void policy_release(struct kobject *kobj)
{
	struct policy *policy = to_policy(kobj);

	free_percpu(policy->stats);
	kfree(policy);
}

static bool lies_on(const struct memsuite_region_spec *spec, int nid)
{
	unsigned long pfn = max_t(u64, PHYS_PFN(spec->start),
				  node_start_pfn(nid));
	unsigned long end = min_t(u64, PHYS_PFN(spec->end), node_end_pfn(nid));

	for (; pfn < end; pfn += pageblock_nr_pages)
		if (pfn_to_online_page(pfn) &&
		    page_to_nid(pfn_to_page(pfn)) == nid)
			return true;
	return false;
}

/* Memory may come and go; what is online now decides. */
static void find_nodes(struct target *target, const struct memsuite_region_spec *spec)
{
	int nid;

	nodes_clear(target->nodes);
	for_each_online_node(nid)
		if (nid == spec->nid || (spec->nid < 0 && lies_on(spec, nid)))
			node_set(nid, target->nodes);
	nid = first_node(target->nodes);
	target->nid = nid < MAX_NUMNODES ? nid : -1;
	target->spans = nodes_weight(target->nodes) > 1;
}

static struct kobj_type policy_type = {
	.sysfs_ops = &kobj_sysfs_ops,
	.release = policy_release,
	.default_groups = policy_groups,
};

static int open_target(struct target *target, const char *name)
{
	const struct memsuite_region_spec *spec;

	target->region = memsuite_region_get(name);
	if (IS_ERR(target->region))
		return PTR_ERR(target->region);
	target->account = account_of(target->region);
	if (IS_ERR(target->account)) {
		memsuite_region_put(target->region);
		return PTR_ERR(target->account);
	}
	target->pool = memsuite_region_pool_open(target->region);
	if (IS_ERR(target->pool)) {
		memsuite_region_put(target->region);
		return PTR_ERR(target->pool);
	}
	spec = memsuite_region_spec(target->region);
	target->is_node = spec->source == MEMSUITE_REGION_NODE;
	find_nodes(target, spec);
	return 0;
}

static void close_targets(struct policy *policy)
{
	struct target *target;

	rooms_close(policy);
	if (policy->has_kernel)
		steering_leave_kernel();
	if (policy->has_cache)
		steering_unuse(MEMSUITE_HOOK_POINT_CACHE_ALLOC);
	if (policy->has_node)
		steering_unuse(MEMSUITE_HOOK_POINT_ALLOC_ENTRY);
	while (policy->nr_targets) {
		target = &policy->targets[--policy->nr_targets];
		memsuite_region_pool_close(target->region);
		memsuite_region_put(target->region);
	}
}

static int open_targets(struct policy *policy)
{
	const struct vipzone_command *command = &policy->command;
	unsigned int i;
	int err;

	for (i = 0; i < command->nr_regions; i++) {
		err = open_target(&policy->targets[i], command->regions[i]);
		if (err)
			return err;
		policy->nr_targets++;
		policy->has_large |=
			!memsuite_region_banks(policy->targets[i].region);
	}
	return 0;
}

static bool wants_node(const struct policy *policy)
{
	unsigned int i;

	for (i = 0; i < policy->nr_targets; i++)
		if (policy->targets[i].is_node)
			return true;
	return false;
}

static bool wants_cache(const struct policy *policy)
{
	const struct vipzone_order *orders = policy->command.orders;

	return orders[SEGMENT_TEXT].nr || orders[SEGMENT_DATA].nr ||
	       orders[SEGMENT_FILE].nr || orders[SEGMENT_CACHE].nr;
}

static int use_hooks(struct policy *policy)
{
	int err = 0;

	if (wants_node(policy)) {
		err = steering_use(MEMSUITE_HOOK_POINT_ALLOC_ENTRY);
		policy->has_node = !err;
	}
	if (!err && wants_cache(policy)) {
		err = steering_use(MEMSUITE_HOOK_POINT_CACHE_ALLOC);
		policy->has_cache = !err;
	}
	if (!err && policy->command.low_power.kernel) {
		if (!policy->has_node)
			return -EINVAL;
		steering_serve_kernel();
		policy->has_kernel = true;
	}
	return err;
}

static int open_cgroup(struct policy *policy)
{
	struct cgroup *cgroup;

	if (policy->command.scope != VIPZONE_CGROUP)
		return 0;
	cgroup = cgroup_get_from_path(policy->command.cgroup);
	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	policy->cgroup = cgroup;
	return scope_name_cgroup(cgroup, policy->command.cgroup);
}

static void policy_close(struct policy *policy)
{
	if (policy->cgroup)
		cgroup_put(policy->cgroup);
	close_targets(policy);
}

/* From here on it can be seen. */
static int policy_publish(struct policy *policy)
{
	int err;

	mutex_lock(&policies_lock);
	policy->number = idr_alloc(&policies, policy, 0, 0, GFP_KERNEL);
	err = min(policy->number, 0);
	if (!err)
		err = kobject_add(&policy->kobj, dir, "%d", policy->number);
	if (err && policy->number >= 0)
		idr_remove(&policies, policy->number);
	mutex_unlock(&policies_lock);
	return err;
}

struct policy *policy_create(const struct vipzone_command *command)
{
	struct policy *policy = kzalloc(sizeof(*policy), GFP_KERNEL);
	int err;

	if (!policy)
		return ERR_PTR(-ENOMEM);
	kobject_init(&policy->kobj, &policy_type);
	refcount_set(&policy->users, 1);
	policy->command = *command;
	policy->stats = alloc_percpu(struct steering_stats);
	err = policy->stats ? open_targets(policy) : -ENOMEM;
	if (!err)
		err = rooms_open(policy);
	if (!err)
		err = use_hooks(policy);
	if (!err)
		err = open_cgroup(policy);
	if (!err)
		err = policy_publish(policy);
	if (!err)
		return policy;
	policy_close(policy);
	kobject_put(&policy->kobj);
	return ERR_PTR(err);
}

void policy_put(struct policy *policy)
{
	if (!refcount_dec_and_test(&policy->users))
		return;
	mutex_lock(&policies_lock);
	settle_counted(policy);
	gone_undivided += settle_divided(policy);
	sum_stats(&gone, policy);
	idr_remove(&policies, policy->number);
	kobject_del(&policy->kobj);
	mutex_unlock(&policies_lock);
	if (policy->base)
		policy_put(policy->base);
	policy_close(policy);
	kobject_put(&policy->kobj);
}

void policies_sum(struct steering_stats *sum)
{
	struct policy *policy;
	int number;

	mutex_lock(&policies_lock);
	*sum = gone;
	idr_for_each_entry(&policies, policy, number)
		sum_stats(sum, policy);
	mutex_unlock(&policies_lock);
}

void policies_settle(bool divide)
{
	struct policy *policy;
	int number;

	mutex_lock(&policies_lock);
	idr_for_each_entry(&policies, policy, number) {
		settle_counted(policy);
		if (divide)
			settle_divided(policy);
	}
	mutex_unlock(&policies_lock);
}

u64 policies_undivided(void)
{
	u64 nr;

	mutex_lock(&policies_lock);
	nr = gone_undivided;
	mutex_unlock(&policies_lock);
	return nr;
}

int policies_init(struct kobject *parent)
{
	dir = kobject_create_and_add("policies", parent);
	return dir ? 0 : -ENOMEM;
}

/* All policies are gone by now. */
void policies_exit(void)
{
	kobject_put(dir);
}
