/* SPDX-License-Identifier: GPL-2.0-only */
/* Policies: which regions the pages of each segment come from. */
#ifndef VIPZONE_POLICY_POLICY_H
#define VIPZONE_POLICY_POLICY_H

#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>

#include <memsuite/pool.h>
#include <memsuite/region.h>

#include "energy/energy_model.h"
#include "energy/region_energy.h"
#include "parse/command.h"
#include "policy/file_identity.h"
#include "policy/policy_stats.h"
#include "policy/reserve.h"

struct cgroup;
struct vipzone_ranking;
struct vipzone_turns;

/* Its regions, and all that is in none of them. */
#define VIPZONE_POLICY_PLACES	(VIPZONE_MAX_REGIONS + 1)

/**
 * struct vipzone_target - one region of a policy
 * @region: kept for as long
 * @pool: its pool, open for as long
 * @energy: its energy and wear
 * @nid: the first node that it lies on, -1 if none of it was online
 * @nodes: all of them
 * @spans: it lies on more than one
 * @is_node: it is the whole of that node
 * @reserve: how much of it is not reserved, if the policy has reserves
 */
struct vipzone_target {
	struct memsuite_region *region;
	struct memsuite_pool *pool;
	struct vipzone_region_energy *energy;
	int nid;
	nodemask_t nodes;
	bool spans;
	bool is_node;
	struct vipzone_reserve reserve;
};

/* Whether all of a region lies on @nodes. Fast for a region on one node, as usual. */
static inline bool vipzone_target_is_on(const struct vipzone_target *target,
					const nodemask_t *nodes)
{
	if (unlikely(target->spans))
		return nodes_subset(target->nodes, *nodes);
	return target->nid >= 0 && node_isset(target->nid, *nodes);
}

/**
 * struct vipzone_policy - where a process, a cgroup or the machine gets its pages from
 * @kobj: its directory, vipzone/policies/NUMBER, unless a program has chosen it
 * @number: that NUMBER, or that of @base
 * @users: processes that have it, and the cgroup, file or machine that it is for
 * @command: what it was made from, with the full path of a cgroup; does not change
 * @base: the administrator's, held, if a program has chosen this one; has the same targets
 * @cgroup: that was last made at the path that it is for, or NULL
 * @all: in the list of all policies
 * @link: in the policies of cgroups; under RCU
 * @by_cgroup: the same, by @cgroup
 * @by_path: the same, by its path
 * @file: that it is for
 * @by_file: in the policies of files, by that; under RCU
 * @has_node: one of the targets is a whole node
 * @has_large: one of them has large folios
 * @has_cache: it is for the page cache too
 * @has_shared: it is for shared memory too
 * @has_hugetlb: it is for huge pages of hugetlbfs too
 * @has_kernel: it is for the kernel's own memory too
 * @has_reserves: part of each target is reserved, so that free memory is looked at
 * @reserves_asked: a fault has asked for it since the last look
 * @most_free: the target that has the most free memory
 * @reserves_work: looks at it
 * @nr_targets: number of @targets
 * @targets: the regions, as numbered in @command
 * @usual: by segment: the target that all its pages come from while it has some, on one node;
 *	NULL: there is more to look at
 * @usual_is_only: by segment: there is no other, nor a node that the kernel may take pages from
 * @turns: by segment: whose turn each page is, if its regions share pages by weight, or NULL; those
 *	that share alike have the same
 * @has_one_region: it is the same for all segments, and the only one
 * @dry_tick: the jiffy in which that was found to be full
 * @stats: what became of its pages, those of @base if there is one
 * @places: touches of its targets, and of what is in none of them, since accesses
 *	were last divided; of the audit's thread, or the last user; unused if there is a @base
 * @rankings: which pages each target is for; of the audit's thread, NULL until it needs them
 * @taken: the part of @stats->counted that was settled
 * @is_touched: the audit has visited what is under it since that was divided
 * @undivided: the part of that, scaled, which was not divided yet
 */
