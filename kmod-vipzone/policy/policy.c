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

#include <memsuite/cgroup_path.h>
#include <memsuite/control.h>

#include "policy/arming.h"
#include "policy/counter_settle.h"
#include "policy/policy.h"
#include "policy/policy_sysfs.h"
#include "policy/spread.h"

static struct kobject *dir;
static DEFINE_IDR(policies);		/* by number; under policies_lock */
static LIST_HEAD(all_policies);		/* likewise, those that programs have chosen as well */
static DEFINE_MUTEX(policies_lock);
static struct vipzone_policy_stats gone;	/* under policies_lock, as what follows */
static u64 gone_undivided;

static struct vipzone_policy *to_policy(struct kobject *kobj)
{
	return container_of(kobj, struct vipzone_policy, kobj);
}

static void policy_release(struct kobject *kobj)
{
	struct vipzone_policy *policy = to_policy(kobj);

	if (!policy->base)
		free_percpu(policy->stats);
	kfree(policy->rankings);
	vipzone_spread_close(policy);
	kfree(policy);
}

static bool lies_on(const struct memsuite_region_spec *spec, int nid)
{
	unsigned long pfn = max_t(u64, PHYS_PFN(spec->start),
				  node_start_pfn(nid));
	unsigned long end = min_t(u64, PHYS_PFN(spec->end), node_end_pfn(nid));

	struct page *page;

	while (pfn < end) {
		page = pfn_to_online_page(pfn);
		if (page && page_to_nid(page) == nid)
			return true;
		/* A section is online, or not. */
		pfn = ALIGN(pfn + 1, page ? pageblock_nr_pages : PAGES_PER_SECTION);
	}
	return false;
}

/* Memory may come and go: what is online now decides. Faults look at it meanwhile. */
static void find_nodes(struct vipzone_target *target)
{
	const struct memsuite_region_spec *spec = memsuite_region_spec(target->region);
	int nid;

	for_each_node(nid) {
		if (!node_online(nid) ||
		    (nid != spec->nid && (spec->nid >= 0 || !lies_on(spec, nid))))
			node_clear(nid, target->nodes);
		else
			node_set(nid, target->nodes);
	}
	nid = first_node(target->nodes);
	WRITE_ONCE(target->spans, nodes_weight(target->nodes) > 1);
	WRITE_ONCE(target->nid, nid < MAX_NUMNODES ? nid : -1);
}

static struct kobj_type policy_type = {
	.sysfs_ops = &memsuite_sysfs_ops,
	.release = policy_release,
	.default_groups = vipzone_policy_groups,
};

static int open_target(struct vipzone_target *target, const char *name)
{
	target->region = memsuite_region_get(name);
	if (IS_ERR(target->region))
		return PTR_ERR(target->region);
	target->energy = vipzone_region_energy_of(target->region);
	if (IS_ERR(target->energy)) {
		memsuite_region_put(target->region);
		return PTR_ERR(target->energy);
	}
	target->pool = memsuite_region_pool_open(target->region);
	if (IS_ERR(target->pool)) {
		memsuite_region_put(target->region);
		return PTR_ERR(target->pool);
	}
	target->is_node = memsuite_region_spec(target->region)->source == MEMSUITE_REGION_NODE;
	return 0;
}

static void close_targets(struct vipzone_policy *policy)
{
	struct vipzone_target *target;

	vipzone_reserves_exit(policy);
	if (policy->has_kernel)
		vipzone_arming_leave_kernel();
	if (policy->has_cache)
		vipzone_arming_unuse(MEMSUITE_HOOK_POINT_CACHE_ALLOC);
	if (policy->has_shared)
		vipzone_arming_unuse(MEMSUITE_HOOK_POINT_SHMEM_ALLOC);
	if (policy->has_hugetlb)
		vipzone_arming_unuse(MEMSUITE_HOOK_POINT_HUGETLB_POLICY);
	if (policy->has_node)
		vipzone_arming_unuse(MEMSUITE_HOOK_POINT_ALLOC_ENTRY);
	while (policy->nr_targets) {
		target = &policy->targets[--policy->nr_targets];
		memsuite_region_pool_close(target->region);
		memsuite_region_put(target->region);
	}
}

static bool has_one_region(const struct vipzone_policy *policy)
{
	unsigned int segment;

	for (segment = 0; segment < VIPZONE_NR_SEGMENTS; segment++)
		if (!policy->usual_is_only[segment] || policy->usual[segment] != policy->usual[0])
			return false;
	return true;
}

static void find_usual(struct vipzone_policy *policy)
{
	const struct vipzone_command *command = &policy->command;
	const struct vipzone_order *order;
	struct vipzone_target *target;
	unsigned int segment;

	if (command->wear || command->low_power.set || command->banks.nr)
		return;
	for (segment = 0; segment < VIPZONE_NR_SEGMENTS; segment++) {
		order = &command->orders[segment];
		target = &policy->targets[order->region[0]];
		if (!order->nr || target->nid < 0 || target->spans ||
		    vipzone_order_is_weighted(order))
			continue;
		WRITE_ONCE(policy->usual_is_only[segment], order->nr == 1 && !target->is_node);
		WRITE_ONCE(policy->usual[segment], target);
	}
	WRITE_ONCE(policy->has_one_region, has_one_region(policy));
}

static void policy_find_nodes(struct vipzone_policy *policy)
{
	unsigned int i;

	for (i = 0; i < policy->nr_targets; i++)
		find_nodes(&policy->targets[i]);
	find_usual(policy);
}

void vipzone_policies_find_nodes(void)
{
	struct vipzone_policy *policy;

	mutex_lock(&policies_lock);
	list_for_each_entry(policy, &all_policies, all)
		policy_find_nodes(policy);
	mutex_unlock(&policies_lock);
}

static int open_targets(struct vipzone_policy *policy)
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
	mutex_lock(&policies_lock);
	list_add(&policy->all, &all_policies);
	policy_find_nodes(policy);
	mutex_unlock(&policies_lock);
	return 0;
}

static bool wants_node(const struct vipzone_policy *policy)
{
	unsigned int i;

	for (i = 0; i < policy->nr_targets; i++)
		if (policy->targets[i].is_node)
			return true;
	return false;
}

static bool wants_cache(const struct vipzone_policy *policy)
{
	const struct vipzone_order *orders = policy->command.orders;

	if (policy->command.scope == VIPZONE_SCOPE_FILE)
		return policy->file.kind == VIPZONE_FILE_CACHE && orders[VIPZONE_SEGMENT_CACHE].nr;
	return orders[VIPZONE_SEGMENT_TEXT].nr || orders[VIPZONE_SEGMENT_DATA].nr ||
	       orders[VIPZONE_SEGMENT_FILE].nr || orders[VIPZONE_SEGMENT_CACHE].nr;
}

/* What a policy of a file has is of one kind. */
static bool wants_kind(const struct vipzone_policy *policy, enum vipzone_file_kind kind)
{
	return policy->command.scope != VIPZONE_SCOPE_FILE || policy->file.kind == kind;
}

static bool wants_shared(const struct vipzone_policy *policy)
{
	return policy->command.orders[VIPZONE_SEGMENT_SHARED].nr &&
	       wants_kind(policy, VIPZONE_FILE_SHMEM);
}

static int use_hooks(struct vipzone_policy *policy)
{
	int err = 0;

	if (wants_node(policy)) {
		err = vipzone_arming_use(MEMSUITE_HOOK_POINT_ALLOC_ENTRY);
		policy->has_node = !err;
	}
	if (!err && policy->has_node && wants_kind(policy, VIPZONE_FILE_HUGETLB)) {
		err = vipzone_arming_use(MEMSUITE_HOOK_POINT_HUGETLB_POLICY);
		policy->has_hugetlb = !err;
	}
	if (!err && wants_cache(policy)) {
		err = vipzone_arming_use(MEMSUITE_HOOK_POINT_CACHE_ALLOC);
		policy->has_cache = !err;
	}
	if (!err && wants_shared(policy)) {
		err = vipzone_arming_use(MEMSUITE_HOOK_POINT_SHMEM_ALLOC);
		policy->has_shared = !err;
	}
	if (!err && policy->command.low_power.kernel) {
		if (!policy->has_node)
			return -EINVAL;
		vipzone_arming_serve_kernel();
		policy->has_kernel = true;
	}
	return err;
}

int vipzone_cgroup_path(struct cgroup *cgroup, char *path)
{
	int length = cgroup_path(cgroup, path, VIPZONE_PATH_SIZE);

	return length < 0 || length >= VIPZONE_PATH_SIZE ? -ENAMETOOLONG : 0;
}

static int open_cgroup(struct vipzone_policy *policy)
{
	struct vipzone_command *command = &policy->command;
	struct cgroup *cgroup;

	if (command->scope != VIPZONE_SCOPE_CGROUP)
		return 0;
	cgroup = memsuite_cgroup_open(command->path, VIPZONE_PATH_SIZE, command->later);
	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	policy->cgroup = cgroup;
	return 0;
}