struct vipzone_policy {
	struct kobject kobj;
	int number;
	refcount_t users;
	struct vipzone_command command;
	struct vipzone_policy *base;
	struct cgroup *cgroup;
	struct list_head all;
	struct list_head link;
	struct hlist_node by_cgroup;
	struct hlist_node by_path;
	struct vipzone_file file;
	struct hlist_node by_file;
	bool has_node;
	bool has_large;
	bool has_cache;
	bool has_shared;
	bool has_hugetlb;
	bool has_kernel;
	bool has_reserves;
	bool reserves_asked;
	unsigned int most_free;
	struct delayed_work reserves_work;
	unsigned int nr_targets;
	struct vipzone_target targets[VIPZONE_MAX_REGIONS];
	struct vipzone_target *usual[VIPZONE_NR_SEGMENTS];
	bool usual_is_only[VIPZONE_NR_SEGMENTS];
	struct vipzone_turns *turns[VIPZONE_NR_SEGMENTS];
	bool has_one_region;
	unsigned long dry_tick;
	struct vipzone_policy_stats __percpu *stats;
	struct vipzone_energy_place places[VIPZONE_POLICY_PLACES];
	struct vipzone_ranking *rankings;
	u64 taken[VIPZONE_NR_ACCESS_KINDS];
	bool is_touched;
	u64 undivided[VIPZONE_NR_ACCESS_KINDS];
};

/**
 * vipzone_policy_create() - make a policy
 * @command: what was written
 * @base: the administrator's, which has the same regions, if a program has chosen it: it gets no
 *	directory, counts with that one, and its memory is charged to the calling task; or NULL
 *
 * Context: may sleep.
 * Return: a policy with one user; ERR_PTR(-ENOENT): no such region, cgroup or file,
 * -EINVAL: it is for the kernel's memory and has no node, or the path leads to neither a file nor
 * a file system, -EOPNOTSUPP: for huge pages of hugetlbfs and has no node, -EBUSY and others:
 * nodes cannot be chosen (memsuite_hook_arm()), -ENOMEM.
 */
struct vipzone_policy *vipzone_policy_create(const struct vipzone_command *command,
					     struct vipzone_policy *base);

/* The last user frees it. Hooks may not see it any more. May sleep. */
void vipzone_policy_put(struct vipzone_policy *policy);

static inline void vipzone_policy_get(struct vipzone_policy *policy)
{
	refcount_inc(&policy->users);
}

/*
 * Finds anew on which nodes regions lie, once memory has come online or gone offline. May sleep;
 * not with a lock of memory hotplug.
 */
void vipzone_policies_find_nodes(void);

/*
 * Settles what the processors have counted under each policy, if they @counted accesses since the
 * last time. With @divide, also divides it among the regions, by what was touched. For the audit's
 * thread. May sleep.
 */
void vipzone_policies_settle(bool counted, bool divide);

/* What was counted under policies that are gone, and was never divided. */
u64 vipzone_policies_undivided(void);

/**
 * vipzone_policies_sum() - what became of the pages of all policies, also of those that are gone
 * @offset: in struct vipzone_policy_stats, of the first count
 * @nr: of counts from there on, which are added up
 *
 * Context: may sleep.
 * Return: the sum.
 */
u64 vipzone_policies_sum(size_t offset, unsigned int nr);

/**
 * vipzone_cgroup_path() - the path that a policy of a cgroup is known by
 * @cgroup: the cgroup
 * @path: result, of VIPZONE_PATH_SIZE bytes
 *
 * Context: any.
 * Return: 0 or -ENAMETOOLONG.
 */
int vipzone_cgroup_path(struct cgroup *cgroup, char *path);

int vipzone_policies_init(struct kobject *parent);

/* All policies are gone by now. */
void vipzone_policies_exit(void);

#endif