static int open_file(struct vipzone_policy *policy)
{
	struct path path;
	int err;

	if (policy->command.scope != VIPZONE_SCOPE_FILE)
		return 0;
	err = vipzone_file_find(policy->command.path, &path, &policy->file);
	if (err)
		return err;
	path_put(&path);
	/* Huge pages were set aside on nodes, and no other region has them. */
	return policy->file.kind == VIPZONE_FILE_HUGETLB && !wants_node(policy) ? -EOPNOTSUPP : 0;
}

static void policy_close(struct vipzone_policy *policy)
{
	mutex_lock(&policies_lock);
	list_del(&policy->all);
	mutex_unlock(&policies_lock);
	if (policy->cgroup)
		cgroup_put(policy->cgroup);
	close_targets(policy);
}

/*
 * From here on it can be seen. What a program has chosen counts with the policy that lets it, under
 * whose number and in whose directory: of directories there are as many as the administrator has
 * made.
 */
static int policy_publish(struct vipzone_policy *policy)
{
	int err;

	if (policy->base) {
		policy->number = policy->base->number;
		return 0;
	}
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

struct vipzone_policy *vipzone_policy_create(const struct vipzone_command *command,
					     struct vipzone_policy *base)
{
	struct vipzone_policy *policy;
	int err;

	policy = kzalloc(sizeof(*policy), base ? GFP_KERNEL_ACCOUNT : GFP_KERNEL);
	if (!policy)
		return ERR_PTR(-ENOMEM);
	kobject_init(&policy->kobj, &policy_type);
	refcount_set(&policy->users, 1);
	policy->command = *command;
	policy->base = base;
	INIT_LIST_HEAD(&policy->all);
	policy->stats = base ? base->stats : alloc_percpu(struct vipzone_policy_stats);
	err = policy->stats ? open_targets(policy) : -ENOMEM;
	if (!err)
		err = vipzone_spread_open(policy);
	if (!err)
		err = vipzone_reserves_init(policy);
	if (!err)
		err = open_file(policy);
	if (!err)
		err = use_hooks(policy);
	if (!err)
		err = open_cgroup(policy);
	if (!err)
		err = policy_publish(policy);
	if (!err) {
		if (base)
			vipzone_policy_get(base);
		return policy;
	}
	policy_close(policy);
	kobject_put(&policy->kobj);
	return ERR_PTR(err);
}

static void policy_unpublish(struct vipzone_policy *policy)
{
	mutex_lock(&policies_lock);
	vipzone_counter_settle(policy);
	gone_undivided += vipzone_counter_divide(policy);
	vipzone_policy_stats_add(&gone, policy);
	idr_remove(&policies, policy->number);
	kobject_del(&policy->kobj);
	mutex_unlock(&policies_lock);
}

void vipzone_policy_put(struct vipzone_policy *policy)
{
	if (!refcount_dec_and_test(&policy->users))
		return;
	if (!policy->base)
		policy_unpublish(policy);
	policy_close(policy);
	if (policy->base)
		vipzone_policy_put(policy->base);
	kobject_put(&policy->kobj);
}

static u64 counts_sum(const struct vipzone_policy_stats *stats, size_t offset, unsigned int nr)
{
	const u64 *counts = (const u64 *)((const char *)stats + offset);
	u64 sum = 0;

	while (nr--)
		sum += READ_ONCE(counts[nr]);
	return sum;
}

u64 vipzone_policies_sum(size_t offset, unsigned int nr)
{
	struct vipzone_policy *policy;
	int number, cpu;
	u64 sum;

	mutex_lock(&policies_lock);
	sum = counts_sum(&gone, offset, nr);
	/* There may be thousands, and a scrape comes here for each count. */
	idr_for_each_entry(&policies, policy, number) {
		for_each_possible_cpu(cpu)
			sum += counts_sum(per_cpu_ptr(policy->stats, cpu), offset, nr);
		cond_resched();
	}
	mutex_unlock(&policies_lock);
	return sum;
}

void vipzone_policies_settle(bool counted, bool divide)
{
	struct vipzone_policy *policy;
	int number;

	mutex_lock(&policies_lock);
	/* There may be thousands, of which few have been visited. */
	idr_for_each_entry(&policies, policy, number) {
		if (counted)
			vipzone_counter_settle(policy);
		if (divide && policy->is_touched)
			vipzone_counter_divide(policy);
		cond_resched();
	}
	mutex_unlock(&policies_lock);
}

u64 vipzone_policies_undivided(void)
{
	u64 nr;

	mutex_lock(&policies_lock);
	nr = gone_undivided;
	mutex_unlock(&policies_lock);
	return nr;
}

int vipzone_policies_init(struct kobject *parent)
{
	dir = kobject_create_and_add("policies", parent);
	return dir ? 0 : -ENOMEM;
}

/* All policies are gone by now. */
void vipzone_policies_exit(void)
{
	kobject_put(dir);
}
